// Commits by their authors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace paddock::git {

struct ShortlogWrap {
  size_t width = 0;   // 0: lines are not folded
  size_t first_indent = 6, indent = 9;
};
// Subjects by author, in order of the names.
using Shortlog = std::map<std::string, std::vector<std::string>>;
std::string ShortlogText(const Shortlog& log, const ShortlogWrap& wrap);

}  // namespace paddock::git
