// The other side of a push to a repository of this sandbox: what git receive-pack does.
#include <algorithm>

#include "commands/git/hook_input.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/remote.h"
#include "commands/git/remote/remote_answer.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

constexpr std::string_view kUnconfiguredDeny =
    "By default, updating the current branch in a non-bare repository\nis denied, because it will make the index and work tree inconsistent\nwith what you pushed, and will require 'git reset --hard' to match\n"
    "the work tree to HEAD.\n\nYou can set the 'receive.denyCurrentBranch' configuration variable\nto 'ignore' or 'warn' in the remote repository to allow pushing into\nits current branch; however, this is not recommended unless you\n"
    "arranged to update its work tree to match what you pushed in some\nother way.\n\nTo squelch this message and still keep the default behaviour, set\n'receive.denyCurrentBranch' configuration variable to 'refuse'.\n";
constexpr std::string_view kUnconfiguredDelete =
    "By default, deleting the current branch is denied, because the next\n'git clone' won't result in any file checked out, causing confusion.\n\nYou can set 'receive.denyDeleteCurrent' configuration variable to\n"
    "'warn' or 'ignore' in the remote repository to allow deleting the\ncurrent branch, with or without a warning message.\n\nTo squelch this message, you can set it to 'refuse'.\n";

class Receiving {
 public:
  Receiving(Git& there, Git& git, std::vector<RefUpdate>& updates, const PushRequest& request)
      : there_(there), git_(git), updates_(updates), request_(request), messages_(git.in.err, false) {
    if (const size_t count = there.git_dir.size(); !there.config.GetBool("core.bare", false)) {
      if (there.git_dir.ends_with("/.git")) tree_ = there.git_dir.substr(0, count == 5 ? 1 : count - 5);
    }
  }

  Status Run() {
    if (request_.sends_options && !there_.config.GetBool("receive.advertisepushoptions", false)) return Error(Code::kNotSupported, "the receiving end does not support push options\nfatal: the remote end hung up unexpectedly");
    PADDOCK_TRY(TakeObjects());
    std::vector<std::pair<std::string, std::string>> environment;
    environment.emplace_back("GIT_PUSH_OPTION_COUNT", std::to_string(request_.options.size()));
    for (size_t i = 0; i < request_.options.size(); ++i) environment.emplace_back("GIT_PUSH_OPTION_" + std::to_string(i), request_.options[i]);
    if (Call({.name = "pre-receive", .args = {}, .input = Lines(), .environment = environment, .is_receiving = true}) != 0) {
      for (RefUpdate& update : updates_) Refuse(update, "pre-receive hook declined");
      ForgetObjects();
      return {};
    }
    if (request_.is_atomic) PADDOCK_TRY(ChangeAll());
    else {
      for (RefUpdate& update : updates_) {
        if (!update.refusal.empty()) continue;
        PADDOCK_TRY(Judge(update));
        if (update.refusal.empty()) PADDOCK_TRY(Change(update));
      }
    }
    if (const std::string lines = Lines(); !lines.empty()) {
      Call({.name = "post-receive", .args = {}, .input = lines, .environment = environment, .is_receiving = true});
      HookCall last{.name = "post-update", .args = {}, .input = "", .environment = {}, .is_receiving = true};
      for (const RefUpdate& update : updates_) {
        if (update.refusal.empty()) last.args.push_back(update.ref);
      }
      Call(last);
    }
    return {};
  }

 private:
  void Tell(std::string_view text) { messages_.Take(text); }
  static void Refuse(RefUpdate& update, std::string_view why) { update.refusal = why; }

  ExitStatus Call(const HookCall& call) {
    std::string output;
    const ExitStatus status = RunHookWithInput(there_, call, &output);
    Tell(output);
    return status;
  }

  // What the hooks read: of those that nobody has refused.
  std::string Lines() const {
    std::string lines;
    for (const RefUpdate& update : updates_) {
      if (update.refusal.empty()) lines += update.before.Hex() + " " + update.after.Hex() + " " + update.ref + "\n";
    }
    return lines;
  }

