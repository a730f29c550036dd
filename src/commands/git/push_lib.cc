// git push.
#include <algorithm>

#include "commands/git/hooks.h"
#include "commands/git/remote.h"
#include "commands/git/revision.h"

namespace paddock::git {
namespace {

struct PushOptions {
  bool quiet = false, verbose = false, force = false, all = false, tags = false, follow_tags = false, upstream = false, deletes = false, dry_run = false, no_verify = false, mirror = false;
  bool has_lease = false;
  std::vector<std::string> leases;
};
Status AddLease(PushOptions& options, std::string_view text) {
  options.has_lease = true;
  if (!text.empty()) options.leases.emplace_back(text);
  return {};
}
constexpr Option kOptions[] = {
    Flag<&PushOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&PushOptions::verbose>('v', "verbose", "also say what is up to date"),
    Flag<&PushOptions::force>('f', "force", "even if something is lost there"),
    CallOptional<AddLease>(0, "force-with-lease", "REF:EXPECTED", "the same, if they have what was fetched last"),
    Flag<&PushOptions::all>(0, "all", "all branches"),
    Flag<&PushOptions::mirror>(0, "mirror", "all references as they are, and no others"),
    Flag<&PushOptions::tags>(0, "tags", "all tags"),
    Flag<&PushOptions::follow_tags>(0, "follow-tags", "annotated tags of what is pushed"),
    Flag<&PushOptions::upstream>('u', "set-upstream", "track what is pushed"),
    Flag<&PushOptions::deletes>('d', "delete", "delete there"),
    Flag<&PushOptions::dry_run>('n', "dry-run", "change nothing"),
    Flag<&PushOptions::no_verify>(0, "no-verify", "push although there is a hook pre-push"),
};

struct PushItem {
  std::string from, to;
  std::optional<Oid> id;   // nothing: delete
  bool is_forced = false;
};

class Pushing {
 public:
  Pushing(Git& git, const PushOptions& options, std::vector<std::string> operands) : git_(git), options_(options), operands_(std::move(operands)) {
    name_ = operands_.empty() ? PushRemote() : operands_[0];
    const auto url = git_.config.Get("remote." + name_ + ".pushurl"), general = git_.config.Get("remote." + name_ + ".url");
    is_remote_ = general.has_value();
    place_ = RewriteUrl(git_.config, url.value_or(general.value_or(name_)), true);
  }

  Result<ExitStatus> Run() {
    if (!is_remote_ && operands_.empty()) {
      return Error(Code::kInvalid, "No configured push destination.\nEither specify the URL from the command-line or configure a remote repository using\n\n    git remote add <name> <url>\n\nand then push using the remote name\n\n    git push <name>\n");
    }
    PADDOCK_ASSIGN(remote_, OpenRemote(git_.in, git_.config, place_));
    // It would be asked whether all this may go out; nothing goes without its word.
    if (!options_.no_verify && HasHook(git_, "pre-push")) return Error(Code::kNotSupported, "the hook pre-push is not supported; --no-verify pushes without it");
    if (options_.verbose) git_.Say("Pushing to " + ShownUrl(place_) + "\n");
    PADDOCK_ASSIGN(theirs_, remote_->ReadRefs(true));
    const Status chosen = Choose();
    if (!chosen && chosen.error().code == Code::kConflict) return git_.Complain("failed to push some refs to '" + ShownUrl(place_) + "'");
    if (!chosen) return chosen.error();
    for (const PushItem& item : items_) PADDOCK_TRY(Judge(item));
    if (!options_.dry_run && !updates_.empty()) PADDOCK_TRY(remote_->Push(git_, updates_, options_.quiet));
    PADDOCK_TRY(TellUpdates());
    if (!text_.empty() && (!options_.quiet || has_failed_)) git_.Say("To " + ShownUrl(place_) + "\n" + text_ + tracked_);
    if (updates_.empty() && !has_failed_ && !options_.quiet) git_.Say("Everything up-to-date\n");
    if (has_failed_) git_.Say("error: failed to push some refs to '" + ShownUrl(place_) + "'\n" + hint_);
    if (options_.upstream && !has_failed_ && !options_.dry_run) PADDOCK_TRY(Track());
    return has_failed_ ? 1 : 0;
  }

