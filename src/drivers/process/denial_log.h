// DenialLog: what the policy has refused, in order, bounded; written by the parts of the wall, read by results.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace paddock::process_wall {

class DenialLog {
 public:
  static constexpr size_t kMost = 1000;

  void Add(std::string line) {
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

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
  size_t dropped_ = 0;
};

}  // namespace paddock::process_wall
