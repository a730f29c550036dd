// A note in a sandbox's quarantine directory, from its scan to its sweep. One that is found without its sandbox says that nobody was left
// to sweep: what came under protected names meanwhile is still there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drivers/process/protect/protected_names.h"

namespace paddock::process_wall {

struct UnsweptRun {
  int64_t started = 0;              // nanoseconds since 1970
  std::vector<std::string> roots;   // absolute paths of the directories that it could write to
};

// `quarantine` is an open directory of the caller's. A note that cannot be written is left out: it only helps where all else was killed.
void NoteUnswept(int quarantine, const UnsweptRun& run);
void ClearUnswept(int quarantine);
std::optional<UnsweptRun> ReadUnswept(int quarantine);

// What changed below `root`, as `snapshot` found it, since a run that was not swept began: a line for the user, empty if nothing did.
std::string UnsweptText(const UnsweptRun& run, const std::string& root, const ProtectedSnapshot& snapshot);

}  // namespace paddock::process_wall
