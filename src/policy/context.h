// What of the host a policy's text may refer to: the caller's home, workspace, search path, variables by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::policy {

// Filled by the edge (cli, api); the policy code asks the machine for nothing of it.
struct HostContext {
  std::string home;                       // absolute and normal; empty: `~` is an error
  std::string workspace;                  // absolute and normal; empty: none
  std::string user;
  std::vector<std::string> search_path;   // the directories of PATH
  std::vector<std::string> variables;     // names of the host's variables that are set and not empty

  bool HasVariable(std::string_view name) const;
};

// "/a//b/./c/../d" as "/a/b/d": by the text alone, so a symlink before `..` is not seen. Errors (kInvalid): a path that
// is relative, holds NUL or is longer than 4095 bytes.
Result<std::string> NormalPath(std::string_view path);

// A path of a document: `~` and `~/…` below home, `${workspace}`, `${home}` and `${user}` anywhere as whole
// components' parts, the rest relative to `base` (absolute). Errors: as above, unknown `${name}`, `~user`.
Result<std::string> ExpandPath(std::string_view text, const HostContext& context, std::string_view base);

// Whether `path` is `directory` or lies below it; both normal.
bool IsWithin(std::string_view path, std::string_view directory);

}  // namespace paddock::policy
