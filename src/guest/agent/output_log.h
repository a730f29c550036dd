// OutputLog: the last bytes of an endless stream, addressed by their offset from its start. A ring that grows up to its
// capacity and then forgets its oldest bytes, but never one that has not been marked as sent.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace paddock::guest {

class OutputLog {
 public:
  explicit OutputLog(size_t capacity) : max_(capacity) {}

  uint64_t begin() const { return begin_; }   // offset of the oldest byte kept
  uint64_t end() const { return end_; }
  uint64_t sent() const { return sent_; }     // offset of the next byte to send
  size_t unsent() const { return static_cast<size_t>(end_ - sent_); }
  bool HasRoom() const { return unsent() < max_; }

  // Where the next bytes go: empty only without room. Commit() says how many came.
  std::span<char> Space();
  void Commit(size_t bytes);

  // The next bytes to send, at most `max`, in two pieces; then marks them as sent.
  struct Pieces {
    std::string_view one;
    std::string_view two;
  };
  Pieces Next(size_t max) const;
  void MarkSent(size_t bytes) { sent_ += bytes; }
  // Sends again from `offset`, or from the nearest offset that can be had. Returns that.
  uint64_t Rewind(uint64_t offset);

 private:
  void Grow(size_t size);

  size_t max_;
  size_t size_ = 0;
  std::unique_ptr<char[]> ring_;
  uint64_t begin_ = 0;
  uint64_t sent_ = 0;
  uint64_t end_ = 0;
  bool was_filled_ = false;
};

}  // namespace paddock::guest
