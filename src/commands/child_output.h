// What a command line wrote: sed's e, and whoever else wants a child's output as text.
#pragma once

#include <string>

#include "proc/command.h"

namespace paddock {

// Runs `sh -c COMMAND` to its end and returns its standard output. A command that fails, or a shell that
// cannot start, gives what was written until then.
Result<std::string> ShellOutput(Invocation& in, const std::string& command);

// What a command wrote and how it ended. Errors: when it cannot start.
struct ChildOutput {
  std::string text;
  ExitStatus status = 0;
};
// Runs a command to its end in this environment; standard error is the caller's.
Result<ChildOutput> StandardOutput(Invocation& in, std::vector<std::string> args, const Environment& environment);
// Runs a command to its end, with both of its outputs (standard error, too) in one text.
Result<ChildOutput> AllOutput(Invocation& in, std::vector<std::string> args);

}  // namespace paddock