 private:
  std::string PushRemote() {
    const std::string branch = ShortRef(git_.HeadBranch().value_or(""));
    const auto special = git_.config.Get("branch." + branch + ".pushremote");
    return special ? *special : git_.config.Get("remote.pushdefault", DefaultRemote(git_));
  }

  Status Choose() {
    const auto take_all = [&](const char* prefix) {
      for (const auto& [ref, id] : git_.refs.List(prefix)) items_.push_back({ref, ref, id, options_.force || options_.mirror});
    };
    for (size_t i = 1; i < operands_.size(); ++i) {
      std::string text = operands_[i];
      if (text == "tag" && i + 1 < operands_.size()) text = "refs/tags/" + operands_[++i];
      PADDOCK_TRY(AddSpec(text));
    }
    if (options_.mirror) {
      take_all("refs/");
      for (const auto& [ref, id] : theirs_.ids) {
        if (ref != "HEAD" && !git_.refs.Exists(ref)) items_.push_back({"", ref, std::nullopt, true});
      }
      return {};
    }
    if (options_.all) take_all("refs/heads/");
    if (options_.tags) take_all("refs/tags/");
    if (options_.deletes && operands_.size() < 2) return Error(Code::kInvalid, "--delete doesn't make sense without any refs");
    if (operands_.size() < 2 && !options_.all && !options_.tags) PADDOCK_TRY(AddCurrent());
    if (options_.follow_tags || git_.config.GetBool("push.followtags", false)) PADDOCK_TRY(FollowTags());
    return {};
  }

  // As push.default says: "simple" when it says nothing.
  Status AddCurrent() {
    const auto specs = git_.config.GetAll("remote." + name_ + ".push");
    for (const std::string& spec : specs) PADDOCK_TRY(AddSpec(spec));
    if (!specs.empty()) return {};
    const std::string mode = git_.config.Get("push.default", "simple");
    if (mode == "nothing") return Error(Code::kInvalid, "You didn't specify any refspecs to push, and push.default is \"nothing\".");
    if (mode == "matching") {
      for (const auto& [ref, id] : git_.refs.List("refs/heads/")) {
        if (theirs_.ids.contains(ref)) items_.push_back({ref, ref, id, options_.force});
      }
      return {};
    }
    const auto branch = git_.HeadBranch();
    if (!branch) {
      return Error(Code::kInvalid, "You are not currently on a branch.\nTo push the history leading to the current (detached HEAD)\nstate now, use\n\n    git push " + name_ + " HEAD:<name-of-remote-branch>\n");
    }
    const std::string current = ShortRef(*branch);
    const auto merge = git_.config.Get("branch." + current + ".merge");
    const bool is_own = git_.config.Get("branch." + current + ".remote", "origin") == name_;
    if (mode == "current" || (mode == "simple" && !is_own && merge)) {
      items_.push_back({*branch, *branch, git_.Head(), options_.force});
      return {};
    }
    const bool takes_any = options_.upstream || git_.config.GetBool("push.autosetupremote", false);
    if (!merge && !takes_any) {
      return Error(Code::kInvalid, "The current branch " + current + " has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream " + name_ + " " + current +
                   "\n\nTo have this happen automatically for branches without a tracking\nupstream, see 'push.autoSetupRemote' in 'git help config'.\n");
    }
    if (merge && *merge != *branch && mode == "simple") {
      return Error(Code::kInvalid, "The upstream branch of your current branch does not match\nthe name of your current branch.  To push to the upstream branch\non the remote, use\n\n    git push " + name_ + " HEAD:" + ShortRef(*merge) +
                   "\n\nTo push to the branch of the same name on the remote, use\n\n    git push " + name_ + " HEAD\n\nTo choose either option permanently, see push.default in 'git help config'.\n");
    }
    items_.push_back({*branch, merge.value_or(*branch), git_.Head(), options_.force});
    return {};
  }

