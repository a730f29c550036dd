#include "registry/bases.h"

#include "store/trees/capture.h"
#include "store/trees/restore.h"

namespace paddock::registry {

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
  std::erase_if(by_name_, [](const auto& entry) { return entry.second.expired(); });
  PADDOCK_ASSIGN(const std::shared_ptr<vfs::MemoryVolume> volume, trees::RestoreMemory(*store_, tree, SystemClock(), vfs::Quota{}));
  std::shared_ptr<const vfs::BaseTree> base = vfs::BaseTree::Make(*volume);
  by_name_[name] = base;
  names_[base] = name;
  return base;
}

}  // namespace paddock::registry
