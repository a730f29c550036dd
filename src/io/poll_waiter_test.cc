#include "io/poll_waiter.h"

#include <gtest/gtest.h>

#include <thread>

namespace paddock::io {
namespace {

using std::chrono::seconds;

Nanoseconds Now() { return SystemClock().MonotonicNow(); }

TEST(PollWaiter, AnInterruptBeforeTheWaitEndsIt) {
  PollWaiter waiter;
  waiter.Interrupt();
  const Nanoseconds begin = Now();
  waiter.Wait(begin + seconds{30});
  EXPECT_LT(Now() - begin, seconds{10});
}

TEST(PollWaiter, AnInterruptFromAnotherThreadEndsAWait) {
  PollWaiter waiter;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    waiter.Interrupt();
  });
  const Nanoseconds begin = Now();
  waiter.Wait(begin + seconds{30});
  EXPECT_LT(Now() - begin, seconds{10});
  other.join();
}

TEST(PollWaiter, AWaitEndsAtItsTime) {
  PollWaiter waiter;
  const Nanoseconds begin = Now();
  waiter.Wait(begin + std::chrono::milliseconds{20});
  EXPECT_GE(Now() - begin, std::chrono::milliseconds{20});
}

}  // namespace
}  // namespace paddock::io
