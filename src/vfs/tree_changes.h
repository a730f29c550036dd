// TreeChanges: what turned one memory volume into a later state of it, found by what the two no longer share.
//
// A volume keeps its files in a table of numbered nodes; changes are told by these numbers, not by paths. So a file that
// is renamed, linked or moved with its directory costs the names that changed, and a write the bytes that changed. The
// numbers must mean the same on both sides: changes go onto a fork of the volume they started from, or onto a
// BaseTree's fork made from another copy of the same files.
//
// Files that have no name any more (open, deleted) are in no changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vfs/file_content.h"
#include "vfs/memory_volume.h"

namespace paddock::vfs {

struct TreeChanges {
  struct Entry {
    std::string_view name;
    NodeId node = 0;   // 0: the name is gone
  };
  struct Owner {
    uint32_t uid = 0;
    uint32_t gid = 0;
    bool operator==(const Owner&) const = default;
  };
  struct Times {
    Nanoseconds access{0};
    Nanoseconds modify{0};
    Nanoseconds change{0};
    bool operator==(const Times&) const = default;
  };
  // A node that is new, or in which something differs. What is absent stays (of a new one: zero, empty).
  struct Node {
    NodeId node = 0;
    std::optional<FileType> created;   // it is new, and this
    std::string_view target;           // of a new symlink
    std::optional<uint32_t> mode;
    std::optional<Owner> owner;
    std::optional<uint64_t> special;
    std::optional<Times> times;
    std::optional<uint64_t> size;                    // of a file
    std::vector<FileContent::ChunkChange> chunks;    // of a file
    std::vector<Entry> entries;                      // of a directory, by name
  };
  // Some facts of the volume that the changes start from, to notice another one.
  struct Start {
    NodeId next = 0;   // the number that the next new node would have got
    uint64_t nodes = 0;
    uint64_t bytes = 0;
    bool operator==(const Start&) const = default;
  };

  Start start;
  NodeId next = 0;               // as in Start, afterwards
  std::vector<NodeId> removed;   // ascending
  std::vector<Node> nodes;       // ascending
  bool empty() const { return removed.empty() && nodes.empty(); }
};

// What happened to `after` since `before` was forked from it (or it from `before`). Costs what has changed, not what there
// is. The result holds views into `after`, which must stay as it is. kInvalid if the two are no such pair.
Result<TreeChanges> ChangesBetween(const MemoryVolume& before, const MemoryVolume& after);
// Does it again to a volume that is as `before` was. The volume's quota holds, unless it was over it before. Any changes
// are safe, and leave a sound tree or an error: kInvalid if they cannot be changes of this volume, kNoSpace, kBusy if it
// removes what is open. After an error the volume is of no use.
Status ApplyChanges(const TreeChanges& changes, MemoryVolume& volume);

// As bytes; equal changes have equal bytes. Nothing for no changes. What lies in extents that `source` has is named, not copied.
std::string EncodeChanges(const TreeChanges& changes, const ExtentSource* source = nullptr);
// Views into `bytes`. kInvalid for what EncodeChanges() does not write; the errors of `source`, which has the extents that are named.
Result<TreeChanges> DecodeChanges(std::string_view bytes, ExtentSource* source = nullptr);
// The extents that it names. Errors: kInvalid, which need not be complete.
Result<std::vector<ExtentName>> ExtentsOf(std::string_view bytes);
// The bytes of contents that EncodeChanges() would copy without a source.
uint64_t ContentBytes(const TreeChanges& changes);

// A tree that sandboxes start from. Its nodes are numbered by the names alone, in the order of a walk, so that changes
// against it apply to what another process makes of the same files (with the same holes in them). Immutable; safe from any thread.
class BaseTree {
 public:
  // Copies the table of nodes, O(files); shares the contents. Nobody may change `volume` meanwhile.
  // `numbers`, if there, gets the number in the base of each node of `volume` that has a name.
  static std::shared_ptr<const BaseTree> Make(const MemoryVolume& volume, std::unordered_map<NodeId, NodeId>* numbers = nullptr);
  // A volume of its own that starts as this tree. O(1).
  std::shared_ptr<MemoryVolume> Fork() const { return volume_->Fork(); }
  // To read, and to compare with.
  const MemoryVolume& volume() const { return *volume_; }

 private:
  explicit BaseTree(std::shared_ptr<const MemoryVolume> volume) : volume_(std::move(volume)) {}
  std::shared_ptr<const MemoryVolume> volume_;
};

}  // namespace paddock::vfs
