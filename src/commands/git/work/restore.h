// Files of the index or of a commit, put back into the working tree or the index.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/git/git.h"
#include "commands/git/merge/merge.h"

namespace paddock::git {

struct RestorePlan {
  std::optional<FlatTree> source;   // nothing: the index
  bool to_index = false, to_files = true;
  bool deletes = false;             // also what the source does not have
  int stage = 0;                    // 2 or 3: that side of a conflict
  bool recreates = false;           // conflicts, from their three versions
  bool passes_unmerged = false;     // over conflicts
  bool sees_skipped = false;        // also files with the skip-worktree bit
  MergeStyle style;
};
struct Restored {
  size_t files = 0, conflicts = 0;
};
// Errors: kConflict when all is said.
Result<Restored> RestoreFiles(Git& git, const RestorePlan& plan, const std::vector<std::string>& operands);

}  // namespace paddock::git