  Status AddSpec(const std::string& text) {
    PADDOCK_ASSIGN(const Refspec spec, ParseRefspec(text));
    const bool is_forced = options_.force || spec.is_forced;
    if (spec.is_pattern()) {
      for (const auto& [ref, id] : git_.refs.List("refs/")) {
        git_.in.budget.Step();
        if (const auto to = spec.Map(ref)) items_.push_back({ref, spec.has_target ? *to : ref, id, is_forced});
      }
      return {};
    }
    PushItem item{.from = options_.deletes ? "" : spec.from, .to = spec.has_target ? spec.to : spec.from, .id = std::nullopt, .is_forced = is_forced};
    if (item.from == "HEAD" && !spec.has_target) item.from = item.to = git_.HeadBranch().value_or("HEAD");
    const auto ref = item.from.empty() ? std::nullopt : FindRef(git_, item.from);
    if (!item.from.empty()) {
      const auto id = ResolveObject(git_, item.from);
      if (!id) {
        git_.Complain("src refspec " + item.from + " does not match any");
        return Error(Code::kConflict);
      }
      item.id = *id;
    }
    if (!item.to.starts_with("refs/")) {
      PADDOCK_ASSIGN(item.to, FullTarget(item, ref));
    }
    if (!IsRefName(item.to)) return Error(Code::kInvalid, "invalid refspec '" + text + "'");
    if (!item.id && !theirs_.ids.contains(item.to)) {
      git_.Complain("unable to delete '" + item.to.substr(item.to.rfind('/') + 1) + "': remote ref does not exist");
      return Error(Code::kConflict);
    }
    if (ref) item.from = *ref;
    items_.push_back(std::move(item));
    return {};
  }

  // "main" as they have it, or as what is pushed is named.
  Result<std::string> FullTarget(const PushItem& item, const std::optional<std::string>& ref) {
    for (const char* const prefix : {"refs/tags/", "refs/heads/"}) {
      if (theirs_.ids.contains(prefix + item.to)) return prefix + item.to;
    }
    if (ref && ref->starts_with("refs/tags/")) return "refs/tags/" + item.to;
    if (ref && (ref->starts_with("refs/heads/") || *ref == "HEAD")) {
      if (*ref != "HEAD" || git_.HeadBranch()) return "refs/heads/" + item.to;
    }
    if (!item.id) return "refs/heads/" + item.to;
    git_.Say("error: The destination you provided is not a full refname (i.e.,\nstarting with \"refs/\"). We tried to guess what you meant by:\n\n- Looking for a ref that matches '" + item.to +
             "' on the remote side.\n- Checking if the <src> being pushed ('" + item.from + "')\n  is a ref in \"refs/{heads,tags}/\". If so we add a corresponding\n  refs/{heads,tags}/ prefix on the remote side.\n\n"
             "Neither worked, so we gave up. You must fully qualify the ref.\n");
    if (const auto object = git_.objects.Read(*item.id)) {
      const bool is_commit = object->type == ObjectType::kCommit;
      const std::string type(TypeName(object->type)), target = item.from + ":refs/" + (is_commit ? "heads/" : "tags/") + item.to;
      git_.Say("hint: The <src> part of the refspec is a " + type + " object.\nhint: Did you mean to " +
               (is_commit ? "create a new branch" : object->type == ObjectType::kTag ? "create a new tag" : "tag a new " + type) + " by pushing to\nhint: '" + target + "'?\n");
    }
    return Error(Code::kConflict);
  }

  Status FollowTags() {
    History history(git_);
    std::vector<Oid> pushed;
    for (const PushItem& item : items_) {
      const auto commit = item.id ? git_.objects.Peel(*item.id, ObjectType::kCommit) : Result<Oid>(Error(Code::kNoEntry));
      if (commit) pushed.push_back(*commit);
    }
    PADDOCK_ASSIGN(const std::set<Oid> reached, history.Ancestors(pushed));
    for (const auto& [ref, id] : git_.refs.List("refs/tags/")) {
      const auto commit = git_.objects.Peel(id, ObjectType::kCommit);
      const bool is_annotated = commit && *commit != id;
      if (is_annotated && reached.contains(*commit) && !theirs_.ids.contains(ref)) items_.push_back({ref, ref, id, false});
    }
    return {};
  }

