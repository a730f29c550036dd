// Keeper: what of one sandbox outlives the daemon, and how it comes back. One for each way of keeping.
#pragma once

#include <memory>

#include "base/result.h"
#include "sandbox/sandbox.h"
#include "vfs/extent.h"

namespace paddock::registry {

// One thread at a time.
class Keeper {
 public:
  virtual ~Keeper() = default;

  // Stands the sandbox up as the last Keep() left it; the first time, as it begins. Errors: those of the driver; kCorrupt.
  virtual Result<std::unique_ptr<sandbox::Sandbox>> Load() = 0;

  // Makes what has changed since the last one outlive a kill of this process. Cheap when nothing has. Errors: kNoSpace, kIo …; what
  // could not be kept is tried again with the next one.
  virtual Status Keep(sandbox::Sandbox& sandbox) = 0;

  // Whether it may leave memory while it is idle: nobody notices.
  virtual bool parks() const { return true; }

  // As Keep(), for what will be away for long: less to read when it comes back.
  virtual Status Settle(sandbox::Sandbox& sandbox) { return Keep(sandbox); }

  // Takes everything away that it keeps. Idempotent.
  virtual Status Remove() = 0;
};

// Facet of a Keeper: large files that came from outside become files of its own, without a copy.
class KeepsExtents {
 public:
  virtual ~KeepsExtents() = default;
  // `file` is one without a name on the file system of what is kept; it holds `size` bytes with that Crc32c(), which nobody changes from now
  // on. What comes of it may be written into the files of `live` (vfs::TakesExtents); kept from the next Keep() on. One thread at a time, as
  // the Keeper. Errors: the host's, kNoSpace above what the sandbox may have: then its bytes are to be copied.
  virtual Result<vfs::ExtentPtr> TakeExtent(sandbox::Sandbox& live, int file, uint64_t size, uint32_t checksum) = 0;
};

}  // namespace paddock::registry
