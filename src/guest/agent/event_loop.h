// EventLoop: epoll for one thread. Level-triggered; a handler may watch and forget others while it runs.
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>

#include "base/descriptor.h"

namespace paddock::guest {

class EventLoop {
 public:
  using Handler = std::function<void(uint32_t events)>;
  using Clock = std::chrono::steady_clock;

  EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

  // Calls `handler` whenever `fd` has one of `events` (EPOLLIN, EPOLLOUT; errors and hang-ups always). Returns a number
  // for the other calls, 0 when the descriptor cannot be watched (a regular file). The descriptor stays the caller's.
  uint64_t Watch(int fd, uint32_t events, Handler handler);
  // Changes what is waited for. With no events the descriptor is not looked at at all, not even for a hang-up.
  void Change(uint64_t watch, uint32_t events);
  // Call it before the descriptor is closed. 0 is ignored.
  void Forget(uint64_t watch);
  // Calls `handler` once, `delay` from now.
  void After(std::chrono::milliseconds delay, std::function<void()> handler);

  // Waits for events, at most `longest`, and handles them. False when waiting is impossible.
  bool RunOnce(std::chrono::milliseconds longest = std::chrono::minutes(1));

 private:
  struct Watched {
    int fd;
    uint32_t events;
    bool is_added;
    Handler handler;
  };

  Descriptor epoll_;
  uint64_t last_ = 0;
  std::unordered_map<uint64_t, Watched> watched_;
  std::multimap<Clock::time_point, std::function<void()>> timers_;
};

}  // namespace paddock::guest
