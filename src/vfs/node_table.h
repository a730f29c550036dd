// NodeTable: numbers for the paths of a volume that were looked at, for volumes without inodes of
// their own. Not an interface of the folder.
//
// A node is its parent's node and a name, plus what the volume remembers about it; renaming a
// directory moves what is below it along. The table is bounded: what was not used for long, has
// nothing below it and is not held is forgotten.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory_meter.h"
#include "vfs/volume.h"

namespace paddock::vfs {

template <class Memory>
class NodeTable {
 public:
  static constexpr NodeId kRoot = 1;

  explicit NodeTable(size_t max_nodes) : max_nodes_(max_nodes) { entries_[kRoot].holders = 1; }

  // The node of a name, known already or new; 0 if the parent is unknown.
  NodeId Intern(NodeId parent, std::string_view name);
  // What the volume keeps with a node, also of one that was removed and is held; null if unknown.
  // Valid until the node goes.
  Memory* Find(NodeId node);
  // Relative to the root (empty for itself); nothing for a node that was removed or forgotten.
  std::optional<std::string> PathOf(NodeId node);
  // Nothing for an unknown node. The root is its own parent.
  std::optional<NodeId> ParentOf(NodeId node) const;
  // Null for a node that was removed or is unknown.
  const std::string* NameOf(NodeId node) const;
  // True if `ancestor` is `node` or above it.
  bool IsWithin(NodeId node, NodeId ancestor) const;
  // The name is gone, with all that was below it.
  void Forget(NodeId parent, std::string_view name);
  // The name leads elsewhere now; an old node there is forgotten.
  void Move(NodeId from, std::string_view from_name, NodeId to, std::string_view to_name);
  // Calls visit(memory of the parent, name, memory) for all that is known below `node`, parents
  // first.
  template <class Visit>
  void ForEachBelow(NodeId node, Visit visit);
  void Hold(NodeId node);
  void Release(NodeId node);
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    NodeId parent = kRoot;
    std::string name;
    std::map<std::string, NodeId, std::less<>> children;
    uint32_t holders = 0;
    bool is_gone = false;
    uint64_t last_use = 0;
    Memory memory;
  };
  void Detach(NodeId node);
  void Evict();

  const size_t max_nodes_;
  std::unordered_map<NodeId, Entry> entries_;
  NodeId next_ = kRoot + 1;
  uint64_t uses_ = 0;
};

template <class Memory>
NodeId NodeTable<Memory>::Intern(NodeId parent, std::string_view name) {
  const auto above = entries_.find(parent);
  if (above == entries_.end() || above->second.is_gone) return 0;
  above->second.last_use = ++uses_;
  if (const auto it = above->second.children.find(name); it != above->second.children.end()) {
    entries_.find(it->second)->second.last_use = uses_;
    return it->second;
  }
  const NodeId node = next_++;
  above->second.children.emplace(name, node);
  Entry& entry = entries_[node];
  entry.parent = parent;
  entry.name = name;
  entry.last_use = uses_;
  if (entries_.size() > max_nodes_) Evict();
  return node;
}

template <class Memory>
Memory* NodeTable<Memory>::Find(NodeId node) {
  const auto it = entries_.find(node);
  if (it == entries_.end()) return nullptr;
  it->second.last_use = ++uses_;
  return &it->second.memory;
}

template <class Memory>
std::optional<std::string> NodeTable<Memory>::PathOf(NodeId node) {
  std::vector<const std::string*> names;
  size_t length = 0;
  ++uses_;
  while (node != kRoot) {
    const auto it = entries_.find(node);
    if (it == entries_.end() || it->second.is_gone) return std::nullopt;
    it->second.last_use = uses_;
    names.push_back(&it->second.name);
    length += it->second.name.size() + 1;
    node = it->second.parent;
  }
  ChargeExec(static_cast<int64_t>(names.size()));
  std::string path;
  path.reserve(length);
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!path.empty()) path += '/';
    path += **name;
  }
  return path;
}

template <class Memory>
std::optional<NodeId> NodeTable<Memory>::ParentOf(NodeId node) const {
  const auto it = entries_.find(node);
  if (it == entries_.end()) return std::nullopt;
  return it->second.parent;
}

