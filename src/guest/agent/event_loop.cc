#include "guest/agent/event_loop.h"

#include <algorithm>
#include <cerrno>

namespace paddock::guest {

uint64_t EventLoop::Watch(int fd, uint32_t events, Handler handler) {
  const uint64_t watch = ++last_;
  const bool is_added = events != 0;
  if (is_added) {
    epoll_event event{.events = events, .data = {.u64 = watch}};
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return 0;
  }
  watched_.emplace(watch, Watched{fd, events, is_added, std::move(handler)});
  return watch;
}

void EventLoop::Change(uint64_t watch, uint32_t events) {
  const auto found = watched_.find(watch);
  if (found == watched_.end() || found->second.events == events) return;
  Watched& watched = found->second;
  watched.events = events;
  epoll_event event{.events = events, .data = {.u64 = watch}};
  if (events == 0) {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, watched.fd, nullptr);
  } else {
    epoll_ctl(epoll_.get(), watched.is_added ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, watched.fd, &event);
  }
  watched.is_added = events != 0;
}

void EventLoop::Forget(uint64_t watch) {
  const auto found = watched_.find(watch);
  if (found == watched_.end()) return;
  if (found->second.is_added) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
  watched_.erase(found);
}

void EventLoop::After(std::chrono::milliseconds delay, std::function<void()> handler) {
  timers_.emplace(Clock::now() + delay, std::move(handler));
}

bool EventLoop::RunOnce(std::chrono::milliseconds longest) {
  int timeout_ms = static_cast<int>(longest.count());
  if (!timers_.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first - Clock::now());
    timeout_ms = static_cast<int>(std::clamp<int64_t>(left.count(), 0, timeout_ms));
  }
  epoll_event events[64];
  const int count = epoll_wait(epoll_.get(), events, 64, timeout_ms);
  if (count < 0 && errno != EINTR) return false;
  for (int i = 0; i < count; ++i) {
    const uint64_t watch = events[i].data.u64;   // a copy: the struct is packed
    const auto found = watched_.find(watch);
    if (found == watched_.end()) continue;
    const Handler handler = found->second.handler;   // a copy: it may forget itself
    handler(events[i].events);
  }
  while (!timers_.empty() && timers_.begin()->first <= Clock::now()) {
    const auto handler = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    handler();
  }
  return true;
}

}  // namespace paddock::guest
