// Extent: bytes that never change and lie in a file of the host, in memory at once or as they are read. Trees refer to them instead of
// holding a copy, and what keeps a tree refers to them, too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::vfs {

struct ExtentName {
  std::string name;        // the source's
  uint64_t size = 0;
  uint32_t checksum = 0;   // Crc32c() of all
  bool operator==(const ExtentName&) const = default;
};

// Any thread.
struct Extent {
  ExtentName name;
  std::string_view bytes;
  std::shared_ptr<const void> keep;   // what `bytes` are a view into
};
using ExtentPtr = std::shared_ptr<const Extent>;

// Where the extents of one sandbox are kept.
class ExtentSource {
 public:
  virtual ~ExtentSource() = default;
  // Errors: kIo when it is gone, or not what the name says.
  virtual Result<ExtentPtr> Find(const ExtentName& name) = 0;
  // Whether Find() gives this one: now, and in the processes to come as long as something that was kept names it.
  virtual bool Has(const Extent& extent) const = 0;
};

// Facet of an open file that can hold an extent without a copy of it.
class TakesExtents {
 public:
  virtual ~TakesExtents() = default;
  // Writes `size` bytes of the extent from `offset` on to a file that is empty. Errors: those of OpenFile::Write(), and kInvalid for a file
  // that is not; then nothing is written.
  virtual Status WriteExtent(const ExtentPtr& extent, uint64_t offset, uint64_t size) = 0;
};

}  // namespace paddock::vfs
