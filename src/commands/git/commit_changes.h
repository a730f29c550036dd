// What a commit changed against one of its parents.
#pragma once

#include <vector>

#include "commands/git/diff.h"

namespace paddock::git {

// Against the parent of that number, or against nothing when there is none.
Result<std::vector<FileDiff>> ChangesOf(Git& git, const Commit& commit, const DiffOptions& options, Pathspec& paths, size_t parent = 0);

}  // namespace paddock::git
