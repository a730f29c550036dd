// Differences of a result from several parents at once: what git show makes of a merge, and git diff of a conflict.
#pragma once

#include <string>
#include <vector>

#include "commands/git/diff/diff.h"

namespace paddock::git {

struct CombinedFile {
  std::string path;
  std::vector<TreeItem> parents;   // mode 0: it is not there
  TreeItem result;
  bool result_is_file = false;     // of the working tree
};
// The files of a merge that are like those of none of its parents.
Result<std::vector<CombinedFile>> CombinedChanges(Git& git, const Commit& commit, Pathspec& paths);
// "diff --cc …" (`is_dense`: without hunks in which the result is that of one of only two versions) or "diff --combined …". Empty when
// nothing is left to show.
Result<std::string> CombinedPatch(Git& git, const CombinedFile& file, const DiffOptions& options, bool is_dense);
// In the forms that `options` ask for.
Result<std::string> FormatCombined(Git& git, const std::vector<CombinedFile>& files, const DiffOptions& options, bool is_dense);

}  // namespace paddock::git
