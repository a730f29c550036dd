// What a commit changed against one of its parents.
#pragma once

#include <vector>

#include "commands/git/diff/diff.h"

namespace paddock::git {

// Against the parent of that number, or against nothing when there is none.
Result<std::vector<FileDiff>> ChangesOf(Git& git, const Commit& commit, const DiffOptions& options, Pathspec& paths, size_t parent = 0);

// The files that differ between two trees, where the paths mean them or might. `before`, `after`: null: none.
Result<std::vector<FileDiff>> DifferencesOf(Git& git, const Oid* before, const Oid* after, const Pathspec& paths);
// Whether there is any such change to the files that the paths mean.
Result<bool> DiffersWithin(Git& git, const Oid* before, const Oid* after, Pathspec& paths);

}  // namespace paddock::git
