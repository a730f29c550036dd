// git fetch.
#include <algorithm>
#include <set>

#include "commands/git/remote.h"
#include "commands/git/revision.h"

namespace paddock::git {
namespace {

constexpr size_t kUnpackLimit = 100;

Status SetFetchDepth(FetchOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.depth, ParseDepth(text));
  return {};
}
Status SetDeepen(FetchOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.deepen, ParseDepth(text));
  return {};
}

constexpr Option kFetchOptions[] = {
    Flag<&FetchOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&FetchOptions::verbose>('v', "verbose", "also say what is up to date"),
    Flag<&FetchOptions::all>(0, "all", "from all remotes"),
    Flag<&FetchOptions::append>('a', "append", "add to FETCH_HEAD"),
    Call<SetFetchDepth>(0, "depth", "N", "only so many commits of history"),
    Call<SetDeepen>(0, "deepen", "N", "so many commits more"),
    Flag<&FetchOptions::unshallow>(0, "unshallow", "the whole history"),
    Flag<&FetchOptions::dry_run>(0, "dry-run", "change nothing"),
    Flag<&FetchOptions::force>('f', "force", "also what is no fast-forward"),
    Flag<&FetchOptions::keep>('k', "keep", "keep the pack, however small"),
    Flag<&FetchOptions::prune>('p', "prune", "remove remote branches that are gone"),
    Flag<&FetchOptions::prune_tags>('P', "prune-tags", "and tags that are gone there"),
    Flag<&FetchOptions::tags>('t', "tags", "with all tags"),
    Flag<&FetchOptions::no_tags>('n', "no-tags", "without tags"),
    Flag<&FetchOptions::update_head_ok>('u', "update-head-ok", "also into the branch that is checked out"),
};

// A reference that is fetched.
struct Wanted {
  std::string ref;          // its name there; 40 digits for an object
  Oid id;
  std::string local;        // empty: FETCH_HEAD alone
  bool is_forced = false, is_merged = false;
};

