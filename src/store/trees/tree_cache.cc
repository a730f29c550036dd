#include "store/trees/tree_cache.h"

#include <algorithm>

#include "store/trees/restore.h"

namespace paddock::trees {
namespace {

// A node costs memory beside its content.
uint64_t BytesOf(const vfs::MemoryVolume& volume) {
  constexpr uint64_t kNodeBytes = 400;
  const vfs::SpaceInfo space = volume.Space();
  return space.used_bytes + space.used_inodes * kNodeBytes;
}

}  // namespace

std::shared_ptr<vfs::MemoryVolume> TreeCache::Find(const ObjectId& tree) {
  const std::lock_guard lock(mutex_);
  const auto it = std::find_if(volumes_.begin(), volumes_.end(), [&tree](const auto& kept) { return kept.first == tree; });
  if (it == volumes_.end()) return nullptr;
  volumes_.splice(volumes_.begin(), volumes_, it);
  return it->second->Fork();
}

void TreeCache::Keep(const ObjectId& tree, std::shared_ptr<vfs::MemoryVolume> volume) {
  const uint64_t bytes = BytesOf(*volume);
  if (bytes > max_bytes_) return;
  const std::lock_guard lock(mutex_);
  for (const auto& [kept, other] : volumes_) {
    if (kept == tree) return;
  }
  held_ += bytes;
  volumes_.emplace_front(tree, std::move(volume));
  while (held_ > max_bytes_) {
    held_ -= BytesOf(*volumes_.back().second);
    volumes_.pop_back();
  }
}

Result<std::shared_ptr<vfs::MemoryVolume>> TreeCache::Restore(Store& store, const ObjectId& tree, const vfs::Quota& quota) {
  // A tree that was collected is gone here, too.
  std::shared_ptr<vfs::MemoryVolume> volume = store.Has(tree) ? Find(tree) : nullptr;
  if (volume == nullptr) {
    PADDOCK_ASSIGN(volume, RestoreMemory(store, tree, SystemClock(), quota));
    Keep(tree, volume->Fork());
    return volume;
  }
  const vfs::SpaceInfo space = volume->Space();
  if (space.used_bytes > quota.bytes || space.used_inodes > quota.inodes) return Error(Code::kNoSpace);
  volume->set_quota(quota);
  return volume;
}

}  // namespace paddock::trees
