// Options of parallel that are not on its command line: those of $PARALLEL and of the files in ~/.parallel.
#pragma once

#include <string>
#include <vector>

#include "proc/command.h"

namespace paddock {

// The arguments with those options behind args[0].
std::vector<std::string> WithParallelProfiles(Invocation& in);

}  // namespace paddock
