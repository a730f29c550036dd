#include "guest/agent/output_log.h"

#include <algorithm>
#include <cstring>

namespace paddock::guest {
namespace {

constexpr size_t kFirstBytes = 4096;

}  // namespace

void OutputLog::Grow(size_t size) {
  auto ring = std::make_unique_for_overwrite<char[]>(size);
  for (uint64_t at = begin_; at < end_;) {
    const size_t from = static_cast<size_t>(at % size_), to = static_cast<size_t>(at % size);
    const size_t count = std::min({size_ - from, size - to, static_cast<size_t>(end_ - at)});
    std::memcpy(ring.get() + to, ring_.get() + from, count);
    at += count;
  }
  ring_ = std::move(ring);
  size_ = size;
}

std::span<char> OutputLog::Space() {
  if (!HasRoom()) return {};
  if (size_ == 0) {
    Grow(std::min(kFirstBytes, max_));
  } else if (size_ < max_ && (was_filled_ || unsent() == size_)) {
    Grow(std::min(size_ * 4, max_));
  }
  was_filled_ = false;
  const size_t at = static_cast<size_t>(end_ % size_);
  return {ring_.get() + at, std::min(size_ - at, size_ - unsent())};
}

void OutputLog::Commit(size_t bytes) {
  const size_t at = static_cast<size_t>(end_ % size_);
  was_filled_ = bytes == std::min(size_ - at, size_ - unsent());
  end_ += bytes;
  if (end_ - begin_ > size_) begin_ = end_ - size_;
}

OutputLog::Pieces OutputLog::Next(size_t max) const {
  const size_t count = std::min(max, unsent());
  if (count == 0) return {};
  const size_t at = static_cast<size_t>(sent_ % size_), first = std::min(count, size_ - at);
  return {{ring_.get() + at, first}, {ring_.get(), count - first}};
}

uint64_t OutputLog::Rewind(uint64_t offset) {
  sent_ = std::clamp(offset, begin_, end_);
  return sent_;
}

}  // namespace paddock::guest
