#include "io/poll_waiter.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"

namespace paddock::io {
namespace {

constexpr Nanoseconds kBlindInterval = std::chrono::milliseconds{5};

}  // namespace

void PollWaiter::Wait(Nanoseconds until) {
  // The descriptor lives only while this waits: an idle sandbox holds none.
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) {   // the host is out of descriptors: look again often instead
    Poll(-1, std::min(until, SystemClock().MonotonicNow() + kBlindInterval));
    was_interrupted_ = false;
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    wake_descriptor_ = wake;
  }
  if (!was_interrupted_.exchange(false)) Poll(wake, until);
  {
    const std::lock_guard lock(mutex_);
    wake_descriptor_ = -1;
  }
  close(wake);
}

void PollWaiter::Poll(int wake, Nanoseconds until) {
  std::vector<pollfd> polled;
  polled.push_back({wake, POLLIN, 0});
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
  if (polled[0].revents != 0) was_interrupted_ = false;
  for (size_t i = 1; i < polled.size(); ++i) {
    if (polled[i].revents != 0) watched_[i - 1].scheduler->Unpark(watched_[i - 1].fiber);
  }
}

void PollWaiter::Interrupt() {
  was_interrupted_ = true;
  const std::lock_guard lock(mutex_);
  if (wake_descriptor_ < 0) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = write(wake_descriptor_, &one, sizeof one);
}

void PollWaiter::WaitReadable(Scheduler& scheduler, int descriptor, Nanoseconds until) {
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
  scheduler.Park(until);
}

}  // namespace paddock::io
