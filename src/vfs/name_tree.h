// NameTree: the entries of one directory, sorted by name, with O(1) copies that share what is
// unchanged.
//
// A B+ tree with counted nodes: a directory of a few dozen names is one sorted array, one of
// 100,000 is three levels. Deletion drops empty leaves and does not merge half-empty ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vfs/attributes.h"

namespace paddock::vfs {

class NameTree {
 public:
  struct Entry {
    std::string name;
    uint64_t inode;
    FileType type;
  };

  // Null when absent. Valid until the next change.
  const Entry* Find(std::string_view name) const;
  // Adds an entry whose name is absent.
  void Insert(Entry entry);
  // Makes an existing name lead elsewhere.
  void Replace(std::string_view name, uint64_t inode, FileType type);
  // True if it was present.
  bool Erase(std::string_view name);
  size_t size() const { return size_; }
  // Calls visit(before, after) in name order for every name that one side lacks (null) or that leads elsewhere. Passes
  // over nodes that both share.
  using VisitDifference = std::function<void(const Entry* before, const Entry* after)>;
  static void ForEachDifference(const NameTree& before, const NameTree& after, const VisitDifference& visit);
  // Calls visit(entry) in name order.
  template <class Visit>
  void ForEach(Visit visit) const {
    if (root_) ForEach(*root_, visit);
  }

 private:
  struct Node {
    // A leaf has entries, an inner node children and the lowest name that each but the first may
    // hold.
    std::vector<Entry> entries;
    std::vector<std::string> bounds;
    std::vector<std::shared_ptr<Node>> children;
    bool is_leaf() const { return children.empty(); }
  };
  class Cursor;
  struct Split {
    std::string bound;
    std::shared_ptr<Node> right;  // null: the node had room
  };
  static constexpr size_t kLeafEntries = 48;
  static constexpr size_t kChildren = 48;

  static size_t ChildIndex(const Node& node, std::string_view name);
  static std::vector<Entry>::iterator Position(Node& leaf, std::string_view name);
  static Node& Unique(std::shared_ptr<Node>& node);
  static Split InsertBelow(std::shared_ptr<Node>& slot, Entry&& entry);
  static Split SplitLeaf(Node& leaf);
  static Split SplitInner(Node& inner);
  static void EraseBelow(std::shared_ptr<Node>& slot, std::string_view name);

  template <class Visit>
  static void ForEach(const Node& node, Visit& visit) {
    for (const Entry& entry : node.entries) visit(entry);
    for (const auto& child : node.children) ForEach(*child, visit);
  }

  std::shared_ptr<Node> root_;
  size_t size_ = 0;
};

}  // namespace paddock::vfs
