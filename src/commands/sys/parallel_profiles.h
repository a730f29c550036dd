// Options of parallel that are not on its command line: those of $PARALLEL and of the files in ~/.parallel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proc/command.h"

namespace paddock {

// ~/.parallel, or what $PARALLEL_HOME says.
std::string ParallelHome(Invocation& in);
// The arguments of a script whose first line calls parallel with --shebang or --shebang-wrap, as they would be typed; nothing for others.
std::optional<std::vector<std::string>> UnpackParallelScript(Invocation& in);
// The arguments with those options behind args[0].
std::vector<std::string> WithParallelProfiles(Invocation& in);

}  // namespace paddock
