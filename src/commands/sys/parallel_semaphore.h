// sem: a command that runs when fewer than so many others with the same name do.
#pragma once

#include <string>
#include <vector>

#include "commands/sys/parallel_options.h"
#include "proc/command.h"

namespace paddock {

ExitStatus RunSemaphore(Invocation& in, const ParallelOptions& options, int64_t most, const std::vector<std::string>& operands);

}  // namespace paddock
