// Paths of a tree that lead through its symbolic links.
#pragma once

#include <string>
#include <string_view>

#include "commands/git/git.h"

namespace paddock::git {

struct LinkedPath {
  enum class Kind { kFound, kMissing, kDangling, kLoop, kNoDirectory, kOutside } kind = Kind::kMissing;
  Oid id;                // of what was found
  std::string outside;   // where a link leads that leaves the tree
};
// Errors: those of objects that cannot be read.
Result<LinkedPath> FollowLinks(Git& git, const Oid& tree, std::string_view path);

}  // namespace paddock::git
