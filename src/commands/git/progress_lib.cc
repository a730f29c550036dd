#include "commands/git/progress.h"

#include <vector>

#include "commands/git/refs/revision.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

std::string FirstLine(Git& git, const char* name) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath(name), 16 << 20);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

// The lines of a list of a rebase, with short ids.
std::vector<std::string> TodoLines(Git& git, const char* name) {
  std::vector<std::string> lines;
  const auto read = vfs::ReadFile(git.in.fs, git.GitPath(name), 64 << 20);
  const std::string text = read ? *read : std::string();
  for (std::string_view line : SplitLines(text)) {
    git.in.budget.Step();
    while (line.ends_with('\n')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    std::string shown(line);
    const size_t space = line.find(' ');
    const size_t at = space == std::string_view::npos ? space : line.substr(space + 1).starts_with("-") ? space + 4 : space + 1;
    if (at != std::string_view::npos && at + 40 <= line.size()) {
      if (const auto id = Oid::FromHex(line.substr(at, 40))) shown = std::string(line.substr(0, at)) + git.objects.Abbreviate(*id) + std::string(line.substr(at + 40));
    }
    lines.push_back(std::move(shown));
  }
  return lines;
}

// Where a rebase by merges or by patches keeps its state; empty when there is none.
std::string RebaseFolder(Git& git) {
  if (git.in.fs.Stat(git.GitPath("rebase-merge"))) return "rebase-merge";
  return git.in.fs.Stat(git.GitPath("rebase-apply/rebasing")) ? "rebase-apply" : "";
}

std::string OntoText(Git& git) {
  const auto onto = Oid::FromHex(FirstLine(git, (RebaseFolder(git) + "/onto").c_str()));
  return onto ? git.objects.Abbreviate(*onto) : std::string();
}

// Whether the commit that was to be edited was taken back, to become several.
bool IsSplitting(Git& git) {
  const auto head = git.Head(), orig = git.refs.Read("ORIG_HEAD");
  const std::string amend = FirstLine(git, "rebase-merge/amend"), before = FirstLine(git, "rebase-merge/orig-head");
  if (!head || !orig || amend.empty() || before.empty()) return false;
  return amend == before ? head->Hex() != amend : orig->Hex() != before;
}

std::string RebaseText(Git& git, bool has_conflicts) {
  std::string where;
  if (const std::string branch = FirstLine(git, (RebaseFolder(git) + "/head-name").c_str()); branch.starts_with("refs/heads/")) where = " branch '" + branch.substr(11) + "' on '" + OntoText(git) + "'";
  if (has_conflicts) {
    return "You are currently rebasing" + where + ".\n  (fix conflicts and then run \"git rebase --continue\")\n  (use \"git rebase --skip\" to skip this patch)\n  (use \"git rebase --abort\" to check out the original branch)\n\n";
  }
  if (RebaseFolder(git) == "rebase-apply" || git.in.fs.Stat(git.GitPath("MERGE_MSG"))) return "You are currently rebasing" + where + ".\n  (all conflicts fixed: run \"git rebase --continue\")\n\n";
  const std::string during = where.empty() ? " during a rebase.\n" : " while rebasing" + where + ".\n";
  if (IsSplitting(git)) return "You are currently splitting a commit" + during + "  (Once your working directory is clean, run \"git rebase --continue\")\n\n";
  return "You are currently editing a commit" + during + "  (use \"git commit --amend\" to amend the current commit)\n  (use \"git rebase --continue\" once you are satisfied with your changes)\n\n";
}

std::string OperationText(Git& git, bool has_conflicts) {
  const auto exists = [&git](const char* name) { return git.in.fs.Stat(git.GitPath(name)).has_value(); };
  const auto short_id = [&git](const char* name) {
    const auto id = git.refs.Read(name);
    return id ? git.objects.Abbreviate(*id) : std::string();
  };
  if (exists("MERGE_HEAD")) {
    return has_conflicts ? "You have unmerged paths.\n  (fix conflicts and run \"git commit\")\n  (use \"git merge --abort\" to abort the merge)\n\n"
                         : "All conflicts fixed but you are still merging.\n  (use \"git commit\" to conclude merge)\n\n";
  }
  if (exists("rebase-apply/applying")) {
    const auto patch = vfs::ReadFile(git.in.fs, git.GitPath("rebase-apply/patch"));
    const bool is_empty = patch && patch->empty();
    return std::string("You are in the middle of an am session.\n") + (is_empty ? "The current patch is empty.\n" : "  (fix conflicts and then run \"git am --continue\")\n") +
           "  (use \"git am --skip\" to skip this patch)\n" + (is_empty ? "  (use \"git am --allow-empty\" to record this patch as an empty commit)\n" : "") +
           "  (use \"git am --abort\" to restore the original branch)\n\n";
  }
  if (!RebaseFolder(git).empty()) return RebaseText(git, has_conflicts);
  const auto todo = vfs::ReadFile(git.in.fs, git.GitPath("sequencer/todo"), 16 << 20);
  const bool picks_many = todo && todo->starts_with("p"), reverts_many = todo && todo->starts_with("r");
  if (picks_many) {
    return "Cherry-pick currently in progress.\n" + std::string(has_conflicts ? "  (fix conflicts and run \"git cherry-pick --continue\")\n" : "  (run \"git cherry-pick --continue\" to continue)\n") +
           "  (use \"git cherry-pick --skip\" to skip this patch)\n  (use \"git cherry-pick --abort\" to cancel the cherry-pick operation)\n\n";
  }
  if (reverts_many) {
    return "Revert currently in progress.\n" + std::string(has_conflicts ? "  (fix conflicts and run \"git revert --continue\")\n" : "  (run \"git revert --continue\" to continue)\n") +
           "  (use \"git revert --skip\" to skip this patch)\n  (use \"git revert --abort\" to cancel the revert operation)\n\n";
  }
  if (exists("CHERRY_PICK_HEAD")) {
    return "You are currently cherry-picking commit " + short_id("CHERRY_PICK_HEAD") + ".\n" +
           (has_conflicts ? "  (fix conflicts and run \"git cherry-pick --continue\")\n" : "  (all conflicts fixed: run \"git cherry-pick --continue\")\n") +
           "  (use \"git cherry-pick --skip\" to skip this patch)\n  (use \"git cherry-pick --abort\" to cancel the cherry-pick operation)\n\n";
  }
  if (exists("REVERT_HEAD")) {
    return "You are currently reverting commit " + short_id("REVERT_HEAD") + ".\n" +
           (has_conflicts ? "  (fix conflicts and run \"git revert --continue\")\n" : "  (all conflicts fixed: run \"git revert --continue\")\n") +
           "  (use \"git revert --skip\" to skip this patch)\n  (use \"git revert --abort\" to cancel the revert operation)\n\n";
  }
  return {};
}

std::string BisectText(Git& git) {
  std::string start = FirstLine(git, "BISECT_START");
  if (!git.in.fs.Stat(git.GitPath("BISECT_LOG"))) return {};
  if (const auto id = Oid::FromHex(start)) start = git.objects.Abbreviate(*id);
  return "You are currently bisecting, started from branch '" + start + "'.\n  (use \"git bisect reset\" to get back to the original branch)\n\n";
}

}  // namespace

