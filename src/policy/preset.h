// The built-in policies, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/context.h"
#include "policy/policy.h"

namespace paddock::policy {

struct PresetInfo {
  const char* name;
  const char* summary;
};

// In the order of growing rights; the aliases last.
std::span<const PresetInfo> Presets();

// The preset for this host. Paths that may be absent are optional rules. Errors (kInvalid): an unknown name (with the
// known ones), a preset that works in a workspace without one in the context.
Result<Policy> MakePreset(std::string_view name, const HostContext& context);

// The names of FileRules::protected_names that every preset and document starts from: what tools of the host run or
// obey when somebody later opens, enters or commits the tree.
const std::vector<std::string>& DefaultProtectedNames();

// Puts `rule` in place of the rule for the same path, or adds it.
void SetPathRule(FileRules& rules, PathRule rule);

}  // namespace paddock::policy
