// Restore: a tree of the store becomes files again.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "store/trees/capture.h"
#include "store/trees/nodes.h"
#include "store/trees/store.h"
#include "vfs/file_system.h"
#include "vfs/memory_volume.h"

namespace paddock::trees {

struct RestoreOptions {
  uint64_t max_entries = 10'000'000;
  // False: files belong to whoever makes them. A host directory wants that.
  bool keeps_owners = true;
  // False: devices, FIFOs and sockets are left out and counted in Restored::skipped.
  bool makes_special_files = true;
};

struct Restored {
  TreeTotals totals;
  uint64_t skipped = 0;
};

// Into the directory `path`, which is made or empty (kNotEmpty). On an error what was made stays. Errors:
// those of the file system with the path, those of the store.
Result<Restored> Restore(Store& store, const ObjectId& tree, vfs::FileSystem& files, std::string_view path,
                         const RestoreOptions& options = {});
// Into an empty volume.
Result<Restored> Restore(Store& store, const ObjectId& tree, vfs::Volume& volume, const RestoreOptions& options = {});
// Into a new memory volume. Errors: also kNoSpace when the tree does not fit the quota.
Result<std::shared_ptr<vfs::MemoryVolume>> RestoreMemory(Store& store, const ObjectId& tree, const Clock& clock,
                                                         const vfs::Quota& quota);

// The root of a tree. Errors: those of Store::Get(), kSyntax.
Result<TreeNode> ReadTree(Store& store, const ObjectId& tree);
// Its hard links.
Result<LinkGroups> ReadLinks(Store& store, const TreeNode& tree);

}  // namespace paddock::trees
