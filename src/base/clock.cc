#include "base/clock.h"

#include <ctime>

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
  Nanoseconds ThreadTime() const override {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + Nanoseconds(used.tv_nsec);
  }
};

}  // namespace

const Clock& SystemClock() {
  static const System clock;
  return clock;
}

}  // namespace paddock
