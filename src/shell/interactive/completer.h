// What Tab finds on a command line: commands, files, variables, options, and what `complete` was told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::shell {

class Shell;

struct LineCompletion {
  size_t from = 0;                  // where in the line the text to replace begins; it ends at the cursor
  std::string replacement;          // quoted for the place; empty if nothing is known
  std::vector<std::string> shown;   // the candidates, sorted, as a person reads them
};

// `cursor` is an offset in `line`.
LineCompletion CompleteLine(Shell& shell, std::string_view line, size_t cursor);

}  // namespace paddock::shell
