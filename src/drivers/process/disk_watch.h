// DiskWatch: keeps the limit on what an overlay's changes take on the disk, by measuring them now and then.
//
// A supervisor's answer where the file system has no quota for a directory: what is written between two looks is seen
// late. Deleted files that a process still has open count; what is only mapped into memory by then does not.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/descriptor.h"
#include "drivers/process/usage_watch.h"

namespace paddock::process_wall {

class DiskWatch {
 public:
  static constexpr std::chrono::milliseconds kInterval{200};

  // Of the upper directory, with the processes below `init`; in bytes.
  DiskWatch(Descriptor upper, pid_t init, uint64_t limit);

  // What is exceeded now. Cheap unless the file system has filled up since the last time or a second (or more, where
  // measuring takes long) has gone by. Any thread.
  std::optional<UsageWatch::Excess> Look();
  // The same by measuring at once.
  std::optional<UsageWatch::Excess> Measure();

 private:
  uint64_t UsedByAll() const;        // of the file system
  uint64_t HeldByDeleted() const;    // by deleted files that are open inside
  std::optional<UsageWatch::Excess> MeasureLocked(uint64_t used_by_all);

  const Descriptor upper_;
  const pid_t init_;
  const uint64_t limit_;
  std::mutex mutex_;
  const uint64_t used_before_;
  uint64_t last_used_ = 0;
  uint64_t last_bytes_ = 0;
  std::chrono::steady_clock::time_point soonest_{};   // measuring again before would cost too much
  std::chrono::steady_clock::time_point latest_{};
};

}  // namespace paddock::process_wall
