// Times as sleep and timeout take them: "1.5", "2m", "1e3", "infinity".
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace paddock {

// Seconds; nothing for a malformed or negative one. Suffixes s, m, h, d.
std::optional<double> ParseDuration(std::string_view text);
// Bounded to about 120 years.
Nanoseconds ToNanoseconds(double seconds);

}  // namespace paddock
