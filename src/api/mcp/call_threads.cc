#include "api/mcp/call_threads.h"

#include <system_error>

namespace paddock::mcp {

CallThreads::~CallThreads() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return running_ == 0; });
  JoinDone(lock);
}

bool CallThreads::Start(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  JoinDone(lock);
  if (running_ >= most_) return false;
  const auto place = threads_.emplace(threads_.end());
  try {
    place->thread = std::thread([this, place, work = std::move(work)]() mutable {
      work();
      work = nullptr;   // what it holds goes before somebody hears that it is done
      const std::lock_guard done(mutex_);
      place->is_done = true;
      --running_;
      ended_.notify_all();
    });
  } catch (const std::system_error&) {
    threads_.erase(place);
    return false;
  }
  ++running_;
  return true;
}

bool CallThreads::WaitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, time, [&] { return running_ == 0; });
}

void CallThreads::JoinDone(std::unique_lock<std::mutex>&) {
  for (auto each = threads_.begin(); each != threads_.end();) {
    if (each->is_done) {
      each->thread.join();   // it needs the lock no more
      each = threads_.erase(each);
    } else {
      ++each;
    }
  }
}

}  // namespace paddock::mcp
