// Glob: which files a model means by "*.py" or "src/**/test_?.cc".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/component_glob.h"

namespace paddock {
class Budget;
}

namespace paddock::tools {

// A pattern without a slash matches names at any depth; with one it matches paths relative to the searched directory, where ** stands
// for any number of directories. Braces {a,b} mean either. Names that begin with a dot are matched only by a pattern part that
// does.
class Glob {
 public:
  // Errors: kInvalid for more than 64 alternatives, 1024 bytes or 64 parts.
  static Result<Glob> Parse(std::string_view text);
  // `path` is relative, without "." and "..".
  bool Matches(std::string_view path, Budget& budget) const;

 private:
  std::vector<ComponentGlob> alternatives_;
};

}  // namespace paddock::tools
