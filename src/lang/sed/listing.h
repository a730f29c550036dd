// How --debug shows a program, its commands and the texts that they work on.
#pragma once

#include <string>
#include <string_view>

#include "lang/sed/program.h"

namespace paddock::sed {

// A command in its one form.
std::string ShowCommand(const Program& program, const SedCommand& command);
// "SED PROGRAM:" and all of it.
std::string ShowProgram(const Program& program);
// A pattern or hold space on one line.
std::string ShowSpace(std::string_view text);

}  // namespace paddock::sed