std::string ProgressText(Git& git, bool has_conflicts) { return OperationText(git, has_conflicts) + BisectText(git); }

std::string RebaseTitle(Git& git) {
  if (RebaseFolder(git) == "rebase-apply") return "rebase in progress; onto " + OntoText(git) + "\n";
  if (!git.in.fs.Stat(git.GitPath("rebase-merge/onto"))) return {};
  std::string text = "interactive rebase in progress; onto " + OntoText(git) + "\n";
  const std::vector<std::string> done = TodoLines(git, "rebase-merge/done"), left = TodoLines(git, "rebase-merge/git-rebase-todo");
  if (done.empty()) {
    text += "No commands done.\n";
  } else {
    text += done.size() == 1 ? "Last command done (1 command done):\n" : "Last commands done (" + std::to_string(done.size()) + " commands done):\n";
    for (size_t i = done.size() > 2 ? done.size() - 2 : 0; i < done.size(); ++i) text += "   " + done[i] + "\n";
    if (done.size() > 2) text += "  (see more in file .git/rebase-merge/done)\n";
  }
  if (left.empty()) return text + "No commands remaining.\n";
  text += left.size() == 1 ? "Next command to do (1 remaining command):\n" : "Next commands to do (" + std::to_string(left.size()) + " remaining commands):\n";
  for (size_t i = 0; i < left.size() && i < 2; ++i) text += "   " + left[i] + "\n";
  return text + "  (use \"git rebase --edit-todo\" to view and edit)\n";
}

}  // namespace paddock::git
