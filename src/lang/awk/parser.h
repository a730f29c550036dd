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

// A file with program text, and where it was found.
struct ProgramFile {
  std::string path, text;
};

struct ParseInput {
  std::string name;              // what every line of a complaint starts with
  std::vector<Source>& sources;  // grows by included files
  Strictness strictness = Strictness::kGnu;
  std::vector<std::string>& warnings;  // complete lines
  bool keeps_form = false;  // for printing: literals and comments as written, nothing worked out
  // Reads a file named by @include.
  std::function<Result<ProgramFile>(std::string_view path)> read_include;
  bool lints = false;
  Libraries libraries = 0;  // loaded before the program
};

// The error's message is the complete complaint; its code is kSyntax (exit status 1) or kInvalid for what
// gawk calls fatal (exit status 2).
Result<SyntaxTree> Parse(const ParseInput& input, Budget& budget);

}  // namespace paddock::awk
