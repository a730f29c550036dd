// Carrying one commit over to HEAD, or taking it back: what cherry-pick, revert and rebase have in common.
#pragma once

#include <string>

#include "commands/git/git.h"
#include "commands/git/merge/merge.h"

namespace paddock::git {

struct PickOptions {
  bool reverts = false;
  bool tells_conflicts_only = false;
  bool checks_index = false;   // what is in the index and not in HEAD is in the way …
  bool takes_index = false;    // … or what the changes are put on
  int64_t mainline = 0;   // which parent of a merge it is compared with
  MergeStyle style;
};
struct Pick {
  Commit commit;          // that was picked
  TreeMerge merge;
  FlatTree ours;          // of HEAD
  bool is_applied = false;   // false: local changes are in the way, which is told
};
// Merges the commit's changes into the index and the files. `head`: nothing for a branch without commits.
Result<Pick> ApplyPick(Git& git, const Oid& id, const std::optional<Oid>& head, const PickOptions& options);

// Goes to the commit itself, files and all; the reflog gets the message. False: local changes are in the way.
Result<bool> ForwardTo(Git& git, const Oid& id, const std::string& message);

// Runs git with these arguments; `environment` null: ours.
ExitStatus RunGit(Git& git, std::vector<std::string> args, const Environment* environment = nullptr);

// "The previous cherry-pick is now empty, …".
std::string NowEmptyText(std::string_view command);

}  // namespace paddock::git
