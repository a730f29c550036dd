#include "egress/reactor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace paddock::egress {
namespace {

constexpr Nanoseconds kSweep = std::chrono::milliseconds(100);   // how late a deadline may be noticed
constexpr unsigned kBreath = 32;
constexpr int kEvents = 256;

void Forget(Waiters& waiters, const Fiber* fiber) {
  waiters.erase(std::remove(waiters.begin(), waiters.end(), fiber), waiters.end());
}

}  // namespace

Result<std::unique_ptr<Reactor>> Reactor::Make() {
  std::unique_ptr<Reactor> reactor(new Reactor());  // allow(raw-new): private constructor
  reactor->epoll_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  reactor->wakeup_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!reactor->epoll_ || !reactor->wakeup_) return Error(static_cast<Code>(errno), "egress: no event queue from the system");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  if (epoll_ctl(reactor->epoll_.get(), EPOLL_CTL_ADD, reactor->wakeup_.get(), &event) != 0) return static_cast<Code>(errno);
  return reactor;
}

Reactor::~Reactor() = default;

Status Reactor::Add(int fd, Watch* watch) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = watch;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return static_cast<Code>(errno);
  return {};
}

void Reactor::Remove(int fd) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

void Reactor::Run() {
  scheduler_.RunUntil([this] { return is_stopping_ && scheduler_.fiber_count() == 0; });
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  RunPosted();   // what came between the last poll and the end
}

bool Reactor::Post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (is_ended_) return false;
    posted_.push_back(std::move(work));
  }
  Interrupt();
  return true;
}

void Reactor::RequestStop() {
  Post([this] {
    is_stopping_ = true;
    for (Pending* pending : pending_) scheduler_.Unpark(pending->fiber);
  });
}

void Reactor::RunPosted() {
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(posted_);
  }
  for (const auto& one : work) one();
}

Status Reactor::Suspend(Deadline deadline) {
  Pending pending{scheduler_.current(), deadline};
  const auto place = pending_.insert(pending_.end(), &pending);
  if (deadline != kNever && next_sweep_ == kNever) next_sweep_ = Now() + kSweep;
  scheduler_.Park();
  pending_.erase(place);
  if (is_stopping_) return Code::kCancelled;
  if (pending.is_timed_out) return Code::kTimedOut;
  return {};
}

Status Reactor::Wait(Waiters& waiters, Deadline deadline, const bool* is_cancelled) {
  if (is_stopping_ || (is_cancelled != nullptr && *is_cancelled)) return Code::kCancelled;
  waiters.push_back(scheduler_.current());
  const Status status = Suspend(deadline);
  Forget(waiters, scheduler_.current());
  if (is_cancelled != nullptr && *is_cancelled) return Code::kCancelled;
  return status;
}

Status Reactor::WaitEither(Waiters& first, Waiters& second, Deadline deadline) {
  if (is_stopping_) return Code::kCancelled;
  first.push_back(scheduler_.current());
  second.push_back(scheduler_.current());
  const Status status = Suspend(deadline);
  Forget(first, scheduler_.current());
  Forget(second, scheduler_.current());
  return status;
}

void Reactor::Wake(Waiters& waiters) {
  for (Fiber* fiber : waiters) scheduler_.Unpark(fiber);
}

Status Reactor::Sleep(Nanoseconds time) {
  Waiters nobody;
  const Status status = Wait(nobody, In(time));
  if (!status && status.error().code == Code::kTimedOut) return {};
  return status;
}

void Reactor::Breathe() {
  if (++breaths_ % kBreath != 0) return;
  Poll(0);
  if (scheduler_.HasOtherWork()) scheduler_.Yield();
}

void Reactor::Wait(Nanoseconds until) {
  const Nanoseconds wake = std::min(until, next_sweep_);
  int timeout = -1;
  if (wake != Nanoseconds::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(wake - Now());
    timeout = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000));
  }
  Poll(timeout);
}

void Reactor::Poll(int timeout_ms) {
  epoll_event events[kEvents];
  const int count = epoll_wait(epoll_.get(), events, kEvents, timeout_ms);
  bool has_posted = false;
  for (int i = 0; i < count; ++i) {
    if (events[i].data.ptr == nullptr) {
      uint64_t number = 0;
      [[maybe_unused]] const ssize_t read_bytes = read(wakeup_.get(), &number, sizeof number);
      has_posted = true;
      continue;
    }
    auto* watch = static_cast<Watch*>(events[i].data.ptr);
    if (events[i].events & ~static_cast<uint32_t>(EPOLLOUT)) Wake(watch->readers);
    if (events[i].events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) Wake(watch->writers);
  }
  if (has_posted) RunPosted();
  if (next_sweep_ != kNever && Now() >= next_sweep_) SweepDeadlines();
}

void Reactor::SweepDeadlines() {
  const Deadline now = Now();
  bool has_deadline = false;
  for (Pending* pending : pending_) {
    if (pending->deadline == kNever) continue;
    if (pending->deadline <= now) {
      pending->is_timed_out = true;
      scheduler_.Unpark(pending->fiber);
    } else {
      has_deadline = true;
    }
  }
  next_sweep_ = has_deadline ? now + kSweep : kNever;
}

void Reactor::Interrupt() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wakeup_.get(), &one, sizeof one);
}

ChildFiber::ChildFiber(Reactor& reactor, std::function<void()> body) : reactor_(reactor) {
  reactor_.Spawn([this, work = std::move(body)] {
    work();
    is_done_ = true;
    reactor_.Wake(waiters_);
  });
}

void ChildFiber::Join() {
  while (!is_done_) {
    // A stop wakes both; the child ends by itself then, and is waited for again.
    if (!reactor_.Wait(waiters_, kNever)) reactor_.Breathe();
  }
}

}  // namespace paddock::egress
