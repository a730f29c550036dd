// What git takes for its own in a tree: repositories, `.git` files, and where those may point.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drivers/process/protect/tree_walk.h"

namespace paddock::process_wall {

// Whether git may take a directory of this name with these entries for a repository: `.git`, or HEAD beside objects and refs,
// or HEAD beside commondir. Wider than git, which also looks at what they hold.
bool IsRepository(std::string_view path, const std::vector<WalkEntry>& entries, bool is_in_store = false);

// The path in a `.git` file of exactly the form that git writes: "gitdir: PATH\n". Errors: kSyntax.
Result<std::string> ReadGitPointer(std::string_view content);

struct PointerTarget {
  enum class Kind { kWorktree, kSubmodule };
  Kind kind = Kind::kWorktree;
  std::string directory;   // absolute, normal: …/worktrees/NAME or …/modules/NAME
  std::string common;      // absolute: the repository that a worktree belongs to
};

// Judges the `.git` file at `directory`/.git. `workspace`: absolute path; `directory`: relative to it. Safe are a
// worktree's pointer whose target points back at this very file and says "../.." for its common directory, and a
// submodule's whose target is a repository below <workspace>/…/.git/modules. No link may be on the way. Errors: kAccess with the reason.
Result<PointerTarget> CheckGitPointer(const std::string& workspace, const std::string& directory, std::string_view content);

}  // namespace paddock::process_wall
