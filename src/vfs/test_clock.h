// A clock that stands still until a test moves it.
#pragma once

#include "base/clock.h"

namespace paddock::vfs {

class TestClock final : public Clock {
 public:
  Nanoseconds RealNow() const override { return now; }
  Nanoseconds MonotonicNow() const override { return now; }
  void Advance(Nanoseconds by) { now += by; }

  Nanoseconds now{1'700'000'000'000'000'000};
};

}  // namespace paddock::vfs
