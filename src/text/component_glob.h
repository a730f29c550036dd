// Patterns over paths that are matched name by name, in which ** stands for any number of directories: those of .gitignore files, and of
// what models look for. Time is in proportion to names × parts, and to each name × its part: no pattern is exponential.
//
// Source: gitignore(5), glob(7).
#pragma once

#include <string_view>
#include <vector>

#include "text/pattern.h"

namespace paddock {

class Budget;

// The names of a path, without the empty ones between slashes. They are views into it.
std::vector<std::string_view> PathNames(std::string_view path);

struct ComponentGlobRules {
  PatternFlags names = {};
  bool is_for_any_depth = false;   // a pattern without a slash, and not just **, matches a name in any directory
  bool last_stars_need_a_name = false;   // a/** does not match a
  bool hides_dots = false;         // a name that begins with a dot is matched only by a part that does
};

class ComponentGlob {
 public:
  ComponentGlob(std::string_view pattern, const ComponentGlobRules& rules);

  // How many names and ** the pattern has.
  size_t size() const { return parts_.size(); }
  bool Matches(const std::vector<std::string_view>& names, Budget& budget) const;

 private:
  struct Part {
    bool is_any_depth;     // **
    bool matches_hidden;
    Pattern pattern;
  };
  std::vector<Part> parts_;
  bool last_stars_need_a_name_;
};

}  // namespace paddock
