// What differs between two states of a memory tree, and trees numbered anew.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "vfs/memory_tree.h"
#include "vfs/tree_changes.h"

namespace paddock::vfs {
namespace {

using Inode = MemoryTree::Inode;

TreeChanges::Owner OwnerOf(const Inode& inode) { return {inode.uid, inode.gid}; }
TreeChanges::Times TimesOf(const Inode& inode) {
  return {inode.access_time, inode.modify_time, inode.change_time};
}

// A node whose files have no name lives on only where they are open: not in what is kept.
bool IsNamed(const Inode* inode) { return inode != nullptr && inode->links > 0; }

bool IsSameKind(const Inode& before, const Inode& after) {
  if (before.type != after.type) return false;
  const auto* target = std::get_if<std::string>(&before.body);
  return target == nullptr || *target == std::get<std::string>(after.body);
}

// What differs; `node` of the result is 0 if nothing does. `before` may be null.
TreeChanges::Node Compare(NodeId node, const Inode* before, const Inode& after) {
  static const Inode kNothing;
  static const FileContent kNoContent;
  static const NameTree kNoNames;
  TreeChanges::Node changes;
  bool is_changed = before == nullptr;
  if (before == nullptr) {
    changes.created = after.type;
    if (const auto* target = std::get_if<std::string>(&after.body)) changes.target = *target;
  }
  const Inode& old = before != nullptr ? *before : kNothing;
  const auto note = [&is_changed](auto& field, const auto& was, const auto& is) {
    if (was == is) return;
    field = is;
    is_changed = true;
  };
  note(changes.mode, old.mode, after.mode);
  note(changes.owner, OwnerOf(old), OwnerOf(after));
  note(changes.special, old.special, after.special);
  note(changes.times, TimesOf(old), TimesOf(after));
  if (const FileContent* content = after.content()) {
    const FileContent& old_content = before != nullptr ? *before->content() : kNoContent;
    note(changes.size, old_content.size(), content->size());
    changes.chunks = content->ChangesSince(old_content);
  } else if (const MemoryTree::Directory* directory = after.directory()) {
    NameTree::ForEachDifference(before != nullptr ? before->directory()->names : kNoNames, directory->names,
                                [&](const NameTree::Entry* was, const NameTree::Entry* is) {
                                  if (is != nullptr) changes.entries.push_back({is->name, is->inode});
                                  else changes.entries.push_back({was->name, 0});
                                });
  }
  is_changed |= !changes.chunks.empty() || !changes.entries.empty();
  changes.node = is_changed ? node : 0;
  return changes;
}

}  // namespace

Result<TreeChanges> MemoryTree::ChangesSince(const MemoryTree& before) const {
  TreeChanges changes;
  changes.start = {.next = before.next_, .nodes = before.used_inodes_, .bytes = before.used_bytes_};
  changes.next = next_;
  bool is_pair = next_ >= before.next_;
  PersistentMap<Inode>::ForEachDifference(
      before.inodes_, inodes_, [&](NodeId node, const Inode* old, const Inode* now) {
        if (!IsNamed(old)) old = nullptr;
        if (!IsNamed(now)) now = nullptr;
        if (old == nullptr && now == nullptr) return;
        if (old == nullptr ? node < before.next_ : now != nullptr && !IsSameKind(*old, *now)) {
          is_pair = false;
        } else if (now == nullptr) {
          changes.removed.push_back(node);
        } else if (TreeChanges::Node changed = Compare(node, old, *now); changed.node != 0) {
          changes.nodes.push_back(std::move(changed));
        }
      });
  if (!is_pair) return Error(Code::kInvalid, "the second tree is no later state of the first");
  return changes;
}

std::shared_ptr<MemoryTree> MemoryTree::Renumbered(std::unordered_map<NodeId, NodeId>& numbers) const {
  auto result = std::make_shared<MemoryTree>(clock_, quota_);
  result->used_bytes_ = used_bytes_;
  result->used_inodes_ = used_inodes_;
  numbers.clear();
  numbers.reserve(used_inodes_);
  numbers.emplace(kRoot, kRoot);
  struct Step {
    NodeId node;
    NodeId number;
    NodeId parent;
    std::string_view name;
  };
  std::vector<Step> pending{{kRoot, kRoot, kRoot, {}}};
  while (!pending.empty()) {
    const Step step = pending.back();
    pending.pop_back();
    const Inode& inode = *Find(step.node);
    auto copy = std::make_shared<Inode>(inode);
    if (const Directory* directory = inode.directory()) {
      Directory renumbered{.names = {}, .parent = step.parent, .name = std::string(step.name)};
      const size_t first = pending.size();
      directory->names.ForEach([&](const NameTree::Entry& entry) {
        const auto [known, is_new] = numbers.try_emplace(entry.inode, result->next_);
        if (is_new) {
          pending.push_back({entry.inode, result->next_++, step.number, entry.name});
        }
        renumbered.names.Insert({entry.name, known->second, entry.type});
      });
      std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
      copy->body = std::move(renumbered);
    }
    result->inodes_.Set(step.number, std::move(copy));
  }
  // Files that are only open were not met.
  for (const auto& [node, count] : holders_) {
    const Inode* inode = Find(node);
    if (inode == nullptr || inode->links > 0) continue;
    if (const FileContent* content = inode->content()) result->used_bytes_ -= content->held_bytes();
    if (const auto* target = std::get_if<std::string>(&inode->body)) result->used_bytes_ -= target->size();
    --result->used_inodes_;
  }
  return result;
}

Result<TreeChanges> ChangesBetween(const MemoryVolume& before, const MemoryVolume& after) {
  return after.ChangesSince(before);
}

Status ApplyChanges(const TreeChanges& changes, MemoryVolume& volume) { return volume.Apply(changes); }

std::shared_ptr<const BaseTree> BaseTree::Make(const MemoryVolume& volume, std::unordered_map<NodeId, NodeId>* numbers) {
  std::unordered_map<NodeId, NodeId> own;
  return std::shared_ptr<const BaseTree>(
      new BaseTree(volume.Renumbered(numbers != nullptr ? *numbers : own)));  // allow(raw-new): private constructor
}

}  // namespace paddock::vfs
