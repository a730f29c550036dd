#include "registry/states/bases.h"

#include <algorithm>

#include "store/trees/capture.h"
#include "store/trees/restore.h"

namespace paddock::registry {
namespace {

// Whoever put a tree into the store was bounded; a sandbox's own quota is set on its fork.
constexpr vfs::Quota kUnbounded{.bytes = uint64_t{1} << 50, .inodes = uint64_t{1} << 32};

// A node costs memory beside its content.
uint64_t BytesOf(const vfs::MemoryVolume& volume) {
  constexpr uint64_t kNodeBytes = 400;
  const vfs::SpaceInfo space = volume.Space();
  return space.used_bytes + space.used_inodes * kNodeBytes;
}

}  // namespace

Result<std::string> Bases::Keep(const std::shared_ptr<const vfs::BaseTree>& base) {
  const std::lock_guard lock(mutex_);
  if (const auto known = names_.find(base); known != names_.end()) return known->second;
  std::erase_if(names_, [](const auto& entry) { return entry.first.expired(); });
  trees::Session session = store_->Begin();
  const std::shared_ptr<vfs::MemoryVolume> volume = base->Fork();   // reading one touches its times
  PADDOCK_ASSIGN(const trees::Captured captured, trees::Capture(session, *volume));
  PADDOCK_TRY(session.Finish());
  std::string name = captured.tree.ToString();
  names_[base] = name;
  by_name_[name] = base;
  return name;
}

Result<std::shared_ptr<const vfs::BaseTree>> Bases::Find(const std::string& name) {
  PADDOCK_ASSIGN(const trees::ObjectId tree, trees::ObjectId::Parse(name));
  const std::lock_guard lock(mutex_);
  if (const auto known = by_name_.find(name); known != by_name_.end()) {
    if (auto base = known->second.lock()) return base;
  }
  auto cached = std::find_if(cached_.begin(), cached_.end(), [&](const Cached& one) { return one.name == name; });
  if (cached == cached_.end()) {
    PADDOCK_ASSIGN(const std::shared_ptr<vfs::MemoryVolume> volume, trees::RestoreMemory(*store_, tree, SystemClock(), kUnbounded));
    CacheLocked(name, volume);
    cached = cached_.begin();
  } else {
    cached_.splice(cached_.begin(), cached_, cached);
  }
  std::erase_if(by_name_, [](const auto& entry) { return entry.second.expired(); });
  std::erase_if(names_, [](const auto& entry) { return entry.first.expired(); });
  if (cached->base == nullptr) cached->base = vfs::BaseTree::Make(*cached->files);
  std::shared_ptr<const vfs::BaseTree> base = cached->base;
  by_name_[name] = base;
  names_[base] = name;
  ShrinkLocked();
  return base;
}

void Bases::Remember(const std::string& name, std::shared_ptr<const vfs::MemoryVolume> files, const std::shared_ptr<const vfs::BaseTree>& base) {
  const std::lock_guard lock(mutex_);
  if (base != nullptr && by_name_[name].expired()) {
    by_name_[name] = base;
    names_[base] = name;
  }
  const auto known = std::find_if(cached_.begin(), cached_.end(), [&](const Cached& one) { return one.name == name; });
  if (known != cached_.end()) {
    if (known->base == nullptr) known->base = base;
    return;
  }
  if (BytesOf(*files) > most_cached_) return;
  CacheLocked(name, std::move(files)).base = base;
  ShrinkLocked();
}

Bases::Cached& Bases::CacheLocked(const std::string& name, std::shared_ptr<const vfs::MemoryVolume> files) {
  const uint64_t bytes = BytesOf(*files);
  cached_bytes_ += bytes;
  return cached_.emplace_front(Cached{.name = name, .files = std::move(files), .base = nullptr, .bytes = bytes});
}

void Bases::ShrinkLocked() {
  while (cached_bytes_ > most_cached_) {
    cached_bytes_ -= cached_.back().bytes;
    cached_.pop_back();
  }
}

std::vector<trees::ObjectId> Bases::InUse() {
  const std::lock_guard lock(mutex_);
  std::vector<trees::ObjectId> trees;
  for (const auto& [base, name] : names_) {
    if (base.expired()) continue;
    if (const auto tree = trees::ObjectId::Parse(name)) trees.push_back(*tree);
  }
  return trees;
}

}  // namespace paddock::registry
