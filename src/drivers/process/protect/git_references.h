// What a git configuration names as files: hooks kept elsewhere, further configuration, programs that git starts unasked.
//
// For configuration of the host's, to know what else must not change. Reads as git does, and what git would refuse somehow: to name
// too much does no harm. Whether git may obey a configuration at all is git_config.h's.
// Source: git-config(1), "Syntax"; git 2.39.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::process_wall {

inline constexpr size_t kMostGitReferences = 1'000;

struct GitReference {
  enum class Kind {
    kHooks,           // core.hooksPath: relative to the work tree
    kConfiguration,   // include.path, includeIf.*.path: relative to the file that says so
    kProgram,         // the first word of a filter, an editor, a file system monitor …: relative to the work tree
    kArgument,        // a further word of such a command
    kWorkTree,        // core.worktree: relative to the repository
  };
  Kind kind = Kind::kHooks;
  std::string path;   // as written; of programs only words with a slash
};

std::vector<GitReference> ReadGitReferences(std::string_view text);

}  // namespace paddock::process_wall
