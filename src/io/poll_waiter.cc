#include "io/poll_waiter.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"

namespace paddock::io {

PollWaiter::PollWaiter() : wake_descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  PADDOCK_CHECK(wake_descriptor_ >= 0);
}

PollWaiter::~PollWaiter() { close(wake_descriptor_); }

void PollWaiter::Wait(Nanoseconds until) {
  std::vector<pollfd> polled;
  polled.push_back({wake_descriptor_, POLLIN, 0});
  for (const Watched& watched : watched_) polled.push_back({watched.descriptor, POLLIN, 0});
  timespec timeout{};
  const timespec* limit = nullptr;
  if (until != Nanoseconds::max()) {
    const Nanoseconds left = std::max(until - SystemClock().MonotonicNow(), Nanoseconds{0});
    timeout.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
    timeout.tv_nsec = (left % std::chrono::seconds{1}).count();
    limit = &timeout;
  }
  if (ppoll(polled.data(), polled.size(), limit, nullptr) <= 0) return;
  if (polled[0].revents != 0) {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t ignored = read(wake_descriptor_, &count, sizeof count);
  }
  for (size_t i = 1; i < polled.size(); ++i) {
    if (polled[i].revents != 0) watched_[i - 1].scheduler->Unpark(watched_[i - 1].fiber);
  }
}

void PollWaiter::Interrupt() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = write(wake_descriptor_, &one, sizeof one);
}

void PollWaiter::WaitReadable(Scheduler& scheduler, int descriptor) {
  Fiber* const fiber = scheduler.current();
  watched_.push_back({descriptor, &scheduler, fiber});
  // The entry must go on every way out: Park() may throw Termination.
  struct Unwatch {
    PollWaiter& waiter;
    Fiber* fiber;
    ~Unwatch() {
      std::erase_if(waiter.watched_, [this](const Watched& watched) { return watched.fiber == fiber; });
    }
  } unwatch{*this, fiber};
  scheduler.Park();
}

}  // namespace paddock::io
