// DenialEvents: what a sandbox's policy refuses, as events: so many at once, then one a second; the rest is counted.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace paddock::registry {

// Any thread.
class DenialEvents {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kBurst = 20;
  static constexpr auto kEvery = std::chrono::seconds(1);
  static constexpr size_t kMostText = 1000;   // bytes

  // `left_out`: how many were not told since the last one.
  using Publish = std::function<void(const std::string& text, uint64_t left_out)>;
  explicit DenialEvents(Publish publish) : publish_(std::move(publish)) {}

  void Tell(const std::string& line, Clock::time_point now = Clock::now());
  // That some were left out, when nothing else says so and there is room.
  bool owes() const { return left_out_ > 0; }
  void TellLeftOut(Clock::time_point now = Clock::now());

 private:
  // Whether one may be told now, which is taken then. With the lock.
  bool TakeRoom(Clock::time_point now);

  const Publish publish_;   // null: nobody wants them
  std::mutex mutex_;        // held while one is published: they keep their order
  uint64_t room_ = kBurst;
  Clock::time_point refilled_{};
  std::atomic<uint64_t> left_out_{0};
};

}  // namespace paddock::registry
