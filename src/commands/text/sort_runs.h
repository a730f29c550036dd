// sort --compress-program: sorted runs of no more than -S bytes, which wait in temporary files as a program packed them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commands/text/sort_order.h"
#include "proc/command.h"

namespace paddock {

struct SortRunSettings {
  std::string program;                    // packs; with -d it unpacks
  std::vector<std::string> directories;   // of -T; none: $TMPDIR, else /tmp
  uint64_t run_bytes = 0;
  size_t batch = 16;                      // how many runs are merged at once
};

// The lines of a text in which each has its delimiter, prepared but not sorted. Nothing when one is too long.
std::optional<std::vector<SortLine>> SplitSortLines(Invocation& in, const SortOrder& order, std::string_view text);

// Sorts such a text to `out`. Returns 0, or 2 after a report.
ExitStatus SortInRuns(Invocation& in, const SortOrder& order, std::string_view text, const SortRunSettings& settings, Output& out);

}  // namespace paddock
