// NodeTable: numbers for the paths of a host directory that were looked at. Not an interface of the folder.
//
// A node is its parent's node and a name; renaming a directory moves what is below it along. The table is
// bounded: what was not used for long, has nothing below it and is not held is forgotten.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "vfs/volume.h"

namespace paddock::vfs {

class NodeTable {
 public:
  static constexpr NodeId kRoot = 1;

  explicit NodeTable(size_t max_nodes);

  // The node of a name, known already or new.
  NodeId Intern(NodeId parent, std::string_view name);
  // Relative to the root (empty for itself); nothing for a node that was removed or forgotten.
  std::optional<std::string> PathOf(NodeId node);
  std::optional<NodeId> ParentOf(NodeId node) const;
  const std::string* NameOf(NodeId node) const;
  // The name is gone, with all that was below it.
  void Forget(NodeId parent, std::string_view name);
  // The name leads elsewhere now; an old node there is forgotten.
  void Move(NodeId from, std::string_view from_name, NodeId to, std::string_view to_name);
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
  };
  void Detach(NodeId node);
  void Evict();

  const size_t max_nodes_;
  std::unordered_map<NodeId, Entry> entries_;
  NodeId next_ = kRoot + 1;
  uint64_t uses_ = 0;
};

}  // namespace paddock::vfs
