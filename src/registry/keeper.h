// Keeper: what of one sandbox outlives the daemon, and how it comes back. One for each way of keeping.
#pragma once

#include <memory>

#include "base/result.h"
#include "sandbox/sandbox.h"

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

  // As Keep(), for what will be away for long: less to read when it comes back.
  virtual Status Settle(sandbox::Sandbox& sandbox) { return Keep(sandbox); }

  // Takes everything away that it keeps. Idempotent.
  virtual Status Remove() = 0;
};

}  // namespace paddock::registry
