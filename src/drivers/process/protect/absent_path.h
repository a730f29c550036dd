// A path at which nothing may come into being, nor a link that leads there another way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "drivers/process/protect/protected_names.h"
#include "drivers/process/protect/quarantine.h"

namespace paddock::process_wall {

// Takes away what came at `path`, relative to the open directory `root`, or the link that came on the way to it. Nothing was there before
// `started` (seconds since 1970). Nothing where there still is none. Everything inside must be dead.
std::optional<SweepItem> SweepAbsent(int root, const std::string& path, int64_t started, const std::string& why, Quarantine& quarantine);

}  // namespace paddock::process_wall
