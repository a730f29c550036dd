// PollWaiter: how a kernel sleeps on a real machine: until a time, until another thread interrupts, or
// until a host descriptor that a fiber waits for is ready.
#pragma once

#include <vector>

#include "base/fiber.h"

namespace paddock::io {

class PollWaiter final : public IdleWaiter {
 public:
  PollWaiter();
  ~PollWaiter() override;
  PollWaiter(const PollWaiter&) = delete;
  PollWaiter& operator=(const PollWaiter&) = delete;

  void Wait(Nanoseconds until) override;
  void Interrupt() override;   // any thread
  bool HasSources() const override { return !watched_.empty(); }

  // Parks the current fiber of `scheduler` until `descriptor` can be read (or has ended).
  void WaitReadable(Scheduler& scheduler, int descriptor);

 private:
  struct Watched {
    int descriptor;
    Scheduler* scheduler;
    Fiber* fiber;
  };
  int wake_descriptor_;   // an eventfd
  std::vector<Watched> watched_;
};

}  // namespace paddock::io
