#include "api/mcp/progress.h"

#include <algorithm>

namespace paddock::mcp {

using Clock = std::chrono::steady_clock;

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Progress::Run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (watches_.empty()) {
      changed_.wait(lock, [&] { return is_ending_ || !watches_.empty(); });
      continue;
    }
    const Clock::time_point now = Clock::now();
    Clock::time_point next = now + interval_;
    for (Watch* const watch : watches_) {
      watch->SendIfDue(now);
      next = std::min(next, watch->sent_ + interval_);
    }
    changed_.wait_until(lock, next);
  }
}

Progress::Watch::Watch(Progress& of, json::value token, Notify notify)
    : of_(of), token_(std::move(token)), notify_(std::move(notify)), begun_(Clock::now()), sent_(begun_) {
  {
    const std::lock_guard lock(of_.mutex_);
    of_.watches_.insert(this);
    if (!of_.thread_.joinable()) of_.thread_ = std::thread([&progress = of_] { progress.Run(); });
  }
  of_.changed_.notify_all();
}

Progress::Watch::~Watch() {
  const std::lock_guard lock(of_.mutex_);
  of_.watches_.erase(this);
}

void Progress::Watch::Count(size_t bytes) {
  const std::lock_guard lock(of_.mutex_);
  bytes_ += bytes;
  SendIfDue(Clock::now());
}

void Progress::Watch::SendIfDue(Clock::time_point now) {
  if (now - sent_ < of_.interval_ || now <= sent_) return;
  sent_ = now;
  // Seconds: they grow whatever the call does. How many there will be is not known.
  const double seconds = static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(now - begun_).count()) / 1000;
  notify_(Notification("notifications/progress", {{"progressToken", token_},
                                                  {"progress", seconds},
                                                  {"message", "running for " + std::to_string(static_cast<int64_t>(seconds)) +
                                                                  " s, " + std::to_string(bytes_) + " bytes of output"}}));
}

}  // namespace paddock::mcp
