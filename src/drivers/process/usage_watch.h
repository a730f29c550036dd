// UsageWatch: keeps a sandbox's limits on memory and processor time where no cgroup does, by looking at its processes now
// and then. It is a supervisor's answer, not the kernel's: what happens between two looks is seen late. Files in the
// private directories count with the processes' memory; those without a name (memfd) by themselves against the same bound.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "guest/sandbox/exec_warden.h"

namespace paddock::process_wall {

// The process and all that descend from it, as far as they have not been given to another parent; sorted.
std::vector<pid_t> Descendants(pid_t init);
// Kills what runs behind the wall of `init`, but not that, from the host's side: faster than asking inside. What is being
// started meanwhile may escape it.
void KillFromOutside(pid_t init);

// Holds what runs behind the wall of `init`, but not that, with SIGSTOP as long as the object lives, and lets go only what it has stopped itself. What is being
// started meanwhile may escape it.
class HeldProcesses {
 public:
  explicit HeldProcesses(pid_t init);
  ~HeldProcesses();
  HeldProcesses(const HeldProcesses&) = delete;
  HeldProcesses& operator=(const HeldProcesses&) = delete;

 private:
  std::vector<Descriptor> held_;
};

// Bytes that the processes behind the wall of `init` have written to disks so far, the ended and waited for included; nothing where the kernel
// does not tell us.
std::optional<uint64_t> WrittenInside(pid_t init);

// What a process and its descendants use: resident memory now, and processor time so far, of those that have ended, too, as far as somebody
// waited for them.
struct WallUse {
  uint64_t memory_bytes = 0;
  uint64_t cpu_nanoseconds = 0;
  // From and to disks, as /proc/PID/io counts them; none where the kernel, or the right to look, is missing.
  std::optional<uint64_t> disk_read_bytes, disk_written_bytes;
};
WallUse MeasureWall(pid_t init);

class UsageWatch {
 public:
  struct Bounds {
    std::optional<uint64_t> memory_bytes;                // of all processes together, shared pages once
    std::optional<std::chrono::nanoseconds> cpu_time;    // of all processes together, those that have ended included
  };
  // Watches the descendants of `init`, a process of the host. Processor time counts from now on.
  UsageWatch(pid_t init, Bounds bounds);

  using Excess = guest::Excess;
  // What is exceeded now.
  std::optional<Excess> Look();
  // When to look again: soon when a bound is near.
  std::chrono::milliseconds Interval() const { return is_near_ ? std::chrono::milliseconds(10) : std::chrono::milliseconds(100); }
  const Bounds& bounds() const { return bounds_; }
  uint64_t peak_memory_bytes() const { return peak_memory_; }

 private:
  struct Use {
    uint64_t memory = 0;          // sum of resident sets
    uint64_t files = 0;           // bytes in the file systems in memory that the processes see
    uint64_t cpu_nanoseconds = 0;
    std::vector<pid_t> processes;
  };
  Use Measure() const;

  pid_t init_;
  Bounds bounds_;
  uint64_t cpu_before_ = 0;
  uint64_t peak_memory_ = 0;
  bool is_near_ = false;
};

}  // namespace paddock::process_wall