  Status TakeObjects() {
    std::vector<Oid> wanted;
    for (const RefUpdate& update : updates_) {
      if (!update.after.is_null()) wanted.push_back(update.after);
    }
    int64_t limit = 100;
    if (const auto text = there_.config.Get("receive.unpacklimit")) PADDOCK_TRY(ParseOptionValue(*text, limit));
    PADDOCK_ASSIGN(written_, CopyObjects(git_.in, git_.objects, there_.objects, wanted, static_cast<size_t>(std::max<int64_t>(limit, 0))));
    if (request_.shows_progress) {
      const size_t count = written_.size();
      if (count > 0) {
        git_.in.err.Write("Enumerating objects: " + std::to_string(count) + ", done.\n");
        ShowProgress(git_.in, "", "Counting objects", count);
        ShowProgress(git_.in, "", "Writing objects", count);
      }
      git_.in.err.Write("Total " + std::to_string(count) + " (delta 0), reused 0 (delta 0), pack-reused 0\n");
    }
    return {};
  }
  // What was refused as a whole leaves nothing behind.
  void ForgetObjects() {
    for (const Oid& id : written_) there_.objects.RemoveLoose(id);
  }

  // Whether the rules and the hook let it pass.
  Status Judge(RefUpdate& update) {
    git_.in.budget.Step();
    if (!IsRefName(update.ref) || !update.ref.starts_with("refs/")) {
      Refuse(update, "funny refname");
      return {};
    }
    const bool deletes = update.after.is_null(), is_current = there_.HeadBranch() == update.ref;
    PADDOCK_TRY(JudgeCurrent(update, deletes, is_current));
    if (!update.refusal.empty()) return {};
    if (!update.before.is_null() && deletes && update.ref.starts_with("refs/heads/")) {
      if (there_.config.GetBool("receive.denydeletes", false)) {
        Tell("error: denying ref deletion for " + update.ref + "\n");
        Refuse(update, "deletion prohibited");
        return {};
      }
      if (is_current) {
        JudgeDeletion(update);
        if (!update.refusal.empty()) return {};
      }
    }
    if (there_.config.GetBool("receive.denynonfastforwards", false) && !update.before.is_null() && !deletes && update.ref.starts_with("refs/heads/")) {
      History history(there_);
      PADDOCK_ASSIGN(const bool is_forward, history.IsAncestor(update.before, update.after));
      if (!is_forward) {
        Tell("error: denying non-fast-forward " + update.ref + " (you should pull first)\n");
        Refuse(update, "non-fast-forward");
        return {};
      }
    }
    if (Call({.name = "update", .args = {update.ref, update.before.Hex(), update.after.Hex()}, .input = "", .environment = {}, .is_receiving = true}) != 0) {
      Tell("error: hook declined to update " + update.ref + "\n");
      Refuse(update, "hook declined");
    }
    return {};
  }

  Status JudgeCurrent(RefUpdate& update, bool deletes, bool is_current) {
    if (!is_current || tree_.empty()) return {};
    const std::string rule = there_.config.Get("receive.denycurrentbranch", "");
    if (rule == "updateInstead" || rule == "updateinstead") {
      must_checkout_ = !deletes;
      return {};
    }
    const auto denies = ParseConfigBool(rule);
    if (rule == "warn") {
      Tell("warning: updating the current branch\n");
    } else if (rule.empty() || rule == "refuse" || denies == true) {
      Tell("error: refusing to update checked out branch: " + update.ref + "\n");
      if (rule.empty()) Tell("error: " + std::string(kUnconfiguredDeny));
      Refuse(update, "branch is currently checked out");
    }
    return {};
  }

  void JudgeDeletion(RefUpdate& update) {
    const std::string rule = there_.config.Get("receive.denydeletecurrent", "");
    if (rule == "warn") {
      Tell("warning: deleting the current branch\n");
    } else if (rule.empty() || rule == "refuse" || ParseConfigBool(rule) == true) {
      if (rule.empty()) Tell("error: " + std::string(kUnconfiguredDelete));
      Tell("error: refusing to delete the current branch: " + update.ref + "\n");
      Refuse(update, "deletion of the current branch prohibited");
    }
  }

