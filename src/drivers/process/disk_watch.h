// DiskWatch: keeps the limits on what a sandbox adds to the disk, by measuring now and then: an overlay's changes, or
// what the host's directories that it writes to have gained since the wall was built.
//
// A supervisor's answer where the file system has no quota for a directory: what is written between two looks is seen
// late. When so much was written inside, and the file system has filled up so far, that a bound may be passed, the processes are held (SIGSTOP) while it is
// measured: how long measuring takes, which grows with the tree, is nothing that they can use. Deleted files that a process still has open count; what is only mapped into memory by then does not. What the host
// writes into such a directory meanwhile counts, too.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/descriptor.h"
#include "drivers/process/usage_watch.h"

namespace paddock::process_wall {

class DiskWatch {
 public:
  // When to look again: soon when much of a bound may be used.
  std::chrono::milliseconds Interval() const { return is_near_ ? std::chrono::milliseconds(3) : std::chrono::milliseconds(8); }

  struct Bounds {
    std::optional<uint64_t> bytes;
    std::optional<uint64_t> files;   // names
  };
  struct Tree {
    Descriptor directory;
    bool is_overlay = false;   // an upper directory: all that is in it counts, not what is added
  };
  // Measures directories that are not overlays once. `init`: SetInit() before the first look.
  DiskWatch(std::vector<Tree> trees, Bounds bounds);
  // The wall's init: its processes' deleted files count.
  void SetInit(pid_t init) { init_ = init; }

  // What is exceeded now. Cheap unless the file system has filled up since the last time or a second (or more, where
  // measuring takes long) has gone by. Who is found beyond a bound while held is killed. Any thread.
  std::optional<UsageWatch::Excess> Look();
  // The same by measuring at once.
  std::optional<UsageWatch::Excess> Measure();

 private:
  struct Amount {
    uint64_t bytes = 0;
    uint64_t files = 0;
    bool is_complete = true;
  };
  struct Watched {
    Tree tree;
    Amount before;
  };
  // Beyond what was there; stops soon after a bound is passed.
  Amount Added() const;
  struct Use {
    uint64_t bytes = 0;
    uint64_t files = 0;
  };
  Use UsedByAll() const;             // of the file systems, by everybody
  uint64_t HeldByDeleted() const;    // by deleted files that are open inside
  std::optional<UsageWatch::Excess> MeasureLocked(Use used_by_all);

  std::vector<Watched> watched_;
  const Bounds bounds_;
  pid_t init_ = -1;
  std::mutex mutex_;
  std::atomic<bool> is_near_{false};
  Use used_before_;
  Use last_used_;      // when it was measured last
  Use last_added_;
  std::optional<uint64_t> last_written_;   // by the processes inside, when it was measured last
  std::chrono::steady_clock::time_point soonest_{};   // measuring again before would cost too much
  std::chrono::steady_clock::time_point latest_{};
};

}  // namespace paddock::process_wall
