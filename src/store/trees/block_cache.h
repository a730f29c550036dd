// BlockCache: the blocks that were read last, decompressed. Not an interface of the folder. Any thread.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace paddock::trees {

class BlockCache {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  explicit BlockCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Null when it is not here.
  Bytes Find(uint64_t pack, uint32_t offset) {
    const std::lock_guard lock(mutex_);
    const auto it = places_.find(KeyOf(pack, offset));
    if (it == places_.end()) return nullptr;
    blocks_.splice(blocks_.begin(), blocks_, it->second);
    return it->second->second;
  }
  void Add(uint64_t pack, uint32_t offset, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    const uint64_t key = KeyOf(pack, offset);
    if (places_.count(key) != 0) return;
    held_ += bytes->size();
    blocks_.emplace_front(key, std::move(bytes));
    places_[key] = blocks_.begin();
    while (held_ > max_bytes_ && blocks_.size() > 1) {
      held_ -= blocks_.back().second->size();
      places_.erase(blocks_.back().first);
      blocks_.pop_back();
    }
  }

 private:
  // Pack numbers only grow, so 32 bits of one do not come again while a block of it is here.
  static uint64_t KeyOf(uint64_t pack, uint32_t offset) { return pack << 32 | offset; }

  const size_t max_bytes_;
  std::mutex mutex_;
  std::list<std::pair<uint64_t, Bytes>> blocks_;
  std::unordered_map<uint64_t, std::list<std::pair<uint64_t, Bytes>>::iterator> places_;
  size_t held_ = 0;
};

}  // namespace paddock::trees
