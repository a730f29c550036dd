// Parts of git that there are none of inside: options that ask for them are fine as long as the repository does not use the part.
#pragma once

#include <string>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// --recurse-submodules, for what changes files: errors when there are submodules that it would change.
Status RefuseSubmodules(Git& git, const Index& index);
// Says that all that the operands name has its skip-worktree bit.
void TellSkipped(Git& git, const std::vector<std::string>& operands);

}  // namespace paddock::git
