// The right side of s: taken apart once, put together for every match.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/sed/program.h"

namespace paddock::sed {

// Fills parts, highest_group and has_cases. `text` is free of delimiters and character escapes.
void ParseReplacement(std::string_view text, Substitution& substitution, bool has_cases);

// Appends the replacement for one match of `text` to `out`.
void AppendReplacement(const Substitution& substitution, std::string_view text,
                       const std::vector<RegexGroup>& groups, bool is_utf8, std::string& out);

}  // namespace paddock::sed