  // receive.denyCurrentBranch=updateInstead: the working tree there follows, if nothing was changed in it.
  Status FollowTree(RefUpdate& update) {
    Git other(git_.in, there_.git_dir, tree_, false);
    other.config = there_.config;
    if (HasOwnCheckout(other, update)) return {};
    const auto differs = [&](std::vector<std::string> words) {
      Environment environment = git_.in.env;
      environment.Unset("GIT_DIR");
      std::vector<std::string> args = {"git", "-C", tree_, "diff", "--quiet"};
      args.insert(args.end(), words.begin(), words.end());
      ChildSpec spec{.args = std::move(args), .environment = &environment};
      const auto status = git_.in.launcher.Run(git_.in.process, spec);
      return !status || *status != 0;
    };
    if (differs({})) Refuse(update, "Working directory has unstaged changes");
    else if (there_.Head() && differs({"--cached", "HEAD"})) Refuse(update, "Working directory has staged changes");
    if (!update.refusal.empty()) return {};
    FlatTree from;
    if (const auto head = there_.Head()) {
      PADDOCK_ASSIGN(from, other.FlattenCommit(*head));
    }
    PADDOCK_ASSIGN(const FlatTree to, other.FlattenCommit(update.after));
    PADDOCK_ASSIGN(Index index, other.ReadIndex());
    PADDOCK_ASSIGN(const bool done, SwitchFiles(other, from, to, index, "checkout", false));
    if (!done) Refuse(update, "Could not update working tree to new HEAD");
    return done ? other.WriteIndex(index) : Status();
  }
  // The hook push-to-checkout does it in the place of that.
  bool HasOwnCheckout(Git& other, RefUpdate& update) {
    if (!other.in.fs.Stat(other.GitPath("hooks/push-to-checkout"))) return false;
    if (Call({.name = "push-to-checkout", .args = {update.after.Hex()}, .input = "", .environment = {{"GIT_WORK_TREE", tree_}}, .is_receiving = true}) != 0) Refuse(update, "push-to-checkout hook declined");
    return true;
  }

  Status Change(RefUpdate& update) {
    if (must_checkout_) {
      must_checkout_ = false;
      PADDOCK_TRY(FollowTree(update));
      if (!update.refusal.empty()) return {};
    }
    if (update.after.is_null()) {
      if (!there_.refs.Exists(update.ref)) Tell("warning: deleting a non-existent ref\n");
      return there_.refs.Remove(update.ref);
    }
    if (update.ref.starts_with("refs/heads/")) {
      PADDOCK_ASSIGN(const Object object, there_.objects.Read(update.after));
      if (object.type != ObjectType::kCommit) {
        Tell("error: cannot update ref '" + update.ref + "': trying to write non-commit object " + update.after.Hex() + " to branch '" + update.ref + "'\n");
        Refuse(update, "failed to update ref");
        return {};
      }
    }
    // A branch of a repository with a working tree has a log.
    const bool has_log = !tree_.empty() || there_.config.GetBool("core.logallrefupdates", false);
    const Status done = has_log ? there_.refs.Write(update.ref, update.after, git_.Who(), "push") : there_.refs.WriteDirect(update.ref, update.after);
    if (!done) {
      Tell("error: " + std::string(done.error().Text()) + "\n");
      Refuse(update, "failed to update ref");
    }
    return {};
  }

  Status ChangeAll() {
    bool has_failed = false, is_changing = false;
    for (RefUpdate& update : updates_) {
      PADDOCK_TRY(Judge(update));
      has_failed = has_failed || !update.refusal.empty();
      if (has_failed) break;
    }
    if (!has_failed) {
      is_changing = true;
      for (RefUpdate& update : updates_) {
        PADDOCK_TRY(Change(update));
        has_failed = has_failed || !update.refusal.empty();
        if (has_failed) break;
      }
    }
    if (!has_failed) return {};
    // What was changed is set back.
    for (RefUpdate& update : updates_) {
      if (!update.refusal.empty() && !is_changing) continue;
      Refuse(update, is_changing ? "atomic transaction failed" : "atomic push failure");
      if (there_.refs.Read(update.ref).value_or(Oid{}) == update.before) continue;
      PADDOCK_TRY(update.before.is_null() ? there_.refs.Remove(update.ref) : there_.refs.WriteDirect(update.ref, update.before));
    }
    return {};
  }

  Git& there_;
  Git& git_;
  std::vector<RefUpdate>& updates_;
  const PushRequest& request_;
  RemoteMessages messages_;
  std::string tree_;             // the working tree there; empty for a bare repository
  std::vector<Oid> written_;
  bool must_checkout_ = false;
};

}  // namespace

Status ReceivePush(Git& there, Git& git, std::vector<RefUpdate>& updates, const PushRequest& request) { return Receiving(there, git, updates, request).Run(); }

}  // namespace paddock::git
