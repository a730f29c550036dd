// StateDiff: what differs between the files of two states in the store, for people and models.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/trees/tree_diff.h"
#include "vfs/attributes.h"

namespace paddock::registry {

enum class StateChangeKind { kAdded, kRemoved, kModified, kRetyped };

struct StateChange {
  std::string path;                            // absolute; the root is "/"
  StateChangeKind kind = StateChangeKind::kModified;
  vfs::FileType type = vfs::FileType::kFile;   // afterwards; before if removed
  uint64_t size_before = 0, size_after = 0;    // of files
  uint32_t mode_before = 0, mode_after = 0;
  std::string patch;                           // unified hunks of a text file of up to 256 KiB, where asked for; malformed UTF-8 as U+FFFD
};

struct StateDiffRequest {
  std::string below = "/";      // only what lies here
  size_t most = 1000;           // changes
  bool tells_removed_once = false;   // a removed directory stands for all below it
  bool wants_patches = false;   // of the first 200 changes, up to 4 MiB together
};
struct StateDiff {
  std::vector<StateChange> changes;   // by path, parents before what is below them
  bool is_complete = true;            // false: there are more
};

// Times alone are no difference. Errors: those of the store.
Result<StateDiff> DiffStates(trees::Store& store, const trees::ObjectId& before, const trees::ObjectId& after, const StateDiffRequest& request);

}  // namespace paddock::registry
