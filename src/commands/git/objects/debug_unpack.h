// read-tree --debug-unpack: what is looked at when trees go into the index.
#pragma once

#include <string>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// `index`: that the trees are merged with; null when they are not.
std::string DebugUnpackText(const std::vector<FlatTree>& trees, const Index* index, Budget& budget);

}  // namespace paddock::git
