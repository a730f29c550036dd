// Trees as text, entry by entry: for whoever looks for one name, or for what differs, among many entries.
#pragma once

#include <optional>
#include <string_view>

#include "git/object.h"

namespace paddock::git {

class TreeReader {
 public:
  // The text outlives what is read.
  explicit TreeReader(std::string_view text) : rest_(text) {}
  // Takes the next entry; false at the end. Errors: kCorrupt.
  Result<bool> Next();
  // Passes over the entries that both have next, byte for byte.
  static void SkipSame(TreeReader& a, TreeReader& b);

  uint32_t mode() const { return mode_; }
  std::string_view name() const { return name_; }
  Oid id() const { return Oid::FromBytes(bytes_.substr(bytes_.size() - 20)); }
  bool is_tree() const { return mode_ == kModeTree; }
  // All of it, as it is written.
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view rest_, bytes_, name_;
  uint32_t mode_ = 0;
};

// The entry of that name; nothing when there is none. Errors: kCorrupt, when the text is damaged before it.
Result<std::optional<TreeEntry>> FindInTree(std::string_view text, std::string_view name, Budget& budget);

class ObjectStore;
// What a path from a tree on leads to, by the trees on its way alone; nothing when that is nothing. Errors: likewise, and those of reading.
Result<std::optional<TreeEntry>> FindPath(ObjectStore& objects, const Oid& tree, std::string_view path, Budget& budget);

// The entries that are not byte for byte in both of two trees, which is few in most. Those of one name and kind come together; in a tree
// that is out of order some may come alone, one after the other.
class TreeDifferences {
 public:
  TreeDifferences(std::string_view before, std::string_view after) : before_(before), after_(after) {}
  // The next of them; false at the end. Errors: kCorrupt.
  Result<bool> Next(Budget& budget);
  // Null: only the other tree has it.
  const TreeReader* before() const { return has_before_ && order_ <= 0 ? &before_ : nullptr; }
  const TreeReader* after() const { return has_after_ && order_ >= 0 ? &after_ : nullptr; }

 private:
  TreeReader before_, after_;
  bool has_before_ = false, has_after_ = false;
  int order_ = 0;   // of the two entries
};

}  // namespace paddock::git
