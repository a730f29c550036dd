// Turns: who may use a sandbox that does one thing at a time, in the order in which they asked.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

namespace paddock::registry {

// Any thread.
class Turns {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // Held while somebody has the turn; the turn ends with it. It outlives Turns by no means.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(turns) {}
    ~Turn() { turns_.Leave(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Turns& turns_;
  };

  // Waits until all before have left; null when `until` passes first, or `gives_up` answers true when it is asked after a Nudge().
  template <class GivesUp>
  std::unique_ptr<Turn> Take(Deadline until, GivesUp gives_up) {
    std::unique_lock lock(mutex_);
    const auto me = queue_.insert(queue_.end(), 0);
    const bool is_mine = changed_.wait_until(lock, until, [&] { return (queue_.begin() == me && !is_taken_) || gives_up(); }) &&
                         queue_.begin() == me && !is_taken_;
    queue_.erase(me);
    if (!is_mine) {
      changed_.notify_all();   // the next one may be first now
      return nullptr;
    }
    is_taken_ = true;
    return std::make_unique<Turn>(*this);
  }
  std::unique_ptr<Turn> Take(Deadline until) {
    return Take(until, [] { return false; });
  }
  // Makes those that wait ask whether they give up.
  void Nudge() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

 private:
  void Leave() {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<int> queue_;
  bool is_taken_ = false;
};

}  // namespace paddock::registry
