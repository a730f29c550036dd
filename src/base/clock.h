// Time as an object, so that tests and deterministic runs inject their own.
#pragma once

#include <chrono>
#include <cstdint>

namespace paddock {

using Nanoseconds = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;

  // Time since 1970-01-01 UTC.
  virtual Nanoseconds RealNow() const = 0;
  // Time since an arbitrary start; never goes backwards.
  virtual Nanoseconds MonotonicNow() const = 0;
  // Processor time that the calling thread has used; always zero where nobody counts it.
  virtual Nanoseconds ThreadTime() const { return Nanoseconds{0}; }
};

// The machine's clock. Safe from any thread.
const Clock& SystemClock();

}  // namespace paddock
