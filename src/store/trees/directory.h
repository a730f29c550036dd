// Directories of any size over kDirectory objects: written in name order, read in name order or by name.
//
// A large directory is cut into nodes of about 140 entries at names that a hash chooses, so that a changed
// entry changes one node and the way up to it, and equal parts of two directories are equal objects.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/trees/nodes.h"
#include "store/trees/store.h"

namespace paddock::trees {

class DirectoryWriter {
 public:
  explicit DirectoryWriter(Session& session) : session_(session) {}

  // In name order, each name once.
  Status Add(const Entry& entry);
  Result<ObjectId> Finish();

 private:
  struct Level {
    std::vector<DirectoryNode::Child> children;  // of the node being filled
    size_t nodes = 0;                            // that were stored
  };
  Status CloseLeaf();
  Status AddChild(unsigned level, DirectoryNode::Child child);
  Status CloseNode(unsigned level);

  Session& session_;
  std::string body_;
  size_t count_ = 0;
  std::string last_name_;
  size_t leaves_ = 0;
  std::vector<Level> levels_;  // [k]: nodes of level k + 1
};

// True if a node of this level ends behind a name when it holds `count` entries.
bool EndsNode(unsigned level, size_t count, std::string_view name);

// The entries of a directory in order. Next() answers nothing at the end.
class DirectoryReader {
 public:
  DirectoryReader(Store& store, const ObjectId& id) : store_(store), id_(id) {}

  // Errors: those of Store::Get(), kSyntax.
  Result<std::optional<Entry>> Next();

 private:
  struct Step {
    DirectoryNode node;
    size_t next = 0;
  };
  Status Descend(const ObjectId& id, unsigned max_level);

  Store& store_;
  ObjectId id_;
  bool is_started_ = false;
  std::vector<Step> path_;
  std::string last_name_;
};

// One node of a directory. Errors: those of Store::Get(), kSyntax naming the object.
Result<DirectoryNode> ReadDirectoryNode(Store& store, const ObjectId& id, unsigned max_level = kMaxDirectoryLevel);
// The entry of this name, or nothing.
Result<std::optional<Entry>> FindEntry(Store& store, const ObjectId& directory, std::string_view name);

}  // namespace paddock::trees
