#include "commands/file/relative_path.h"

#include <algorithm>

namespace paddock {

bool IsWithin(std::string_view path, std::string_view directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

std::string RelativePath(std::string_view target, std::string_view directory) {
  if (target == "/") target = "";
  if (directory == "/") directory = "";
  // The common part ends at a component of both.
  size_t common = 0;
  for (size_t i = 0;; ++i) {
    const bool target_ends = i >= target.size() || target[i] == '/';
    const bool directory_ends = i >= directory.size() || directory[i] == '/';
    if (target_ends && directory_ends) common = i;
    if (i >= target.size() || i >= directory.size() || target[i] != directory[i]) break;
  }
  std::string result;
  std::string_view above = directory.substr(std::min(common, directory.size()));
  const auto levels = static_cast<size_t>(std::count(above.begin(), above.end(), '/'));
  for (size_t i = 0; i < levels; ++i) result += i == 0 ? ".." : "/..";
  std::string_view below = target.substr(std::min(common, target.size()));
  if (below.starts_with('/')) below.remove_prefix(1);
  if (!below.empty()) {
    if (!result.empty()) result += '/';
    result += below;
  }
  return result.empty() ? "." : result;
}

}  // namespace paddock
