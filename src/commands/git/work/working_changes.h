// What the files of the working tree are against the index that knows them.
#pragma once

#include <vector>

#include "commands/git/diff/diff.h"

namespace paddock::git {

// As CompareWithFiles() against IndexFiles(), without either as a tree.
Result<std::vector<FileDiff>> CompareIndexWithFiles(Git& git, const Index& index, bool with_intended = false);

}  // namespace paddock::git
