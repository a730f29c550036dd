// PollWaiter: how a kernel sleeps on a real machine: until a time, until another thread interrupts, or
// until a host descriptor that a fiber waits for is ready.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "base/fiber.h"

namespace paddock::io {

class PollWaiter final : public IdleWaiter {
 public:
  PollWaiter() = default;
  PollWaiter(const PollWaiter&) = delete;
  PollWaiter& operator=(const PollWaiter&) = delete;

  void Wait(Nanoseconds until) override;
  void Interrupt() override;   // any thread
  bool HasSources() const override { return !watched_.empty(); }

  // Parks the current fiber of `scheduler` until `descriptor` can be read (or has ended) or `until` passes;
  // may return early.
  void WaitReadable(Scheduler& scheduler, int descriptor, Nanoseconds until = Nanoseconds::max());

 private:
  struct Watched {
    int descriptor;
    Scheduler* scheduler;
    Fiber* fiber;
  };
  // Waits without regard to an interrupt that came before; `wake` may be -1.
  void Poll(int wake, Nanoseconds until);

  std::vector<Watched> watched_;
  std::atomic<bool> was_interrupted_ = false;
  std::mutex mutex_;
  int wake_descriptor_ = -1;   // an eventfd while Wait() sleeps; guarded by mutex_
};

}  // namespace paddock::io
