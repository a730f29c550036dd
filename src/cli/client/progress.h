// A line on stderr that tells how far a transfer is, when stderr is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace paddock::cli {

class Progress {
 public:
  // `total` bytes, where that is known. Nothing is shown within the first half second.
  Progress(bool is_quiet, std::optional<uint64_t> total);
  ~Progress();   // takes the line away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Add(uint64_t bytes);

 private:
  const bool is_shown_;
  const std::optional<uint64_t> total_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_;
  uint64_t done_ = 0;
  bool has_line_ = false;
};

}  // namespace paddock::cli