template <class Memory>
const std::string* NodeTable<Memory>::NameOf(NodeId node) const {
  const auto it = entries_.find(node);
  return it == entries_.end() || it->second.is_gone ? nullptr : &it->second.name;
}

template <class Memory>
bool NodeTable<Memory>::IsWithin(NodeId node, NodeId ancestor) const {
  while (node != ancestor) {
    if (node == kRoot) return false;
    const auto parent = ParentOf(node);
    if (!parent) return false;
    node = *parent;
  }
  return true;
}

template <class Memory>
void NodeTable<Memory>::Detach(NodeId node) {
  std::vector<NodeId> doomed{node};
  for (size_t i = 0; i < doomed.size(); ++i) {
    Entry& entry = entries_.find(doomed[i])->second;
    for (const auto& [name, child] : entry.children) doomed.push_back(child);
    entry.children.clear();
    entry.is_gone = true;
  }
  // From the leaves: what is held keeps what is above it, so that ".." still leads out.
  for (auto gone = doomed.rbegin(); gone != doomed.rend(); ++gone) {
    const auto it = entries_.find(*gone);
    if (it->second.holders == 0) entries_.erase(it);
    else Hold(it->second.parent);
  }
}

template <class Memory>
void NodeTable<Memory>::Forget(NodeId parent, std::string_view name) {
  const auto above = entries_.find(parent);
  if (above == entries_.end()) return;
  const auto it = above->second.children.find(name);
  if (it == above->second.children.end()) return;
  const NodeId node = it->second;
  above->second.children.erase(it);
  Detach(node);
}

template <class Memory>
void NodeTable<Memory>::Move(NodeId from, std::string_view from_name, NodeId to,
                             std::string_view to_name) {
  Forget(to, to_name);
  const auto above = entries_.find(from);
  const auto below = entries_.find(to);
  if (above == entries_.end() || below == entries_.end()) return;
  const auto it = above->second.children.find(from_name);
  if (it == above->second.children.end()) return;
  const NodeId node = it->second;
  above->second.children.erase(it);
  below->second.children.emplace(to_name, node);
  Entry& moved = entries_.find(node)->second;
  moved.parent = to;
  moved.name = to_name;
}

template <class Memory>
template <class Visit>
void NodeTable<Memory>::ForEachBelow(NodeId node, Visit visit) {
  std::vector<NodeId> pending{node};
  while (!pending.empty()) {
    const auto above = entries_.find(pending.back());
    pending.pop_back();
    if (above == entries_.end()) continue;
    for (const auto& [name, child] : above->second.children) {
      visit(std::as_const(above->second.memory), name, entries_.find(child)->second.memory);
      pending.push_back(child);
    }
  }
}

template <class Memory>
void NodeTable<Memory>::Hold(NodeId node) {
  const auto it = entries_.find(node);
  if (it != entries_.end()) ++it->second.holders;
}

template <class Memory>
void NodeTable<Memory>::Release(NodeId node) {
  for (;;) {
    const auto it = entries_.find(node);
    if (it == entries_.end() || it->second.holders == 0) return;
    if (--it->second.holders > 0 || !it->second.is_gone) return;
    node = it->second.parent;
    entries_.erase(it);
  }
}

template <class Memory>
void NodeTable<Memory>::Evict() {
  const uint64_t old = uses_ - std::min<uint64_t>(uses_, max_nodes_ / 4);
  // Each pass uncovers directories whose entries are gone.
  for (int pass = 0; pass < 4; ++pass) {
    std::vector<NodeId> unused;
    for (const auto& [node, entry] : entries_) {
      const bool is_idle = entry.children.empty() && entry.holders == 0 && entry.last_use <= old;
      if (is_idle && !entry.is_gone) unused.push_back(node);
    }
    if (unused.empty()) return;
    for (const NodeId node : unused) {
      const auto it = entries_.find(node);
      entries_.find(it->second.parent)->second.children.erase(it->second.name);
      entries_.erase(it);
    }
  }
}

}  // namespace paddock::vfs