  // The reference that was fetched from theirs.
  std::optional<std::string> Tracking(const std::string& ref) {
    if (!is_remote_) return std::nullopt;
    for (const std::string& text : git_.config.GetAll("remote." + name_ + ".fetch")) {
      const auto spec = ParseRefspec(text);
      if (!spec || spec->is_negative) continue;
      if (auto local = spec->Map(ref); local && IsRefName(*local)) return local;
    }
    return std::nullopt;
  }

  // Whether --force-with-lease speaks of it, and what it expects there.
  std::optional<Oid> Lease(const std::string& ref) {
    for (const std::string& lease : options_.leases) {
      const size_t colon = lease.find(':');
      const std::string name = lease.substr(0, colon);
      if (name != ref && name != ShortRef(ref)) continue;
      if (colon == std::string::npos) break;
      if (colon + 1 == lease.size()) return Oid{};
      const auto id = ResolveObject(git_, lease.substr(colon + 1));
      return id ? *id : Oid{};
    }
    const bool is_meant = options_.has_lease && (options_.leases.empty() || std::any_of(options_.leases.begin(), options_.leases.end(), [&ref](const std::string& lease) { return lease == ref || lease == ShortRef(ref); }));
    if (!is_meant) return std::nullopt;
    const auto local = Tracking(ref);
    return local ? git_.refs.Read(*local).value_or(Oid{}) : Oid{};
  }

  void Reject(const std::string& from, const std::string& to, const std::string& why) {
    text_ += ChangeLine('!', "[rejected]", from, to, " (" + why + ")", 0);
    has_failed_ = true;
  }

  // Sorts an item: nothing to do, refused here, or for the other side.
  Status Judge(const PushItem& item) {
    git_.in.budget.Step();
    const auto found = theirs_.ids.find(item.to);
    const std::optional<Oid> old = found == theirs_.ids.end() ? std::nullopt : std::optional(found->second);
    const std::string from = ShortRef(item.from), to = ShortRef(item.to);
    if (old == item.id) {
      const auto tracking = Tracking(item.to);
      if (options_.verbose && tracking) tracked_ += "updating local tracking ref '" + *tracking + "'\n";
      if (options_.verbose) text_ += ChangeLine('=', "[up to date]", from, to, "", 0);
      return {};
    }
    bool is_forced = item.is_forced;
    if (const auto expected = Lease(item.to)) {
      if (old.value_or(Oid{}) != *expected) {
        Reject(from, to, "stale info");
        return {};
      }
      is_forced = true;
    }
    bool is_forward = true;
    if (old && item.id && item.to.starts_with("refs/heads/")) {
      History history(git_);
      is_forward = git_.objects.Has(*old);
      if (is_forward) {
        PADDOCK_ASSIGN(is_forward, history.IsAncestor(*old, *item.id));
      }
    }
    if (!is_forward && !is_forced) {
      const bool is_known = git_.objects.Has(*old);
      Reject(from, to, is_known ? "non-fast-forward" : "fetch first");
      const bool is_current = git_.HeadBranch() == item.from;
      hint_ = !is_known ? "hint: Updates were rejected because the remote contains work that you do\nhint: not have locally. This is usually caused by another repository pushing\nhint: to the same ref. You may want to first integrate the remote changes\nhint: (e.g., 'git pull ...') before pushing again.\n"
              : is_current ? "hint: Updates were rejected because the tip of your current branch is behind\nhint: its remote counterpart. Integrate the remote changes (e.g.\nhint: 'git pull ...') before pushing again.\n"
                           : "hint: Updates were rejected because a pushed branch tip is behind its remote\nhint: counterpart. Check out this branch and integrate the remote changes\nhint: (e.g. 'git pull ...') before pushing again.\n";
      hint_ += "hint: See the 'Note about fast-forwards' in 'git push --help' for details.\n";
      return {};
    }
    if (old && item.id && item.to.starts_with("refs/tags/") && !is_forced) {
      Reject(from, to, "already exists");
      hint_ = "hint: Updates were rejected because the tag already exists in the remote.\n";
      return {};
    }
    updates_.push_back({item.to, old.value_or(Oid{}), item.id.value_or(Oid{}), ""});
    sent_.push_back({from, is_forward, item.from});
    return {};
  }

