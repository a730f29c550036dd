// TreeCache: trees that were restored into memory, kept so that the next restore is a fork: O(1), and its files are
// shared until they are written. Any thread.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "store/trees/store.h"
#include "vfs/memory_volume.h"

namespace paddock::trees {

class TreeCache {
 public:
  // Keeps trees of up to `max_bytes` together, those used last; a larger one is not kept.
  explicit TreeCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // As RestoreMemory(), on the machine's clock.
  Result<std::shared_ptr<vfs::MemoryVolume>> Restore(Store& store, const ObjectId& tree, const vfs::Quota& quota);

 private:
  std::shared_ptr<vfs::MemoryVolume> Find(const ObjectId& tree);
  void Keep(const ObjectId& tree, std::shared_ptr<vfs::MemoryVolume> volume);

  const uint64_t max_bytes_;
  std::mutex mutex_;
  std::list<std::pair<ObjectId, std::shared_ptr<vfs::MemoryVolume>>> volumes_;  // used last first
  uint64_t held_ = 0;
};

}  // namespace paddock::trees
