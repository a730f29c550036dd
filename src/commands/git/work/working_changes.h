// What the files of the working tree are against the index that knows them.
#pragma once

#include <vector>

#include "commands/git/diff/diff.h"

namespace paddock::git {

// As CompareWithFiles() against IndexFiles(), without either as a tree.
Result<std::vector<FileDiff>> CompareIndexWithFiles(Git& git, const Index& index, bool with_intended = false);

// Submodules whose files are changed: their commits are shown as dirty. `before`: the old side; null: what the index says.
Status AddDirtyModules(Git& git, const Index& index, const FlatTree* before, const DiffOptions& options, std::vector<FileDiff>& files);

}  // namespace paddock::git
