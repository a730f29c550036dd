// Where jobs of parallel run: here alone.
#pragma once

#include <string>
#include <vector>

#include "commands/sys/parallel_options.h"
#include "proc/command.h"

namespace paddock {

// ":" and "8/:" are this machine. True when no other one is asked for; told else.
bool IsParallelLocal(Invocation& in, const ParallelOptions& options);

// The groups of this machine: those of "@a+b/:".
std::vector<std::string> LocalParallelGroups(const ParallelOptions& options);

}  // namespace paddock
