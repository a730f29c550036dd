// git add -i and -e.
#pragma once

#include <string>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// The menus of add -i, for the files that the operands name.
Result<ExitStatus> RunAddMenu(Git& git, const std::vector<std::string>& operands);
// The patch from the index to the files, as an editor leaves it, goes into the index.
Result<ExitStatus> AddEdited(Git& git, const std::vector<std::string>& operands);

}  // namespace paddock::git
