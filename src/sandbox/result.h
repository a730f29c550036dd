// ExecResult: what happened, told truthfully: no invented exit code, the reason of every early end.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace paddock::sandbox {

struct Termination {
  enum class Reason { kExit, kSignal, kOom, kPids, kCpu, kTimeout, kDisk, kOutputCap, kPolicy, kCancelled, kDepth,
                      kDeadlock, kInfra };
  Reason reason = Reason::kExit;
  std::string limit;      // name of the limit that was reached, empty otherwise
  uint64_t peak = 0;      // how much of it was used, in its unit (bytes, steps, nanoseconds, processes)
  int signal = 0;         // for kSignal
};

const char* ReasonName(Termination::Reason reason);

struct Usage {
  uint64_t steps = 0;
  uint64_t peak_memory_bytes = 0;
  uint64_t output_bytes = 0;
  std::optional<std::chrono::nanoseconds> cpu;   // processor time; none where it was not measured
};

struct ExecResult {
  std::optional<int> exit_code;   // null when a limit or the caller ended it
  Termination termination;
  std::string stdout_text;        // bytes; empty when the caller asked not to collect
  std::string stderr_text;
  uint64_t dropped_bytes = 0;     // output beyond the cap that was not delivered
  std::chrono::nanoseconds duration{0};
  Usage usage;
  std::vector<std::string> denials;   // what the policy refused while it ran, one line each
};

}  // namespace paddock::sandbox
