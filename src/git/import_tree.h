// The files of a branch while fast-import changes them: directories are read when something in them is wanted, and written when they changed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "git/object_store.h"

namespace paddock::git {

class ImportTree {
 public:
  // Both outlive it.
  ImportTree(ObjectStore& objects, Budget& budget) : objects_(&objects), budget_(&budget) {}

  // Nothing in it, or what a tree has.
  void Reset(const Oid& tree);
  void Clear() { root_ = Node{.mode = kModeTree, .is_loaded = true, .is_changed = true}; }
  struct Item {
    uint32_t mode = 0;
    Oid id;
  };
  // The whole for an empty path; directories are written. Nothing when there is no such file.
  Result<std::optional<Item>> Find(std::string_view path);
  // Errors: kInvalid for a path that could be no file.
  Status Put(std::string_view path, const Item& item);
  Status Remove(std::string_view path);
  // Writes what changed; the tree of all.
  Result<Oid> Write();

 private:
  struct Node {
    uint32_t mode = kModeTree;
    Oid id;
    bool is_loaded = false, is_changed = false;
    std::map<std::string, Node, std::less<>> children = {};
  };
  Status Load(Node& node);
  Status WriteNode(Node& node);

  ObjectStore* objects_;
  Budget* budget_;
  Node root_{.mode = kModeTree, .is_loaded = true, .is_changed = true};
};

}  // namespace paddock::git
