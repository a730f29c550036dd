// Going on with a rebase that stopped, and giving it up.
#include "commands/git/merge/rebase.h"
#include "commands/git/merge/rerere.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/stash.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {

Result<bool> Rebase::IsResolved() {
  PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
  PADDOCK_ASSIGN(const std::vector<FileDiff> unstaged, CompareWithFiles(git_, IndexFiles(index), index));
  TellUnmerged(git_, index);
  if (!index.HasConflicts() && unstaged.empty()) return true;
  git_.Print("You must edit all merge conflicts and then\nmark them as resolved using git add\n");
  return false;
}

// What is in the index becomes part of a commit. Other than 0: it does not.
Result<ExitStatus> Rebase::CommitStaged() {
  PADDOCK_ASSIGN(const bool is_resolved, IsResolved());
  if (!is_resolved) return 1;
  PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(head));
  PADDOCK_ASSIGN(const FlatTree files, git_.Flatten(commit.tree));
  const bool is_clean = CompareTrees(files, IndexFiles(index)).empty();
  const std::string to_amend = ReadFile("amend");
  bool amends = false;
  if (!to_amend.empty()) {
    if (!is_clean && to_amend.substr(0, 40) != head.Hex()) {
      return git_.Complain("\nYou have uncommitted changes in your working tree. Please, commit them\nfirst and then run 'git rebase --continue' again.");
    }
    amends = true;
  }
  if (is_clean) {
    static_cast<void>(git_.in.fs.RemoveFile(git_.GitPath("MERGE_MSG")).has_value());
    // A chain of fixups whose last one was skipped ends with what there is.
    if (!Has("current-fixups") || (!todo.empty() && todo.front().IsFixup())) return 0;
    for (const char* name : {"message-fixup", "message-squash", "current-fixups"}) RemoveFile(name);
    return 0;
  }
  Commit like = commit;
  std::string message = ReadFile("message");
  const TodoItem* stopped = done.empty() ? nullptr : &done.back();
  if (!amends && stopped != nullptr && stopped->commit) {
    PADDOCK_ASSIGN(like, git_.objects.ReadCommit(*stopped->commit));
  }
  const bool in_chain = Has("current-fixups");
  const bool is_last = in_chain && (todo.empty() || !todo.front().IsFixup());
  if (amends && !in_chain) message = commit.message;
  if (in_chain && is_last && Has("message-fixup")) message = ReadFile("message-fixup");
  if (message.empty()) message = like.message;
  if (in_chain && !is_last) {
    PADDOCK_ASSIGN(const ExitStatus status, Commit_(like, message, amends, false, "rebase (continue)"));
    return status;
  }
  PADDOCK_ASSIGN(const ExitStatus status, Commit_(like, message, amends, !(in_chain && Has("message-fixup")), "rebase (continue)"));
  if (status != 0) return git_.Complain("could not commit staged changes.");
  RemoveFile("amend");
  if (is_last) {
    for (const char* name : {"message-fixup", "message-squash", "current-fixups"}) RemoveFile(name);
  }
  return 0;
}

Result<ExitStatus> Rebase::Continue() {
  PADDOCK_ASSIGN(const ExitStatus status, CommitStaged());
  if (status != 0) return status == 128 ? 128 : 1;
  if (const auto stopped = Oid::FromHex(std::string_view(ReadFile("stopped-sha")).substr(0, 40))) PADDOCK_TRY(Rewrote(*stopped));
  return Run();
}

Result<ExitStatus> Rebase::Skip() {
  ForgetConflicts(git_);
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  PADDOCK_ASSIGN(Index index, git_.ReadIndex());
  PADDOCK_ASSIGN(const FlatTree files, git_.FlattenCommit(head));
  PADDOCK_ASSIGN(const bool is_done, SwitchFiles(git_, {}, files, index, "reset", true));
  if (!is_done) return Error(Code::kInvalid, "could not discard worktree changes");
  PADDOCK_TRY(git_.WriteIndex(index));
  ForgetMerge(git_);
  PADDOCK_ASSIGN(const ExitStatus status, CommitStaged());
  return status == 0 ? Run() : Result<ExitStatus>(1);
}

Result<ExitStatus> Rebase::Abort() {
  ForgetConflicts(git_);
  PADDOCK_ASSIGN(Index index, git_.ReadIndex());
  const FlatTree known = IndexFiles(index);
  PADDOCK_ASSIGN(const FlatTree files, git_.FlattenCommit(state.orig_head));
  // A file that git does not know is not thrown away.
  std::string obstacles;
  for (const auto& [path, item] : files) {
    if (known.contains(path) || index.Find(path, 1) != nullptr || index.Find(path, 2) != nullptr || index.Find(path, 3) != nullptr) continue;
    PADDOCK_ASSIGN(const auto file, StageFile(git_, path, false));
    if (file && file->id != item.id && !IsIgnored(git_, path, false)) obstacles += "\t" + path + "\n";
  }
  if (!obstacles.empty()) {
    git_.Say("error: The following untracked working tree files would be overwritten by reset:\n" + obstacles + "Please move or remove them before you reset.\nAborting\n");
    return Error(Code::kInvalid, "could not move back to " + state.orig_head.Hex());
  }
  PADDOCK_ASSIGN(const bool is_done, SwitchFiles(git_, {}, files, index, "reset", true));
  if (!is_done) return Error(Code::kInvalid, "could not move back to " + state.orig_head.Hex());
  PADDOCK_TRY(git_.WriteIndex(index));
  const Oid before = git_.Head().value_or(Oid{});
  const bool has_branch = state.head_name.starts_with("refs/");
  if (has_branch) PADDOCK_TRY(git_.refs.WriteSymbolic("HEAD", state.head_name));
  else PADDOCK_TRY(git_.refs.WriteDirect("HEAD", state.orig_head));
  PADDOCK_TRY(git_.refs.Log("HEAD", before, state.orig_head, git_.Who(), "rebase (abort): returning to " + (has_branch ? state.head_name : state.orig_head.Hex())));
  ForgetMerge(git_);
  PADDOCK_TRY(ApplyAutostash(git_, Name("autostash")));
  static_cast<void>(git_.in.fs.RemoveFile(git_.GitPath("REBASE_HEAD")).has_value());
  RemoveState();
  return 0;
}

Status Rebase::Quit() {
  PADDOCK_TRY(KeepAutostash(git_, Name("autostash")));
  static_cast<void>(git_.in.fs.RemoveFile(git_.GitPath("REBASE_HEAD")).has_value());
  RemoveState();
  return {};
}

}  // namespace paddock::git
