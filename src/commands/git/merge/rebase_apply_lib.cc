// A rebase by patches, which git am carries over.
#include "commands/git/merge/rebase.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

constexpr std::string_view kAdvice =
    "Resolve all conflicts manually, mark them as resolved with\n\"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\n"
    "You can instead skip this commit: run \"git rebase --skip\".\nTo abort and get back to the state before \"git rebase\", run \"git rebase --abort\".";

}  // namespace

bool Rebase::IsUnderWayByPatches(Git& git) { return git.in.fs.Stat(git.GitPath("rebase-apply/rebasing")).has_value(); }

Result<ExitStatus> Rebase::ApplyPatches(const std::vector<Oid>& commits, const std::vector<std::string>& words) {
  if (commits.empty()) return Finish();
  // The mails name the commits, which am looks up.
  const std::string path = git_.GitPath("rebased-patches");
  std::string mails;
  for (const Oid& id : commits) mails += "From " + id.Hex() + " Mon Sep 17 00:00:00 2001\n\n";
  PADDOCK_TRY(vfs::WriteFile(git_.in.fs, path, mails));
  std::vector<std::string> command = {"am", "--rebasing", "--patch-format=mbox"};
  command.insert(command.end(), words.begin(), words.end());
  command.push_back(path);
  auto status = RunAm(std::move(command));
  static_cast<void>(git_.in.fs.RemoveFile(path).has_value());
  return status;
}

Result<ExitStatus> Rebase::ResumePatches(const std::string& verb) {
  if (verb == "--resolved") {
    PADDOCK_ASSIGN(const bool is_resolved, IsResolved());
    if (!is_resolved) return 1;
  }
  return RunAm({"am", verb});
}

Result<ExitStatus> Rebase::RunAm(std::vector<std::string> command) {
  Environment environment = git_.in.env;
  environment.Set("GIT_REFLOG_ACTION", "rebase (pick)");
  command.insert(command.begin() + 1, "--resolvemsg=" + std::string(kAdvice));
  const ExitStatus status = RunGit(git_, std::move(command), &environment);
  if (status == 0) return Finish();
  if (git_.in.fs.Stat(Path(""))) PADDOCK_TRY(WriteBasics());
  return 1;
}

}  // namespace paddock::git
