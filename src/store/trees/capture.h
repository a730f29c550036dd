// Capture: files become a tree in the store.
//
// What is kept: names, types, modes, owners, modification times, contents with their holes, symlink
// targets, device numbers, hard links. What is not: access and change times, extended attributes, sockets'
// and FIFOs' contents. Equal files make equal trees.
#pragma once

#include <cstdint>
#include <string_view>

#include "store/trees/store.h"
#include "vfs/file_system.h"
#include "vfs/volume.h"

namespace paddock::trees {

struct CaptureOptions {
  uint64_t max_entries = 10'000'000;
  uint64_t max_bytes = UINT64_MAX;  // of contents; holes do not count
  // For FileSystem: what is mounted below the path is an empty directory of the tree.
  bool one_volume = true;
};

struct TreeTotals {
  uint64_t entries = 0;        // the root not counted
  uint64_t content_bytes = 0;  // sizes of the files, holes too; every hard link counts
};

struct Captured {
  ObjectId tree;
  TreeTotals totals;
};

// The directory `path` and what is below it; symlinks are not followed, but for `path` itself. The tree is
// durable when this returns. Files that change meanwhile are captured as they are read. Errors: those of
// the file system with the path, kNotDirectory, kLimit, those of the store.
Result<Captured> Capture(Session& session, vfs::FileSystem& files, std::string_view path, const CaptureOptions& options = {});
// The same for a whole volume: no path, so no limit on its length, and nothing mounted on it is seen.
Result<Captured> Capture(Session& session, vfs::Volume& volume, const CaptureOptions& options = {});

}  // namespace paddock::trees
