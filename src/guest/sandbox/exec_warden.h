// ExecWarden: what a wall knows of one exec that the agent inside does not: limits that are kept outside, and what was refused.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/result.h"

namespace paddock::guest {

// A limit that is exceeded, with how much of it was used, in its unit.
struct Excess {
  sandbox::Termination::Reason reason = sandbox::Termination::Reason::kOom;
  std::string limit;
  uint64_t peak = 0;   // bytes, nanoseconds
};

// Used by the thread that runs the exec.
class ExecWarden {
 public:
  virtual ~ExecWarden() = default;
  // When to look again; nothing: never.
  virtual std::optional<std::chrono::milliseconds> Interval() const { return std::nullopt; }
  // What is exceeded now. The exec is then ended; what can be killed from outside, faster than by the agent, is killed by this call.
  virtual std::optional<Excess> Look() { return std::nullopt; }
  // As Look(), exactly, when the program has ended by itself.
  virtual std::optional<Excess> LookAtEnd() { return std::nullopt; }
  // Processes were killed for the memory limit since the exec began: the most memory that was held (0: unknown); nothing if none were.
  virtual std::optional<uint64_t> MemoryExhausted() { return std::nullopt; }
  // A fork was refused for the limit on processes since the exec began.
  virtual bool RefusedForks() { return false; }
  // What the policy refused while it ran, one line each.
  virtual std::vector<std::string> TakeDenials() { return {}; }
};

}  // namespace paddock::guest
