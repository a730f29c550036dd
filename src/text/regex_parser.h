// Reads the POSIX-like dialects into a RegexTree, deciding every ambiguity as the GNU C library does.
// For text/regex only.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/regex.h"
#include "text/regex_tree.h"

namespace paddock {

Result<RegexTree> ParseRegex(std::string_view pattern, const RegexFlags& flags);

// The alternation of all patterns, each read by itself. None of them: a tree that matches nothing.
Result<RegexTree> ParseAnyRegex(std::span<const std::string> patterns, const RegexFlags& flags);

}  // namespace paddock
