// What tools say at their end that close standard input and find it closed already.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"

namespace paddock {

// Complains when standard input was to be read ("-" among the operands, or none) and is closed. Returns 1 then, else `status`.
ExitStatus CloseStandardInput(Invocation& in, const std::vector<std::string>& operands, ExitStatus status,
                              std::string_view subject = "-");

}  // namespace paddock
