// Three states of the files made into one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "commands/git/git.h"

namespace paddock::git {

struct Conflict {
  std::optional<TreeItem> base, ours, theirs;
  std::optional<std::string> text;   // what the working tree gets
  uint32_t mode = kModeFile;
};
struct TreeMerge {
  FlatTree tree;
  std::map<std::string, Conflict> conflicts;
  std::string messages;
};
// What the sides are called in messages and markers.
struct Sides {
  std::string ours = "HEAD", theirs;
};

Result<TreeMerge> MergeTrees(Git& git, FlatTree base, FlatTree ours, FlatTree theirs, const Sides& names);
// Puts a merge into the index and the files. False: local changes are in the way. `action`: "merge", "cherry-pick", "revert", "stash".
Result<bool> ApplyMerge(Git& git, const FlatTree& ours, const TreeMerge& merge, std::string_view action);
// Writes the trees of some files.
Result<Oid> TreeOf(Git& git, const FlatTree& files);

}  // namespace paddock::git
