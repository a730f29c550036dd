// What setrlimit(2) keeps of a process: by the letter that ulimit has for a resource, in the unit that ulimit shows in posix mode (seconds,
// KiB, blocks of 512 bytes, pieces). A plain value: whoever sets one replaces the table of its process.
#pragma once

#include <cstdint>
#include <map>

#include "base/budget.h"

namespace paddock::proc {

struct ResourceLimit {
  uint64_t soft = kUnlimited;
  uint64_t hard = kUnlimited;
  bool operator==(const ResourceLimit&) const = default;
};

// Those that were set.
using ResourceLimits = std::map<char, ResourceLimit>;

}  // namespace paddock::proc
