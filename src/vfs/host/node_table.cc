#include "vfs/host/node_table.h"

#include <algorithm>
#include <vector>

namespace paddock::vfs {

NodeTable::NodeTable(size_t max_nodes) : max_nodes_(max_nodes) { entries_[kRoot].holders = 1; }

NodeId NodeTable::Intern(NodeId parent, std::string_view name) {
  auto above = entries_.find(parent);
  if (above == entries_.end()) return 0;   // no node: whoever asks for it learns that it is gone
  ++uses_;
  above->second.last_use = uses_;
  if (const auto it = above->second.children.find(name); it != above->second.children.end()) {
    entries_[it->second].last_use = uses_;
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

std::optional<std::string> NodeTable::PathOf(NodeId node) {
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
  std::string path;
  path.reserve(length);
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!path.empty()) path += '/';
    path += **name;
  }
  return path;
}

std::optional<NodeId> NodeTable::ParentOf(NodeId node) const {
  const auto it = entries_.find(node);
  if (it == entries_.end()) return std::nullopt;
  return it->second.parent;
}

const std::string* NodeTable::NameOf(NodeId node) const {
  const auto it = entries_.find(node);
  return it == entries_.end() || it->second.is_gone ? nullptr : &it->second.name;
}

void NodeTable::Detach(NodeId node) {
  std::vector<NodeId> doomed{node};
  while (!doomed.empty()) {
    const auto it = entries_.find(doomed.back());
    doomed.pop_back();
    for (const auto& [name, child] : it->second.children) doomed.push_back(child);
    it->second.children.clear();
    it->second.is_gone = true;
    if (it->second.holders == 0) entries_.erase(it);
  }
}

void NodeTable::Forget(NodeId parent, std::string_view name) {
  const auto above = entries_.find(parent);
  if (above == entries_.end()) return;
  const auto it = above->second.children.find(name);
  if (it == above->second.children.end()) return;
  const NodeId node = it->second;
  above->second.children.erase(it);
  Detach(node);
}

void NodeTable::Move(NodeId from, std::string_view from_name, NodeId to, std::string_view to_name) {
  Forget(to, to_name);
  const auto above = entries_.find(from);
  const auto below = entries_.find(to);
  if (above == entries_.end() || below == entries_.end()) return;
  const auto it = above->second.children.find(from_name);
  if (it == above->second.children.end()) return;
  const NodeId node = it->second;
  above->second.children.erase(it);
  below->second.children.emplace(to_name, node);
  entries_[node].parent = to;
  entries_[node].name = to_name;
}

void NodeTable::Hold(NodeId node) {
  const auto it = entries_.find(node);
  if (it != entries_.end()) ++it->second.holders;
}

void NodeTable::Release(NodeId node) {
  const auto it = entries_.find(node);
  if (it == entries_.end()) return;
  if (--it->second.holders == 0 && it->second.is_gone) entries_.erase(it);
}

void NodeTable::Evict() {
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
      const Entry& entry = entries_[node];
      entries_[entry.parent].children.erase(entry.name);
      entries_.erase(node);
    }
  }
}

}  // namespace paddock::vfs
