// DenialLog: what the policy of a sandbox has refused, in order, bounded; written by the parts of a wall, read by results.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace paddock::sandbox {

class DenialLog {
 public:
  static constexpr size_t kMost = 1000;

  void Add(std::string line) {
    std::function<void(const std::string&)> listener;
    {
      const std::lock_guard lock(mutex_);
      listener = listener_;
    }
    if (listener) listener(line);
    const std::lock_guard lock(mutex_);
    if (lines_.size() < kMost) lines_.push_back(std::move(line));
    else ++dropped_;
  }
  // What came since the last call; the number of lines that did not fit as a last one.
  std::vector<std::string> Take() {
    const std::lock_guard lock(mutex_);
    if (dropped_ > 0) lines_.push_back(std::to_string(dropped_) + " more denials");
    dropped_ = 0;
    return std::exchange(lines_, {});
  }

  // Is told of each line from now on, on whichever thread adds it.
  void Tell(std::function<void(const std::string&)> listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }

 private:
  std::mutex mutex_;
  std::function<void(const std::string&)> listener_;
  std::vector<std::string> lines_;
  size_t dropped_ = 0;
};

}  // namespace paddock::sandbox
