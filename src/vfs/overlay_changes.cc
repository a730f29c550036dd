// OverlayLayers::Changes: what differs between an overlay and its lower volume.

#include <algorithm>
#include <iterator>
#include <utility>

#include "vfs/overlay_layers.h"

namespace paddock::vfs {

// One name to look at; at least one node is there. The upper one may be a whiteout.
struct OverlayLayers::Comparison {
  std::string path;
  std::optional<NodeId> upper;
  std::optional<NodeId> lower;
};

Result<bool> OverlayLayers::HasSameContent(NodeId upper, NodeId lower) const {
  PADDOCK_ASSIGN(const OpenFilePtr one, upper_->Open(upper, OpenFlags::Read()));
  PADDOCK_ASSIGN(const OpenFilePtr two, lower_->Open(lower, OpenFlags::Read()));
  while (true) {
    PADDOCK_ASSIGN(const Block left, one->ReadBlock(64 << 10));
    PADDOCK_ASSIGN(const Block right, two->ReadBlock(64 << 10));
    const size_t common = std::min(left.bytes.size(), right.bytes.size());
    if (left.bytes.substr(0, common) != right.bytes.substr(0, common)) return false;
    if (common == 0) return left.bytes.size() == right.bytes.size();
    one->GiveBack(left.bytes.size() - common);
    two->GiveBack(right.bytes.size() - common);
  }
}

// Entries of the upper directory with what they have below; with those that only the lower one has,
// too, if the upper one hides them.
Status OverlayLayers::PushEntries(const Comparison& task, bool with_lower,
                                  std::vector<Comparison>& pending) const {
  std::vector<Comparison> found;
  const std::string prefix = task.path.empty() ? "" : task.path + "/";
  PADDOCK_ASSIGN(const std::vector<DirectoryEntry> above, upper_->List(*task.upper));
  for (const DirectoryEntry& entry : above) {
    PADDOCK_ASSIGN(const NodeId upper, upper_->Lookup(*task.upper, entry.name));
    std::optional<NodeId> lower;
    if (task.lower) {
      if (auto node = lower_->Lookup(*task.lower, entry.name)) lower = *node;
    }
    found.push_back({prefix + entry.name, upper, lower});
  }
  if (with_lower && task.lower) {
    PADDOCK_ASSIGN(const std::vector<DirectoryEntry> below, lower_->List(*task.lower));
    for (const DirectoryEntry& entry : below) {
      if (upper_->Lookup(*task.upper, entry.name)) continue;
      PADDOCK_ASSIGN(const NodeId lower, lower_->Lookup(*task.lower, entry.name));
      found.push_back({prefix + entry.name, std::nullopt, lower});
    }
  }
  // The last one pushed comes first.
  std::sort(found.begin(), found.end(),
            [](const Comparison& a, const Comparison& b) { return a.path > b.path; });
  std::move(found.begin(), found.end(), std::back_inserter(pending));
  return {};
}

Status OverlayLayers::Compare(const Comparison& task, std::vector<Comparison>& pending,
                              std::vector<OverlayChange>& changes) const {
  using Kind = OverlayChange::Kind;
  Attributes below;
  if (task.lower) {
    PADDOCK_ASSIGN(below, lower_->GetAttributes(*task.lower));
  }
  Attributes above;
  if (task.upper) {
    PADDOCK_ASSIGN(above, upper_->GetAttributes(*task.upper));
  }
  if (!task.upper || IsWhiteout(above)) {
    if (task.lower) changes.push_back({Kind::kRemoved, task.path, below.type});
    return {};
  }
  if (!task.lower) {
    changes.push_back({Kind::kAdded, task.path, above.type});
    return above.is_directory() ? PushEntries(task, false, pending) : Status{};
  }
  bool is_modified = above.type != below.type || above.mode != below.mode ||
                     above.uid != below.uid || above.gid != below.gid;
  if (!is_modified && above.is_file()) {
    is_modified = above.size != below.size;
    if (!is_modified) {
      PADDOCK_ASSIGN(const bool is_same, HasSameContent(*task.upper, *task.lower));
      is_modified = !is_same;
    }
  }
  if (!is_modified && above.is_symlink()) {
    PADDOCK_ASSIGN(const std::string target, upper_->ReadLink(*task.upper));
    PADDOCK_ASSIGN(const std::string old_target, lower_->ReadLink(*task.lower));
    is_modified = target != old_target;
  }
  if (is_modified) changes.push_back({Kind::kModified, task.path, above.type});
  if (!above.is_directory()) return {};
  if (below.is_directory()) return PushEntries(task, IsOpaque(above), pending);
  return PushEntries({task.path, task.upper, std::nullopt}, false, pending);
}

Result<std::vector<OverlayChange>> OverlayLayers::Changes() const {
  std::vector<OverlayChange> changes;
  std::vector<Comparison> pending;
  const LayerPair root = Root();
  PADDOCK_TRY(PushEntries({"", root.upper, root.lower}, false, pending));
  while (!pending.empty()) {
    const Comparison task = std::move(pending.back());
    pending.pop_back();
    PADDOCK_TRY(Compare(task, pending, changes));
  }
  return changes;
}

}  // namespace paddock::vfs
