// --pathspec-from-file: names of files in a file.
#pragma once

#include <string>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// Appends the names in FILE ("-": standard input), one a line, quoted ones without their quotes; `ends_with_nul`: as they are.
Status TakePathspecFile(Git& git, const std::string& file, bool ends_with_nul, std::vector<std::string>& operands);
// For those whose operands are `args`: names come from one place only.
Status TakePathspecFile(Git& git, const std::string& file, bool ends_with_nul, Args& args);

}  // namespace paddock::git
