// File locks of one sandbox: flock(2), whole files, shared or exclusive.
//
// A lock belongs to an open file description, so that dup and inheritance share it, and is released when the last owner drops that. Who has
// to wait parks its fiber. The table is the kernel's: sandboxes do not see each other's locks.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "vfs/open_file.h"

namespace paddock {
class Scheduler;
}  // namespace paddock

namespace paddock::proc {

class Process;

class FileLocks {
 public:
  enum class Kind { kShared, kExclusive };

  // `scheduler` outlives this.
  explicit FileLocks(Scheduler& scheduler);
  FileLocks(const FileLocks&) = delete;
  FileLocks& operator=(const FileLocks&) = delete;
  ~FileLocks();

  // Takes the lock; one that the description holds already is given up first, as flock(2) does. kAgain when another description's lock is in
  // the way.
  Status TryLock(vfs::OpenFile& file, Kind kind);
  // Waits for it: kTimedOut when `until` passes first, kInterrupted for a caught signal of `process`.
  Status Lock(Process& process, vfs::OpenFile& file, Kind kind, Nanoseconds until = Nanoseconds::max());
  // Gives up what the description holds; nothing happens when it holds none.
  static void Unlock(vfs::OpenFile& file) { file.set_lock(nullptr); }

 private:
  struct Table;
  struct Held;

  std::shared_ptr<Table> table_;
};

}  // namespace paddock::proc
