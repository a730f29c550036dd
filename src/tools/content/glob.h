// Glob: which files a model means by "*.py" or "src/**/test_?.cc".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/pattern.h"

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
  struct Part {
    bool is_any_depth = false;   // **
    bool matches_hidden = false;
    Pattern pattern;
  };
  using Parts = std::vector<Part>;
  static bool Matches(const Parts& parts, const std::vector<std::string_view>& names, Budget& budget);

  std::vector<Parts> alternatives_;
};

}  // namespace paddock::tools
