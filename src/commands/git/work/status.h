// The state of the index and the working tree, as status and commit tell it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/git/column_layout.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {

struct Unmerged {
  std::string path;
  char ours, theirs;   // the two letters of the short form
};

// What a submodule has that is not committed there.
struct ModuleDirt {
  bool is_modified = false, has_untracked = false;
  bool is_any() const { return is_modified || has_untracked; }
};
Result<ModuleDirt> DirtOfModule(Git& git, const std::string& path);

struct StatusReport {
  std::vector<FileDiff> staged, unstaged;
  std::vector<Unmerged> unmerged;
  std::map<std::string, ModuleDirt> modules;   // those with something of that
  std::vector<std::string> untracked, ignored;
  bool shows_untracked = true;
  bool amends = false;   // for commit --amend
  std::optional<size_t> present_percent;   // of the files that the index has, in a sparse checkout
  bool has_sparse_index = false;
  bool hides_counts = false;   // --no-ahead-behind
  std::string patch;           // of -v, before the last line
  ColumnOptions columns;       // of files that git does not know
};
Result<StatusReport> MakeStatus(Git& git, const Index& index, const FlatTree* head, UntrackedMode mode, Pathspec& paths, bool with_ignored, int rename_percent = 50);
// status.showUntrackedFiles.
UntrackedMode ConfiguredUntracked(Git& git);
// The long form; `has_hints`: with what can be done, and a last line.
Result<std::string> LongStatus(Git& git, const StatusReport& report, bool is_for_commit, bool has_hints = true);
// "ahead" and "behind" the upstream of the current branch.
struct Tracking {
  std::string upstream;   // short name
  bool is_gone = false;
  size_t ahead = 0, behind = 0;
  bool hides_counts = false;   // nobody asked how many
};
Result<std::optional<Tracking>> TrackingOf(Git& git, const std::string& branch);
// "Your branch is ahead of 'origin/main' by 1 commit. …", with newlines.
std::string TrackingText(const Tracking& tracking);
// How a detached HEAD is called: "at 1234567", "from v1"; empty when the log does not tell.
std::string DetachedText(Git& git);

}  // namespace paddock::git