// "main", "heads/main", "v1": the full name there.
std::optional<std::string> FindTheirs(const RemoteRefs& refs, const std::string& name) {
  for (const char* const rule : {"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}) {
    if (refs.ids.contains(rule + name)) return rule + name;
  }
  return std::nullopt;
}

// How a reference is told: without what is the same for all of its kind.
std::string Prettified(const std::string& ref) {
  for (const std::string_view prefix : {"refs/heads/", "refs/tags/", "refs/remotes/"}) {
    if (ref.starts_with(prefix)) return ref.substr(prefix.size());
  }
  return ref;
}

class Fetching {
 public:
  Fetching(Git& git, const FetchOptions& options, std::string name) : git_(git), options_(options), name_(std::move(name)) {
    const auto url = git_.config.Get("remote." + name_ + ".url");
    is_remote_ = url.has_value();
    url_ = RewriteUrl(git_.config, url.value_or(name_));
  }

  Result<ExitStatus> Run(const std::vector<std::string>& specs) {
    PADDOCK_ASSIGN(remote_, OpenRemote(git_.in, git_.config, url_));
    PADDOCK_ASSIGN(theirs_, remote_->ReadRefs(false));
    if (is_remote_) {
      for (const std::string& text : git_.config.GetAll("remote." + name_ + ".fetch")) {
        PADDOCK_ASSIGN(const Refspec spec, ParseRefspec(text));
        configured_.push_back(spec);
      }
    }
    PADDOCK_TRY(Choose(specs));
    AddTags();
    for (const Wanted& one : wanted_) {
      if (options_.update_head_ok || git_.is_bare || one.local.empty() || git_.HeadBranch() != one.local) continue;
      return Error(Code::kInvalid, "refusing to fetch into branch '" + one.local + "' checked out at '" + git_.work_tree + "'");
    }
    PADDOCK_TRY(TakeObjects());
    if (options_.prune || options_.prune_tags || git_.config.GetBool("fetch.prune", false) || git_.config.GetBool("remote." + name_ + ".prune", false)) PADDOCK_TRY(Prune(specs));
    MeasureNames();
    for (const Wanted& one : wanted_) PADDOCK_TRY(Store(one));
    if (!options_.dry_run) PADDOCK_TRY(WriteFetchHead());
    if (!text_.empty() && (!options_.quiet || has_failed_)) git_.Say("From " + ShownUrl(url_, true) + "\n" + text_);
    return has_failed_ ? 1 : 0;
  }

 private:
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
  void AddOpportunities() {
    const std::vector<Wanted> named = wanted_;
    for (const Wanted& one : named) {
      for (const Refspec& spec : configured_) {
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
        PADDOCK_ASSIGN(const Refspec spec, ParseRefspec(text));
        PADDOCK_TRY(AddSpec(spec, true));
      }
      AddOpportunities();
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

  void AddTags() {
    const std::string setting = git_.config.Get("remote." + name_ + ".tagopt", "");
    const bool has_all = options_.tags || (setting == "--tags" && !options_.no_tags);
    if (!has_all) return;
    for (const auto& [ref, id] : theirs_.ids) {
      if (ref.starts_with("refs/tags/")) Add({ref, id, ref, options_.force, false});
    }
  }

  Status TakeObjects() {
    FetchRequest request{.wanted = {}, .depth = options_.depth, .unpack_limit = options_.keep ? 0 : kUnpackLimit, .is_quiet = options_.quiet};
    if (options_.unshallow || options_.deepen) {
      if (options_.unshallow && ReadShallow(git_).empty()) return Error(Code::kInvalid, "--unshallow on a complete repository does not make sense");
      request.depth = kWholeDepth;
      if (options_.deepen) request.depth = *options_.deepen + Depth();
    }
    for (const Wanted& one : wanted_) request.wanted.push_back(one.id);
    PADDOCK_TRY(remote_->Fetch(git_, request));
    // Tags of what is here now.
    const bool has_tags = !options_.tags && !options_.no_tags && git_.config.Get("remote." + name_ + ".tagopt", "") != "--no-tags" && has_places_;
    if (!has_tags) return {};
    FetchRequest tags{.wanted = {}, .depth = std::nullopt, .unpack_limit = request.unpack_limit, .is_quiet = options_.quiet};
    for (const auto& [ref, id] : theirs_.ids) {
      if (!ref.starts_with("refs/tags/") || git_.refs.Exists(ref)) continue;
      const auto peeled = theirs_.peeled.find(ref);
      if (!git_.objects.Has(peeled == theirs_.peeled.end() ? id : peeled->second)) continue;
      tags.wanted.push_back(id);
      Add({ref, id, ref, false, false});
    }
    return tags.wanted.empty() ? Status() : remote_->Fetch(git_, tags);
  }
  // Commits from HEAD's to the first that lacks its parents.
  uint32_t Depth() {
    const auto head = git_.Head();
    History history(git_);
    std::vector<Oid> generation;
    if (head) generation.push_back(*head);
    uint32_t depth = 0;
    std::set<Oid> seen;
    for (; !generation.empty() && depth < kWholeDepth / 2; ++depth) {
      std::vector<Oid> next;
      for (const Oid& id : generation) {
        git_.in.budget.Step();
        const auto node = history.Get(id);
        if (!node) continue;
        for (const Oid& parent : (*node)->commit.parents) {
          if (seen.insert(parent).second) next.push_back(parent);
        }
      }
      generation = std::move(next);
    }
    return depth;
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
    for (const std::string& ref : pruned_) text_ += ChangeLine('-', "[deleted]", "(none)", Prettified(ref));
    return {};
  }

  void MeasureNames() {
    constexpr size_t kColumns = 80;
    for (const Wanted& one : wanted_) {
      if (one.local.empty() || one.ref == "HEAD" || (git_.refs.Read(one.local) == one.id && !options_.verbose)) continue;
      const size_t name = DisplayWidth(Prettified(one.ref)), local = DisplayWidth(Prettified(one.local));
      if (21 + name + 4 + local < kColumns) width_ = std::max(width_, name);
    }
  }
  static size_t DisplayWidth(std::string_view text) { return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; })); }

  void Tell(char flag, const std::string& what, const Wanted& one, const std::string& to, const std::string& note = "") {
    text_ += ChangeLine(flag, what, one.ref == "HEAD" ? "HEAD" : Prettified(one.ref), to, note, width_);
  }

  Status Store(const Wanted& one) {
    git_.in.budget.Step();
    if (one.local.empty()) {
      const std::string kind = one.ref.starts_with("refs/tags/") ? "tag" : one.ref.starts_with("refs/remotes/") ? "remote-tracking branch" : "branch";
      if (is_explicit_ || configured_.empty()) Tell('*', kind, one, "FETCH_HEAD");
      return {};
    }
    const auto old = git_.refs.Read(one.local);
    const std::string shown = Prettified(one.local);
    const bool is_tag = one.local.starts_with("refs/tags/");
    if (old == one.id) {
      if (options_.verbose) Tell('=', "[up to date]", one, shown);
      return {};
    }
    if (!old) {
      const bool is_branch = one.ref.starts_with("refs/heads/");
      Tell('*', one.ref.starts_with("refs/tags/") ? "[new tag]" : is_branch ? "[new branch]" : "[new ref]", one, shown);
      return Write(one, is_tag ? "storing tag" : is_branch ? "storing head" : "storing ref");
    }
    if (is_tag) {
      if (!one.is_forced) {
        has_failed_ = true;
        Tell('!', "[rejected]", one, shown, "  (would clobber existing tag)");
        return {};
      }
      Tell('t', "[tag update]", one, shown);
      return Write(one, "updating tag");
    }
    History history(git_);
    PADDOCK_ASSIGN(const bool is_forward, history.IsAncestor(*old, one.id));
    const std::string range = git_.objects.Abbreviate(*old) + (is_forward ? ".." : "...") + git_.objects.Abbreviate(one.id);
    if (!is_forward && !one.is_forced) {
      has_failed_ = true;
      Tell('!', "[rejected]", one, shown, "  (non-fast-forward)");
      return {};
    }
    Tell(is_forward ? ' ' : '+', range, one, shown, is_forward ? "" : "  (forced update)");
    return Write(one, is_forward ? "fast-forward" : "forced-update");
  }
  Status Write(const Wanted& one, const std::string& what) {
    return options_.dry_run ? Status() : git_.refs.Write(one.local, one.id, git_.Who(), options_.action + ": " + what);
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
  std::vector<std::string> pruned_;
  size_t width_ = 10;
  std::string text_;
};

Result<ExitStatus> RunFetch(Git& git, FetchOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  options.action = ActionText(git, "fetch");
  if (options.all) {
    if (!operands.empty()) return Error(Code::kInvalid, "fetch --all does not take a repository argument");
    ExitStatus worst = 0;
    const std::vector<std::string> names = RemoteNames(git);
    for (const std::string& name : names) {
      if (!options.quiet && names.size() > 1) git.Print("Fetching " + name + "\n");
      git.in.out.Flush();
      PADDOCK_ASSIGN(const ExitStatus status, FetchFrom(git, options, name, {}));
      worst = std::max(worst, status);
      options.append = true;
    }
    return worst;
  }
  const std::string name = operands.empty() ? DefaultRemote(git) : operands[0];
  if (!operands.empty()) operands.erase(operands.begin());
  return FetchFrom(git, options, name, operands);
}

}  // namespace

std::string ActionText(Git& git, const char* name) {
  if (const auto action = git.in.env.Get("GIT_REFLOG_ACTION")) return std::string(*action);
  std::string text = name;
  bool is_behind = false;
  for (const std::string& word : git.in.args) {
    if (is_behind) text += " " + ShownUrl(word);
    is_behind = is_behind || word == name;
  }
  return text;
}

Result<ExitStatus> FetchFrom(Git& git, const FetchOptions& options, const std::string& name, const std::vector<std::string>& specs) {
  return Fetching(git, options, name).Run(specs);
}

extern const Subcommand kFetch;
const Subcommand kFetch = DefineSubcommand<FetchOptions, RunFetch>({.name = "fetch", .summary = "get branches and tags of another repository", .synopsis = "[<options>] [<repository> [<refspec>...]]\n--all [<options>]", .options = kFetchOptions});

}  // namespace paddock::git
