// A strict reader of git's configuration files, and the verdict whether git on the host may obey one that the code inside wrote.
//
// It reads less than git does and refuses the rest, so that nothing can mean one thing here and another to git. What git
// itself writes for init, clone, remote, branch and submodule is read.
// Source: git-config(1), "Syntax"; git 2.39.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::process_wall {

inline constexpr size_t kMaxGitConfig = 256 << 10;

struct GitSetting {
  std::string section;      // in lower case
  std::string subsection;   // as written; empty if none
  std::string key;          // in lower case
  std::string value;        // "true" where no value is written
};

// Refused (kSyntax, the message begins with the line's number): escapes, half-quoted values, comments behind values,
// continued lines, a setting on a section's own line, `[section.subsection]`, control characters, a byte order mark; include and
// includeIf; more than kMaxGitConfig bytes (kLimit).
Result<std::vector<GitSetting>> ReadGitConfig(std::string_view text);

// Fails (kAccess, naming the key) unless every setting is known to run nothing, to name no program and to move nothing.
// core.worktree is let through: the caller checks where it leads.
Status CheckGitSettings(const std::vector<GitSetting>& settings);

}  // namespace paddock::process_wall
