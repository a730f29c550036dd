// Exact replacement in a text, with the errors that help a model to get it right the second time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::tools {

struct Replaced {
  std::string text;
  size_t count = 0;
  std::vector<size_t> lines;   // where the replacements begin, counted from 1 in the new text; at most 100
};

// Replaces the one occurrence of `wanted`, or every one. Errors, all kInvalid: it is empty or equal to `with`; it does not occur (with
// the nearest thing that does: other white space, line numbers or line ends, letters of other case, a line that is there); it occurs
// more than once (with the lines).
Result<Replaced> ReplaceText(std::string_view text, std::string_view wanted, std::string_view with, bool all);

}  // namespace paddock::tools
