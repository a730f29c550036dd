// Parses awk: POSIX grammar with gawk's extensions. One complaint ends it, in gawk's wording.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lang/awk/ast.h"
#include "lang/awk/source.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

struct ParseInput {
  std::string name;              // what every line of a complaint starts with
  std::vector<Source>& sources;  // grows by included files
  Strictness strictness = Strictness::kGnu;
  std::vector<std::string>& warnings;  // complete lines
  bool keeps_form = false;  // for printing: literals and comments as written, nothing worked out
  // Reads a file named by @include.
  std::function<Result<std::string>(std::string_view path)> read_include;
};

// The error's message is the complete complaint; its code is kSyntax (exit status 1) or kInvalid for what
// gawk calls fatal (exit status 2).
Result<SyntaxTree> Parse(const ParseInput& input, Budget& budget);

}  // namespace paddock::awk
