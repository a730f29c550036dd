// Indices of indexed arrays at both ends, where plain sums would overflow.
#pragma once

#include <cstdint>
#include <limits>

#include "shell/state/variables.h"

namespace paddock::shell {

// What an index < 0 means, counted from the end; still negative when it is out of range.
inline int64_t IndexFromEnd(const IndexedArray& array, int64_t index) { return index + 1 + array.max_index(); }

// The next index; -1, which no element has, behind the last one that there can be.
inline int64_t IndexAfter(int64_t index) {
  return index == std::numeric_limits<int64_t>::max() ? -1 : index + 1;
}

}  // namespace paddock::shell
