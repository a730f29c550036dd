// Loan: the turn of a running exec, lent to somebody else while the exec stands still.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace paddock::registry {

// One lender (the exec's thread), one borrower; it outlives both uses.
class Loan {
 public:
  // `on_lent` runs on the lender's thread, without a lock held.
  explicit Loan(std::function<void()> on_lent) : on_lent_(std::move(on_lent)) {}

  // The lender: lends, and waits until it is given back. At once when nobody wants it any more.
  void Lend() {
    {
      const std::lock_guard lock(mutex_);
      if (is_over_) return;
      is_lent_ = true;
    }
    on_lent_();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_over_; });
  }
  // The borrower. True: it has the turn, and the lender waits.
  bool is_lent() const { return is_lent_; }
  // Gives it back, or asks for it no more.
  void End() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  // Asks for it no more, unless it has been lent.
  bool Withdraw() {
    const std::lock_guard lock(mutex_);
    if (is_lent_) return false;
    is_over_ = true;
    return true;
  }

 private:
  const std::function<void()> on_lent_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> is_lent_{false};
  bool is_over_ = false;
};

}  // namespace paddock::registry
