#include "base/clock.h"

namespace paddock {
namespace {

class System final : public Clock {
 public:
  Nanoseconds RealNow() const override {
    return std::chrono::duration_cast<Nanoseconds>(
        std::chrono::system_clock::now().time_since_epoch());
  }
  Nanoseconds MonotonicNow() const override {
    return std::chrono::duration_cast<Nanoseconds>(
        std::chrono::steady_clock::now().time_since_epoch());
  }
};

}  // namespace

const Clock& SystemClock() {
  static const System clock;
  return clock;
}

}  // namespace paddock
