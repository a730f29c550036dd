// Answers to "may X?" about paths, by the text of the rules alone: no file is looked at.
//
// The caller resolves symlinks first. The wall asks the kernel, not this; `paddock policy check` and messages do.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "policy/policy.h"

namespace paddock::policy {

struct FileVerdict {
  Access access = Access::kDeny;
  bool is_private = false;   // inside, the path lies in a private directory and is none of the host's
  std::string rule;          // what decided: "write /work (preset workspace)", "protected name .git/hooks (below …)"
};

// The longest rule that holds for `path` (absolute and normal) decides; of equally long ones deny before read before write.
// The workspace, the host view, the private home and /tmp count as rules. Below what is writable, protected names are
// read only. What no rule names is denied.
FileVerdict AccessOf(const FileRules& rules, std::string_view path);

// The protected name that `path` falls under, or null: `path` ends with it or has it, component by component, inside.
// Letters are compared without case, since a tree can end up on a file system that does. Only what lies below `root`
// counts.
const std::string* ProtectedNameOf(const FileRules& rules, std::string_view path, std::string_view root);

// Directories that FileRules::host_view shows.
std::span<const char* const> HostViewDirectories();

}  // namespace paddock::policy
