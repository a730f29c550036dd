// Names below a directory: from what an archive says to a descriptor of the directory that holds the entry, without ever leaving
// the tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace paddock::guest {

// The components of a name in an archive. False for a name with "..", NUL, or a component or whole that is too long; `error`
// says which (EPERM, EINVAL, ENAMETOOLONG). Slashes in front are dropped, "." and empty components too: nothing is left of "/"
// and ".".
bool SplitName(std::string_view name, std::vector<std::string>& components, int& error);

class TreeWalk {
 public:
  explicit TreeWalk(Descriptor root) : root_(std::move(root)) {}

  int root() const { return root_.get(); }
  // The directory that holds the last component; valid until the next call. No symlink is followed: ENOTDIR where one is on the
  // way. With `makes`, directories that are missing are made (0755). -1 with errno set.
  int Parent(const std::vector<std::string>& components, bool makes);

 private:
  Descriptor root_;
  // Of the last call: most entries lie beside the one before.
  std::vector<std::string> parents_;
  Descriptor parent_;
};

}  // namespace paddock::guest
