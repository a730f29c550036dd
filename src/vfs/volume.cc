#include "vfs/volume.h"

namespace paddock::vfs {

Result<std::string> Volume::Name(NodeId directory) {
  PADDOCK_ASSIGN(const NodeId parent, Parent(directory));
  PADDOCK_ASSIGN(const std::vector<DirectoryEntry> entries, List(parent));
  for (const DirectoryEntry& entry : entries) {
    if (entry.type != FileType::kDirectory) continue;
    auto found = Lookup(parent, entry.name);
    if (found && *found == directory) return entry.name;
  }
  return Code::kNoEntry;
}

std::shared_ptr<const void> Volume::Hold(NodeId /*node*/) { return nullptr; }

}  // namespace paddock::vfs
