// Bases: the trees that virtual sandboxes start from, kept in the store once and in memory once, whoever starts from them.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/trees/store.h"
#include "vfs/tree_changes.h"

namespace paddock::registry {

// Any thread.
class Bases {
 public:
  // Keeps up to `most_cached` bytes of trees in memory that nobody uses at the moment.
  explicit Bases(std::shared_ptr<trees::Store> store, uint64_t most_cached = 64 << 20) : store_(std::move(store)), most_cached_(most_cached) {}

  // The name of a base in the store, where it is kept from now on.
  Result<std::string> Keep(const std::shared_ptr<const vfs::BaseTree>& base);
  // The base of that name; the same object for all that use it at the same time. Errors: kInvalid for no name, those of the store.
  Result<std::shared_ptr<const vfs::BaseTree>> Find(const std::string& name);
  // The files of the tree of that name, which nobody changes any more: Find() need not read them from the store, nor, with the `base` that
  // was made of them, make that.
  void Remember(const std::string& name, std::shared_ptr<const vfs::MemoryVolume> files, const std::shared_ptr<const vfs::BaseTree>& base = nullptr);

  // Those that are in use in memory: a collection must not take them.
  std::vector<trees::ObjectId> InUse();
  const std::shared_ptr<trees::Store>& store() const { return store_; }

 private:
  struct Cached {
    std::string name;
    std::shared_ptr<const vfs::MemoryVolume> files;
    std::shared_ptr<const vfs::BaseTree> base;   // null until somebody wants it
    uint64_t bytes = 0;
  };
  // These want mutex_ held.
  Cached& CacheLocked(const std::string& name, std::shared_ptr<const vfs::MemoryVolume> files);
  void ShrinkLocked();

  const std::shared_ptr<trees::Store> store_;
  const uint64_t most_cached_;
  std::mutex mutex_;   // held while one is made: the second who wants it waits for the first
  std::map<std::string, std::weak_ptr<const vfs::BaseTree>> by_name_;
  std::map<std::weak_ptr<const vfs::BaseTree>, std::string, std::owner_less<>> names_;
  std::list<Cached> cached_;   // used last first
  uint64_t cached_bytes_ = 0;
};

}  // namespace paddock::registry
