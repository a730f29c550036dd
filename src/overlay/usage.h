// How much room an overlay takes on the disk.
#pragma once

#include <cstdint>

namespace paddock::overlay {

struct TreeUsage {
  uint64_t bytes = 0;        // blocks of files (those with several names shared out among them), and kBytesPerEntry for each entry
  uint64_t entries = 0;
  bool is_complete = true;   // false if something could not be looked at: a shut directory, a path too long, too many entries
};

inline constexpr uint64_t kBytesPerEntry = 256;

// Of all below a directory, by descriptor and through no link; it may change meanwhile. Stops when `enough` bytes are
// found. The cost grows with the number of entries.
TreeUsage MeasureTree(int directory, uint64_t enough);

}  // namespace paddock::overlay
