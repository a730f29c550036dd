// Runs one input of a fuzz target as the sandbox would run it: in a virtual process, under a budget.
#pragma once

#include <functional>

#include "base/budget.h"
#include "base/clock.h"

namespace paddock::fuzz {

// What one input may use. An input that the budget lets run to the end of this takes less than 100 ms of
// an ordinary build; instrumentation makes it several times slower.
inline constexpr Limits kInputLimits = {.steps = 100'000, .memory_bytes = 64u << 20};

// Runs `body` until it ends or a limit ends it. Returns that limit, or kNone.
LimitKind RunBounded(const std::function<void(Budget&)>& body, const Limits& limits = kInputLimits);

// Ends the program with a message if its scope takes more of the processor than an input ever should: then
// something forgets to charge the budget.
class CpuGuard {
 public:
  CpuGuard();
  ~CpuGuard();
  CpuGuard(const CpuGuard&) = delete;
  CpuGuard& operator=(const CpuGuard&) = delete;

 private:
  Nanoseconds start_;
};

}  // namespace paddock::fuzz
