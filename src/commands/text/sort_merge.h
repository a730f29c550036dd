// sort -m: files that are sorted already, merged line by line.
#pragma once

#include <string>
#include <vector>

#include "commands/text/sort_order.h"
#include "proc/command.h"

namespace paddock {

// Writes the lines of all files to `out`. Returns 0, or 2 after reporting a file that could not be read.
ExitStatus MergeFiles(Invocation& in, const SortOrder& order, const std::vector<std::string>& names, Output& out);

}  // namespace paddock
