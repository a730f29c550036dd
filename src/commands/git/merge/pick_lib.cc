#include "commands/git/merge/pick.h"

#include "commands/git/work/commit.h"
#include "commands/git/work/worktree.h"
#include "proc/process.h"

namespace paddock::git {

Result<Pick> ApplyPick(Git& git, const Oid& id, const std::optional<Oid>& head, const PickOptions& options) {
  Pick pick;
  PADDOCK_ASSIGN(pick.commit, git.objects.ReadCommit(id));
  const Commit& commit = pick.commit;
  const std::string failed = options.reverts ? "revert failed" : "cherry-pick failed";
  if (commit.parents.size() > 1 && options.mainline == 0) {
    git.Complain("commit " + id.Hex() + " is a merge but no -m option was given.");
    return Error(Code::kInvalid, failed);
  }
  if (options.mainline > 1 && options.mainline > static_cast<int64_t>(commit.parents.size()) && commit.parents.size() > 1) {
    git.Complain("commit " + id.Hex() + " does not have parent " + std::to_string(options.mainline));
    return Error(Code::kInvalid, failed);
  }
  if (options.mainline > 1 && commit.parents.size() < 2) {
    git.Complain("mainline was specified but commit " + id.Hex() + " is not a merge.");
    return Error(Code::kInvalid, failed);
  }
  FlatTree before;
  if (!commit.parents.empty()) {
    PADDOCK_ASSIGN(before, git.FlattenCommit(commit.parents[options.mainline > 0 ? static_cast<size_t>(options.mainline - 1) : 0]));
  }
  PADDOCK_ASSIGN(FlatTree after, git.Flatten(commit.tree));
  if (head) {
    PADDOCK_ASSIGN(pick.ours, git.FlattenCommit(*head));
  }
  if (options.checks_index || options.takes_index) {
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    if (index.HasConflicts()) {
      git.Say(std::string("error: ") + (options.reverts ? "Reverting" : "Cherry-picking") + " is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\n");
      return Error(Code::kInvalid, failed);
    }
    const FlatTree staged = IndexFiles(index);
    if (options.checks_index && staged != pick.ours) {
      git.Say("error: your local changes would be overwritten by " + std::string(options.reverts ? "revert" : "cherry-pick") + ".\nhint: commit your changes or stash them to proceed.\n");
      return Error(Code::kInvalid, failed);
    }
    pick.ours = staged;
  }
  const std::string label = git.objects.Abbreviate(id) + " (" + SubjectOf(commit.message) + ")";
  const std::string of_parent = commit.parents.empty() ? "(empty tree)" : "parent of " + label;
  if (options.reverts) {
    PADDOCK_ASSIGN(pick.merge, MergeTrees(git, std::move(after), pick.ours, std::move(before), {"HEAD", of_parent, label}, options.style));
  } else {
    PADDOCK_ASSIGN(pick.merge, MergeTrees(git, std::move(before), pick.ours, std::move(after), {"HEAD", label, of_parent}, options.style));
  }
  PADDOCK_ASSIGN(pick.is_applied, ApplyMerge(git, pick.ours, pick.merge, options.reverts ? "revert" : "cherry-pick"));
  if (pick.is_applied && (!options.tells_conflicts_only || !pick.merge.conflicts.empty())) git.Print(pick.merge.messages);
  return pick;
}

Result<bool> ForwardTo(Git& git, const Oid& id, const std::string& message) {
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  FlatTree from;
  if (const auto head = git.Head()) {
    PADDOCK_ASSIGN(from, git.FlattenCommit(*head));
  }
  PADDOCK_ASSIGN(const FlatTree to, git.FlattenCommit(id));
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, from, to, index, "merge", false));
  if (!done) return false;
  PADDOCK_TRY(git.WriteIndex(index));
  PADDOCK_TRY(git.refs.Write("HEAD", id, git.Who(), message));
  return true;
}

ExitStatus RunGit(Git& git, std::vector<std::string> args, const Environment* environment) {
  git.in.out.Flush();
  args.insert(args.begin(), "git");
  ChildSpec spec{.args = std::move(args), .environment = environment == nullptr ? &git.in.env : environment};
  const auto status = git.in.launcher.Run(git.in.process, spec);
  return status ? *status : 128;
}

std::string NowEmptyText(std::string_view command) {
  return "The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git " + std::string(command) + " --skip'\n";
}

}  // namespace paddock::git