  Status TellUpdates() {
    for (size_t i = 0; i < updates_.size(); ++i) {
      const RefUpdate& update = updates_[i];
      const std::string to = ShortRef(update.ref);
      if (!update.refusal.empty()) {
        text_ += update.after.is_null() ? " ! [remote rejected] " + to + " (" + update.refusal + ")\n" : ChangeLine('!', "[remote rejected]", sent_[i].shown, to, " (" + update.refusal + ")", 0);
        has_failed_ = true;
        continue;
      }
      const auto tracking = options_.dry_run ? std::nullopt : Tracking(update.ref);
      if (update.after.is_null()) {
        text_ += " - [deleted]         " + to + "\n";
        if (tracking) PADDOCK_TRY(git_.refs.Remove(*tracking));
        continue;
      }
      if (update.before.is_null()) {
        text_ += ChangeLine('*', update.ref.starts_with("refs/tags/") ? "[new tag]" : update.ref.starts_with("refs/heads/") ? "[new branch]" : "[new reference]", sent_[i].shown, to, "", 0);
      } else {
        const bool is_forward = sent_[i].is_forward;
        const std::string before = git_.objects.Has(update.before) ? git_.objects.Abbreviate(update.before) : update.before.Hex().substr(0, 7);
        text_ += ChangeLine(is_forward ? ' ' : '+', before + (is_forward ? ".." : "...") + git_.objects.Abbreviate(update.after), sent_[i].shown, to, is_forward ? "" : " (forced update)", 0);
      }
      if (tracking && options_.verbose) tracked_ += "updating local tracking ref '" + *tracking + "'\n";
      if (tracking) PADDOCK_TRY(git_.refs.Write(*tracking, update.after, git_.Who(), "update by push"));
    }
    return {};
  }

  Status Track() {
    for (const PushItem& item : items_) {
      if (!item.from.starts_with("refs/heads/") || !is_remote_) continue;
      PADDOCK_TRY(EditConfigFile(git_, "branch." + ShortRef(item.from) + ".remote", name_));
      PADDOCK_TRY(EditConfigFile(git_, "branch." + ShortRef(item.from) + ".merge", item.to));
      if (!options_.quiet) git_.Print("branch '" + ShortRef(item.from) + "' set up to track '" + name_ + "/" + ShortRef(item.to) + "'.\n");
    }
    return {};
  }

  struct Sent {
    std::string shown;   // as the line of the change names it
    bool is_forward;
    std::string from;
  };
  Git& git_;
  const PushOptions& options_;
  std::vector<std::string> operands_;
  std::string name_, place_;
  bool is_remote_ = false, has_failed_ = false;
  std::unique_ptr<Remote> remote_;
  RemoteRefs theirs_;
  std::vector<PushItem> items_;
  std::vector<RefUpdate> updates_;
  std::vector<Sent> sent_;   // of each update
  std::string text_, hint_;
  std::string tracked_;   // what -v says of references here
};

Result<ExitStatus> RunPush(Git& git, PushOptions& options, Args& args) { return Pushing(git, options, args.All()).Run(); }

}  // namespace

extern const Subcommand kPush;
const Subcommand kPush = DefineSubcommand<PushOptions, RunPush>({.name = "push", .summary = "give branches and tags to another repository", .synopsis = "[<options>] [<repository> [<refspec>...]]", .options = kOptions});

}  // namespace paddock::git
