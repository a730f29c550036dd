// EventQueue: carries events from the engine's thread to the handler's. Bounded; a slow handler loses the newest events and is
// told how many.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "egress/egress.h"

namespace paddock::egress {

class EventQueue {
 public:
  using Handler = std::function<void(const Event&)>;
  // Without a handler events are dropped and no thread is started.
  EventQueue(Handler handler, size_t most);
  ~EventQueue() { Stop(); }

  void Push(Event event);   // any thread
  void Flush();             // returns when everything pushed before was handled; not from the handler
  void Stop();              // the same, and ends the thread. Idempotent

 private:
  void Work();

  const Handler handler_;
  const size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> waiting_;
  uint64_t dropped_ = 0, pushed_ = 0, handled_ = 0;
  bool is_stopped_ = false;
  std::thread thread_;
};

}  // namespace paddock::egress
