// The s command: what stands behind it, and what it makes of a line.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/regex.h"

namespace paddock::ed {

// How a command shows the line it leaves: p, n, l behind it, in any number.
struct PrintFlags {
  bool plain = false, numbered = false, listed = false;
  bool any() const { return plain || numbered || listed; }
};

struct Substitution {
  std::shared_ptr<const Regex> regex;
  std::string replacement;   // as it was typed, a newline without its backslash
  bool is_global = false;
  size_t count = 1;
  PrintFlags print;
};

// The line with its matches replaced; nothing when there is none. Errors: kInvalid with the complaint.
Result<std::optional<std::string>> Substitute(const Substitution& substitution, std::string_view line, Budget& budget);

}  // namespace paddock::ed
