// Whether a sandbox can be asked for like that: names, labels, variables, amounts. Pure.
#pragma once

#include <string_view>

#include "registry/entry/description.h"

namespace paddock::registry {

inline constexpr size_t kMostLabels = 64;
inline constexpr size_t kMostLabelKey = 63, kMostLabelValue = 256;
inline constexpr size_t kMostVariables = 256;
inline constexpr size_t kMostPublished = 64;
inline constexpr size_t kMostVariableBytes = 128 << 10;   // all names and values

// "[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?", and not like an id.
Status CheckName(std::string_view name);
Status CheckLabels(const Labels& labels);
Status CheckVariables(const Variables& variables);
// All of it but what only a driver knows. kInvalid: names the field and what it may be.
Status CheckRequest(const SandboxRequest& request);
// What an exec may ask for.
Status CheckExec(const ExecRequest& request);

}  // namespace paddock::registry
