// Rules that several tools share.
#pragma once

#include "tools/schema/field.h"

namespace paddock::tools {

inline constexpr TextPattern kAbsolutePath{"^/", "must be an absolute path, such as /workspace/notes.txt"};
inline constexpr Rules kPathRules{.min_length = 1, .max_length = 4096, .pattern = kAbsolutePath};
inline constexpr Rules kIdRules{.min_length = 1, .max_length = 64, .pattern = {"^[a-zA-Z0-9_-]+$", "must be an id as a tool gave it"}};
inline constexpr Rules kEnvironmentRules{
    .max_items = 64,
    .max_total = 32 << 10,
    .key_pattern = {"^[A-Za-z_][A-Za-z0-9_]*$", "must be the name of a variable: letters, digits and _, not beginning with a digit"}};
inline constexpr Rules kModeRules{.pattern = {"^0?[0-7]{3}$", "must be an octal mode from \"0000\" to \"0777\""}};

}  // namespace paddock::tools
