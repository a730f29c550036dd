// Every subcommand of git.
#pragma once

#include <span>

#include "commands/git/git.h"

namespace paddock::git {

// In order of name.
std::span<const Subcommand* const> AllSubcommands();

}  // namespace paddock::git
