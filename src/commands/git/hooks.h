// Hooks: programs of .git/hooks, or of core.hooksPath, that git runs on the way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// Whether there is such a program.
bool HasHook(Git& git, std::string_view name);
// Runs the hook at the top of the working tree, with its output on standard error; its exit status. 0 when there is none.
ExitStatus RunHook(Git& git, std::string_view name, const std::vector<std::string>& args = {});

}  // namespace paddock::git
