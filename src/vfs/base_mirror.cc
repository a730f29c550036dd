#include "vfs/base_mirror.h"

#include <algorithm>

namespace paddock::vfs {
namespace {

// The volume's own quota bounded what is followed; a node that moves may be there twice for a moment.
constexpr Quota kUnbounded{.bytes = uint64_t{1} << 60, .inodes = uint64_t{1} << 40, .file_bytes = uint64_t{1} << 60};

Error Unknown() { return Error(Code::kInvalid, "the tree is no later state of the one that was followed"); }

}  // namespace

BaseMirror::BaseMirror(const MemoryVolume& volume)
    : base_(BaseTree::Make(volume, &numbers_)), seen_(volume.Fork()), mirror_(base_->Fork()) {
  mirror_->set_quota(kUnbounded);
}

BaseMirror::~BaseMirror() = default;

Status BaseMirror::Follow(const MemoryVolume& volume) {
  const std::shared_ptr<MemoryVolume> now = volume.Fork();
  const std::shared_ptr<MemoryVolume> before = std::exchange(seen_, now);   // the changes are views into both
  PADDOCK_ASSIGN(TreeChanges changes, ChangesBetween(*before, *now));
  if (changes.empty()) return {};
  PADDOCK_ASSIGN(const TreeChanges none, ChangesBetween(*mirror_, *mirror_));
  changes.start = none.start;
  changes.next = none.start.next;
  for (const TreeChanges::Node& node : changes.nodes) {
    if (node.created && !numbers_.try_emplace(node.node, changes.next++).second) return Unknown();
  }
  bool is_known = true;
  const auto translate = [&](NodeId& node) {
    const auto found = numbers_.find(node);
    is_known &= found != numbers_.end();
    if (is_known) node = found->second;
  };
  for (TreeChanges::Node& node : changes.nodes) {
    translate(node.node);
    for (TreeChanges::Entry& entry : node.entries) {
      if (entry.node != 0) translate(entry.node);
    }
  }
  for (NodeId& node : changes.removed) {
    const auto found = numbers_.find(node);
    if (found == numbers_.end()) return Unknown();
    node = found->second;
    numbers_.erase(found);
  }
  if (!is_known) return Unknown();
  std::sort(changes.removed.begin(), changes.removed.end());
  std::sort(changes.nodes.begin(), changes.nodes.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  return ApplyChanges(changes, *mirror_);
}

Result<std::string> BaseMirror::Changes(uint64_t most) const {
  PADDOCK_ASSIGN(const TreeChanges changes, ChangesBetween(base_->volume(), *mirror_));
  if (ContentBytes(changes) > most) return Error(Code::kLimit, "too much has changed");
  return EncodeChanges(changes);
}

}  // namespace paddock::vfs
