// The working trees of a repository: the main one, and those of git worktree, each with a directory below .git/worktrees.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

struct LinkedTree {
  std::string id;        // its name below .git/worktrees; empty for the main one
  std::string path;      // absolute
  std::string git_dir;
  bool is_bare = false;
  std::optional<Oid> head;
  std::optional<std::string> branch;        // "refs/heads/x"
  std::optional<std::string> lock_reason;   // locked, if it is there
  std::string prune_reason;                 // why it could go; empty if not
};
// The main one first, then the others in order of path.
Result<std::vector<LinkedTree>> LinkedTrees(Git& git);
// The references that a working tree shares with no other: HEAD and its like below refs/. `refs`: as it sees them.
std::vector<std::string> OwnRefNames(Refs& refs);
// Where a branch is checked out, the current working tree aside; nothing if nowhere.
std::optional<std::string> OtherTreeOf(Git& git, std::string_view branch_ref);

}  // namespace paddock::git
