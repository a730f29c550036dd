// Threads for calls that take their time: one a call, as many as are allowed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace paddock::mcp {

// Any thread, but for the destructor.
class CallThreads {
 public:
  explicit CallThreads(size_t most) : most_(most) {}
  ~CallThreads();   // waits for all
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  // False: as many as are allowed run, or the system has no thread; `work` will not be called.
  bool Start(std::function<void()> work);
  // Until none runs; whether that came in time.
  bool WaitFor(std::chrono::milliseconds time);

 private:
  struct Thread {
    std::thread thread;
    bool is_done = false;
  };
  void JoinDone(std::unique_lock<std::mutex>& lock);

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::list<Thread> threads_;
  size_t running_ = 0;
};

}  // namespace paddock::mcp
