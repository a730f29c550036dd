// What a command line wrote: sed's e, and whoever else wants a child's output as text.
#pragma once

#include <string>

#include "proc/command.h"

namespace paddock {

// Runs `sh -c COMMAND` to its end and returns its standard output. A command that fails, or a shell that
// cannot start, gives what was written until then.
Result<std::string> ShellOutput(Invocation& in, const std::string& command);

}  // namespace paddock
