// One fetch: what is wanted, getting it, and which references change.
#include "commands/git/remote/fetch.h"

#include <algorithm>
#include <set>

#include "commands/git/refs/revision.h"
#include "commands/git/remote/bundle.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

constexpr size_t kUnpackLimit = 100;

// A reference that is fetched.
struct Wanted {
  std::string ref;          // its name there; 40 digits for an object
  Oid id;
  std::string local;        // empty: FETCH_HEAD alone
  bool is_forced = false, is_merged = false;
  std::string action;       // what the log is to say; empty: nothing changes
};

// "main", "heads/main", "v1": the full name there.
std::optional<std::string> FindTheirs(const RemoteRefs& refs, const std::string& name) {
  for (const char* const rule : {"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}) {
    if (refs.ids.contains(rule + name)) return rule + name;
  }
  return std::nullopt;
}

class Fetching {
 public:
  Fetching(Git& git, const FetchOptions& options, std::string name) : git_(git), options_(options), name_(std::move(name)) {
    const auto url = git_.config.Get("remote." + name_ + ".url");
    is_remote_ = url.has_value();
    url_ = RewriteUrl(git_.config, url.value_or(name_));
  }

  Result<ExitStatus> Run(std::vector<std::string> specs) {
    // Of what is no configured remote, only the tags are meant then.
    if (options_.prune && options_.prune_tags && (!is_remote_ || !specs.empty())) specs.emplace_back("refs/tags/*:refs/tags/*");
    PADDOCK_TRY(CheckOptions(specs));
    if (options_.writes_head && !options_.dry_run && !options_.append && !options_.negotiate_only) PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("FETCH_HEAD"), ""));
    if (IsBundle(git_.in, url_)) {
      PADDOCK_ASSIGN(remote_, OpenBundle(git_.in, url_));
    } else {
      PADDOCK_ASSIGN(remote_, OpenRemote(git_.in, git_.config, url_));
    }
    PADDOCK_ASSIGN(theirs_, remote_->ReadRefs(false));
    if (options_.negotiate_only) return ShowCommon();
    if (is_remote_) {
      for (const std::string& text : git_.config.GetAll("remote." + name_ + ".fetch")) {
        PADDOCK_ASSIGN(const Refspec spec, ParseRefspec(text));
        configured_.push_back(spec);
      }
    }
    if (options_.prefetch) {
      for (Refspec& spec : configured_) ToPrefetch(spec);
      std::erase_if(configured_, [](const Refspec& spec) { return spec.to.empty(); });
    }
    PADDOCK_TRY(Choose(specs));
    AddTags();
    AddOpportunities(specs);
    for (const Wanted& one : wanted_) {
      if (options_.update_head_ok || git_.is_bare || one.local.empty() || git_.HeadBranch() != one.local) continue;
      return Error(Code::kInvalid, "refusing to fetch into branch '" + one.local + "' checked out at '" + git_.work_tree + "'");
    }
    if (options_.prune || git_.config.GetBool("fetch.prune", false) || git_.config.GetBool("remote." + name_ + ".prune", false)) PADDOCK_TRY(Prune(specs));
    PADDOCK_TRY(TakeObjects());
    PADDOCK_TRY(StoreFrom(0));
    const size_t first = wanted_.size();
    PADDOCK_TRY(FollowTags());
    PADDOCK_TRY(StoreFrom(first));
    const bool is_undone = options_.atomic && has_failed_;
    if (!is_undone) {
      for (const Wanted& one : wanted_) PADDOCK_TRY(Write(one));
    }
    if (options_.writes_head && !options_.dry_run && !is_undone) PADDOCK_TRY(WriteFetchHead());
    if (is_undone) text_ += "error: \n";
    if (!text_.empty() && (!options_.quiet || has_failed_)) git_.Say("From " + ShownUrl(url_, true) + "\n" + text_);
    if (!ShowsForced() && git_.config.GetBool("advice.fetchshowforcedupdates", true)) {
      git_.Warn("fetch normally indicates which branches had a forced update,\nbut that check has been disabled; to re-enable, use '--show-forced-updates'\nflag or run 'git config fetch.showForcedUpdates true'");
    }
    if (options_.upstream) PADDOCK_TRY(SetUpstream());
    return has_failed_ ? 1 : 0;
  }

 private:
  bool ShowsForced() const { return options_.shows_forced.value_or(git_.config.GetBool("fetch.showforcedupdates", true)); }

  Status CheckOptions(const std::vector<std::string>& specs) {
    const bool is_http = url_.starts_with("http://") || url_.starts_with("https://");
    if ((options_.ipv4 || options_.ipv6) && is_http) return Error(Code::kNotSupported, "-4 and -6 are not supported over HTTP: how a host is reached is the policy's affair");
    const std::string program = options_.upload_pack ? *options_.upload_pack : git_.config.Get("remote." + name_ + ".uploadpack", "");
    PADDOCK_TRY(CheckRemoteProgram(program, "upload-pack", url_));
    if (!options_.server_options.empty()) {
      const std::string version = git_.config.Get("protocol.version", "2");
      if (is_http || version == "0" || version == "1") {
        git_.Say("hint: see protocol.version in 'git help config' for more details\n");
        return Error(Code::kInvalid, "server options require protocol version 2 or later");
      }
    }
    if (options_.has_refmaps && specs.empty()) return Error(Code::kInvalid, "--refmap option is only meaningful with command-line refspec(s)");
    for (const std::string& tip : options_.tips) {
      if (tip.find_first_of("*?[") == std::string::npos) {
        const auto id = ResolveObject(git_, tip);
        if (!id) return Error(Code::kInvalid, tip + " is not a valid object");
        const auto commit = git_.objects.Peel(*id, ObjectType::kCommit);
        tips_.push_back(commit ? *commit : *id);
        continue;
      }
      bool has_any = false;
      Pattern pattern(tip.starts_with("refs/") ? tip : "refs/" + tip, {});
      for (const auto& [ref, id] : git_.refs.List("refs/")) {
        git_.in.budget.Step();
        if (!pattern.Matches(ref, git_.in.budget)) continue;
        has_any = true;
        if (const auto commit = git_.objects.Peel(id, ObjectType::kCommit)) tips_.push_back(*commit);
      }
      if (!has_any) git_.Warn("ignoring --negotiation-tip=" + tip + " because it does not match any refs");
    }
    return {};
  }

  // --negotiate-only: what both sides have, of what the tips lead to.
  Result<ExitStatus> ShowCommon() {
    std::vector<Oid> known;
    for (const auto& [ref, id] : theirs_.ids) {
      if (!git_.objects.Has(id)) continue;
      if (const auto commit = git_.objects.Peel(id, ObjectType::kCommit)) known.push_back(*commit);
    }
    History history(git_);
    PADDOCK_ASSIGN(const std::set<Oid> theirs, history.Ancestors(known));
    PADDOCK_ASSIGN(const std::set<Oid> ours, history.Ancestors(tips_));
    for (const Oid& id : ours) {
      git_.in.budget.Step();
      if (theirs.contains(id)) git_.Print(id.Hex() + "\n");
    }
    return 0;
  }

  static void ToPrefetch(Refspec& spec) {
    if (spec.is_negative) return;
    if (spec.to.empty() || spec.from.starts_with("refs/tags/")) spec.to.clear();
    else spec.to = "refs/prefetch/" + (spec.to.starts_with("refs/") ? spec.to.substr(5) : spec.to);
    spec.is_forced = true;
  }

  // --set-upstream: what `git pull` is to take.
  Status SetUpstream() {
    const auto current = git_.HeadBranch();
    const Wanted* source = nullptr;
    for (const Wanted& one : wanted_) {
      if (!one.local.empty()) continue;
      if (source != nullptr) {
        git_.Warn("multiple branches detected, incompatible with --set-upstream");
        return {};
      }
      source = &one;
    }
    if (source == nullptr) {
      git_.Warn("no source branch found;\nyou need to specify exactly one branch with the --set-upstream option");
      return {};
    }
    if (source->ref.starts_with("refs/remotes/")) git_.Warn("not setting upstream for a remote remote-tracking branch");
    else if (source->ref.starts_with("refs/tags/")) git_.Warn("not setting upstream for a remote tag");
    else if (source->ref != "HEAD" && !source->ref.starts_with("refs/heads/")) git_.Warn("unknown branch type");
    else if (!current) git_.Warn("could not set upstream of HEAD to '" + ShortRef(source->ref) + "' from '" + name_ + "' when it does not point to any branch.");
    else {
      PADDOCK_TRY(EditConfigFile(git_, "branch." + ShortRef(*current) + ".remote", name_));
      return EditConfigFile(git_, "branch." + ShortRef(*current) + ".merge", source->ref == "HEAD" ? theirs_.head.value_or("HEAD") : source->ref);
    }
    return {};
  }

  void Add(Wanted one) {
    for (Wanted& known : wanted_) {
      if (known.ref != one.ref || known.local != one.local) continue;
      known.is_merged = known.is_merged || one.is_merged;
      return;
    }
    wanted_.push_back(std::move(one));
  }

  Status AddSpec(const Refspec& spec, bool is_named) {
    const bool is_forced = spec.is_forced || options_.force;
    if (spec.is_negative) return {};
    has_places_ = has_places_ || !spec.to.empty();
    if (spec.is_pattern()) {
      for (const auto& [ref, id] : theirs_.ids) {
        git_.in.budget.Step();
        if (const auto local = spec.Map(ref); local && ref != "HEAD" && (local->empty() || IsRefName(*local))) Add({ref, id, *local, is_forced, false});
      }
      return {};
    }
    const std::string name = spec.from.empty() ? "HEAD" : spec.from;
    const auto found = FindTheirs(theirs_, name);
    const auto object = found ? std::nullopt : Oid::FromHex(name);
    if (!found && (!object || name.size() != 40)) return Error(Code::kNoEntry, "couldn't find remote ref " + name);
    std::string local = spec.to;
    if (!local.empty() && !local.starts_with("refs/")) {
      local = (found && found->starts_with("refs/tags/") ? "refs/tags/" : found && found->starts_with("refs/remotes/") ? "refs/remotes/" : "refs/heads/") + local;
    }
    if (!local.empty() && !IsRefName(local)) return Error(Code::kInvalid, "invalid refspec '" + spec.from + ":" + spec.to + "'");
    Add({found.value_or(name), found ? theirs_.ids.at(*found) : *object, local, is_forced, is_named && !spec.has_target});
    return {};
  }

  // What the configuration has a place for is put there, even when only its name was asked for.
  void AddOpportunities(const std::vector<std::string>& specs) {
    if (specs.empty()) return;
    std::vector<Refspec> places = configured_;
    if (options_.has_refmaps) {
      places.clear();
      for (const std::string& text : options_.refmaps) {
        if (const auto spec = ParseRefspec(text)) places.push_back(*spec);
      }
    }
    const std::vector<Wanted> named(wanted_.begin(), wanted_.begin() + static_cast<std::ptrdiff_t>(named_));
    for (const Wanted& one : named) {
      for (const Refspec& spec : places) {
        git_.in.budget.Step();
        if (const auto local = spec.Map(one.ref); local && IsRefName(*local)) Add({one.ref, one.id, *local, spec.is_forced, false});
      }
    }
  }

  Status Choose(const std::vector<std::string>& specs) {
    if (!specs.empty()) {
      for (size_t i = 0; i < specs.size(); ++i) {
        std::string text = specs[i];
        if (text == "tag" && i + 1 < specs.size()) {
          text = "refs/tags/" + specs[i + 1] + ":refs/tags/" + specs[i + 1];
          ++i;
        }
        PADDOCK_ASSIGN(Refspec spec, ParseRefspec(text));
        if (options_.prefetch) {
          ToPrefetch(spec);
          if (spec.to.empty()) continue;
        }
        PADDOCK_TRY(AddSpec(spec, true));
      }
      named_ = wanted_.size();
      is_explicit_ = true;
      return {};
    }
    for (const Refspec& spec : configured_) PADDOCK_TRY(AddSpec(spec, false));
    for (const Refspec& spec : configured_) {
      if (spec.is_negative) std::erase_if(wanted_, [&spec](const Wanted& one) { return spec.is_pattern() ? spec.Map(one.ref).has_value() : one.ref == spec.from; });
    }
    if (configured_.empty()) {
      Refspec head;
      head.from = "HEAD";
      return AddSpec(head, true);
    }
    // What `git pull` merges.
    const std::string current = ShortRef(git_.HeadBranch().value_or(""));
    if (git_.config.Get("branch." + current + ".remote") == name_) {
      for (const std::string& ref : git_.config.GetAll("branch." + current + ".merge")) {
        const auto found = FindTheirs(theirs_, ref);
        bool is_known = false;
        for (Wanted& one : wanted_) {
          if (one.ref != found) continue;
          one.is_merged = is_known = true;
        }
        if (found && !is_known) Add({*found, theirs_.ids.at(*found), "", false, true});
      }
    } else if (!configured_[0].is_pattern() && !wanted_.empty()) {
      wanted_[0].is_merged = true;
    }
    return {};
  }

  bool FollowsTags() const {
    return !options_.tags && !options_.no_tags && !options_.prefetch && git_.config.Get("remote." + name_ + ".tagopt", "") != "--no-tags" && git_.config.Get("remote." + name_ + ".tagopt", "") != "--tags" && has_places_;
  }

  void AddTags() {
    const std::string setting = git_.config.Get("remote." + name_ + ".tagopt", "");
    const bool has_all = options_.tags || (setting == "--tags" && !options_.no_tags);
    for (const auto& [ref, id] : theirs_.ids) {
      if (!ref.starts_with("refs/tags/")) continue;
      if (has_all) {
        Add({ref, id, ref, options_.force, false});
        continue;
      }
      if (!FollowsTags() || git_.refs.Exists(ref)) continue;
      // Those of what is fetched or already here; others show when their commits have come.
      const auto peeled = theirs_.peeled.find(ref);
      const Oid& target = peeled == theirs_.peeled.end() ? id : peeled->second;
      const bool is_fetched = std::any_of(wanted_.begin(), wanted_.end(), [&target](const Wanted& one) { return one.id == target; });
      if (is_fetched || git_.objects.Has(target)) Add({ref, id, ref, false, false});
    }
  }

  Status TakeObjects() {
    FetchRequest request{.unpack_limit = UnpackLimit(), .is_quiet = options_.quiet, .shows_progress = options_.progress, .is_again = options_.refetch};
    if (!options_.tips.empty()) request.tips = tips_;
    Deepening& deepening = request.deepening;
    deepening.depth = options_.depth;
    deepening.excluded = options_.excluded;
    if (options_.since) deepening.since = git_.ReadDate(*options_.since).seconds;
    if (options_.unshallow) {
      if (ReadShallow(git_).empty()) return Error(Code::kInvalid, "--unshallow on a complete repository does not make sense");
      deepening.depth = kWholeDepth;
    }
    if (options_.deepen) {
      deepening.depth = static_cast<uint32_t>(*options_.deepen);
      deepening.is_relative = true;
      if (ReadShallow(git_).empty() || *options_.deepen == 0) deepening = {};
    }
    if (!options_.update_shallow && !deepening.is_any()) {
      PADDOCK_ASSIGN(const std::set<Oid> refused, remote_->EndsEarly(git_, WantedIds()));
      std::erase_if(wanted_, [&](const Wanted& one) {
        if (!refused.contains(one.id)) return false;
        if (one.is_merged) git_.Warn("rejected " + (one.local.empty() ? one.ref : one.local) + " because shallow roots are not allowed to be updated");
        return true;
      });
    }
    request.wanted = WantedIds();
    std::optional<std::string> filter = options_.filter;
    if (!filter && git_.config.GetBool("remote." + name_ + ".promisor", false)) filter = git_.config.Get("remote." + name_ + ".partialclonefilter");
    if (filter) {
      request.unpack_limit = 0;
      const bool is_needed = std::any_of(request.wanted.begin(), request.wanted.end(), [this](const Oid& id) { return !git_.objects.Has(id); });
      if (is_needed) WarnOfFilter(git_.in, *remote_);
      if (is_remote_ && options_.filter) PADDOCK_TRY(RegisterFilter(git_, name_, *options_.filter));
    }
    return remote_->Fetch(git_, request);
  }
  std::vector<Oid> WantedIds() const {
    std::vector<Oid> ids;
    for (const Wanted& one : wanted_) ids.push_back(one.id);
    return ids;
  }
  size_t UnpackLimit() const {
    if (options_.keep) return 0;
    int64_t limit = kUnpackLimit;
    const auto text = git_.config.Get("fetch.unpacklimit", git_.config.Get("transfer.unpacklimit", ""));
    if (!text.empty() && !ParseOptionValue(text, limit)) limit = kUnpackLimit;
    return static_cast<size_t>(std::max<int64_t>(limit, 0));
  }

  // Tags of what is here now.
  Status FollowTags() {
    if (!FollowsTags()) return {};
    FetchRequest tags{.unpack_limit = UnpackLimit(), .is_quiet = options_.quiet};
    for (const auto& [ref, id] : theirs_.ids) {
      if (!ref.starts_with("refs/tags/") || git_.refs.Exists(ref)) continue;
      const auto peeled = theirs_.peeled.find(ref);
      if (!git_.objects.Has(peeled == theirs_.peeled.end() ? id : peeled->second)) continue;
      if (std::any_of(wanted_.begin(), wanted_.end(), [&tag = ref](const Wanted& one) { return one.local == tag; })) continue;
      tags.wanted.push_back(id);
      wanted_.push_back({ref, id, ref, false, false});
    }
    return tags.wanted.empty() ? Status() : remote_->Fetch(git_, tags);
  }

  Status Prune(const std::vector<std::string>& specs) {
    std::vector<Refspec> rules = configured_;
    if (!specs.empty()) {
      rules.clear();
      for (const std::string& text : specs) {
        PADDOCK_ASSIGN(const Refspec spec, ParseRefspec(text));
        rules.push_back(spec);
      }
    }
    if (options_.prune_tags) {
      PADDOCK_ASSIGN(const Refspec tags, ParseRefspec("refs/tags/*:refs/tags/*"));
      rules.push_back(tags);
    }
    for (const auto& [ref, id] : git_.refs.List("refs/")) {
      const auto symbolic = git_.refs.ReadSymbolic(ref);
      bool is_meant = false, is_there = false;
      for (const Refspec& spec : rules) {
        git_.in.budget.Step();
        if (spec.to.empty()) continue;
        Refspec back = spec;
        std::swap(back.from, back.to);
        const auto theirs = back.Map(ref);
        is_meant = is_meant || theirs.has_value();
        is_there = is_there || (theirs && theirs_.ids.contains(*theirs));
      }
      if (!is_meant || is_there || symbolic) continue;
      if (!options_.dry_run) PADDOCK_TRY(git_.refs.Remove(ref));
      pruned_.push_back(ref);
    }
    for (const std::string& ref : pruned_) text_ += ChangeLine('-', "[deleted]", "(none)", PrettyRef(ref));
    for (const auto& [ref, id] : git_.refs.List("refs/remotes/")) Dangle(ref);
    const std::string head = "refs/remotes/" + name_ + "/HEAD";
    Dangle(head);
    return {};
  }

  void Dangle(const std::string& ref) {
    const auto target = git_.refs.ReadSymbolic(ref);
    if (target && std::find(pruned_.begin(), pruned_.end(), *target) != pruned_.end()) text_ += std::string("   (") + ref + (options_.dry_run ? " will become dangling)\n" : " has become dangling)\n");
  }

  Status StoreFrom(size_t first) {
    MeasureNames(first);
    for (size_t i = first; i < wanted_.size(); ++i) PADDOCK_TRY(Store(wanted_[i]));
    return {};
  }

  void MeasureNames(size_t first) {
    constexpr size_t kColumns = 80;
    for (size_t i = first; i < wanted_.size(); ++i) {
      const Wanted& one = wanted_[i];
      if (one.local.empty() || one.ref == "HEAD" || (git_.refs.Read(one.local) == one.id && !options_.verbose)) continue;
      const size_t name = DisplayWidth(PrettyRef(one.ref)), local = DisplayWidth(PrettyRef(one.local));
      if (21 + name + 4 + local < kColumns) width_ = std::max(width_, name);
    }
  }
  static size_t DisplayWidth(std::string_view text) { return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; })); }

  void Tell(char flag, const std::string& what, const Wanted& one, const std::string& to, const std::string& note = "") {
    text_ += ChangeLine(flag, what, one.ref == "HEAD" ? "HEAD" : PrettyRef(one.ref), to, note, width_);
  }

  Status Store(Wanted& one) {
    git_.in.budget.Step();
    if (one.local.empty()) {
      const std::string kind = one.ref.starts_with("refs/tags/") ? "tag" : one.ref.starts_with("refs/remotes/") ? "remote-tracking branch" : "branch";
      if ((is_explicit_ || configured_.empty()) && (options_.writes_head || options_.dry_run)) Tell('*', kind, one, "FETCH_HEAD");
      return {};
    }
    const auto old = git_.refs.Read(one.local);
    const std::string shown = PrettyRef(one.local);
    const bool is_tag = one.local.starts_with("refs/tags/");
    if (old == one.id) {
      if (options_.verbose) Tell('=', "[up to date]", one, shown);
      return {};
    }
    if (!old) {
      const bool is_branch = one.ref.starts_with("refs/heads/");
      Tell('*', one.ref.starts_with("refs/tags/") ? "[new tag]" : is_branch ? "[new branch]" : "[new ref]", one, shown);
      one.action = is_tag ? "storing tag" : is_branch ? "storing head" : "storing ref";
      return {};
    }
    if (is_tag) {
      if (!one.is_forced) {
        has_failed_ = true;
        Tell('!', "[rejected]", one, shown, "  (would clobber existing tag)");
        return {};
      }
      Tell('t', "[tag update]", one, shown);
      one.action = "updating tag";
      return {};
    }
    bool is_forward = true;
    if (ShowsForced()) {
      History history(git_);
      PADDOCK_ASSIGN(is_forward, history.IsAncestor(*old, one.id));
    }
    const std::string range = git_.objects.Abbreviate(*old) + (is_forward ? ".." : "...") + git_.objects.Abbreviate(one.id);
    if (!is_forward && !one.is_forced) {
      has_failed_ = true;
      Tell('!', "[rejected]", one, shown, "  (non-fast-forward)");
      return {};
    }
    Tell(is_forward ? ' ' : '+', range, one, shown, is_forward ? "" : "  (forced update)");
    one.action = is_forward ? "fast-forward" : "forced-update";
    return {};
  }
  Status Write(const Wanted& one) {
    if (options_.dry_run || one.action.empty()) return {};
    return git_.refs.Write(one.local, one.id, git_.Who(), options_.action + ": " + one.action);
  }

  Status WriteFetchHead() {
    std::string merged, others;
    std::set<std::string> told;
    for (const Wanted& one : wanted_) {
      if (!told.insert(one.ref).second && !one.is_merged) continue;
      std::string what;
      if (one.ref.starts_with("refs/heads/")) what = "branch '" + one.ref.substr(11) + "' of ";
      else if (one.ref.starts_with("refs/tags/")) what = "tag '" + one.ref.substr(10) + "' of ";
      else if (one.ref.starts_with("refs/remotes/")) what = "remote-tracking branch '" + one.ref.substr(13) + "' of ";
      else if (one.ref != "HEAD") what = "'" + one.ref + "' of ";
      (one.is_merged ? merged : others) += one.id.Hex() + "\t" + (one.is_merged ? "" : "not-for-merge") + "\t" + what + ShownUrl(url_, true) + "\n";
    }
    std::string before;
    if (options_.append) before = vfs::ReadFile(git_.in.fs, git_.GitPath("FETCH_HEAD"), 16 << 20).value_or("");
    return vfs::WriteFile(git_.in.fs, git_.GitPath("FETCH_HEAD"), before + merged + others);
  }

  Git& git_;
  const FetchOptions& options_;
  std::string name_, url_;
  bool is_remote_ = false, is_explicit_ = false, has_failed_ = false;
  bool has_places_ = false;   // a specification says where to put something: tags follow
  std::unique_ptr<Remote> remote_;
  RemoteRefs theirs_;
  std::vector<Refspec> configured_;
  std::vector<Wanted> wanted_;
  size_t named_ = 0;   // how many of them the command line asked for
  std::vector<Oid> tips_;
  std::vector<std::string> pruned_;
  size_t width_ = 10;
  std::string text_;
};

}  // namespace

Result<ExitStatus> FetchFrom(Git& git, const FetchOptions& options, const std::string& name, const std::vector<std::string>& specs) {
  return Fetching(git, options, name).Run(specs);
}

}  // namespace paddock::git
