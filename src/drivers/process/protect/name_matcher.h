// Which paths of a tree fall under protected names.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::process_wall {

// Names are compared without case: the tree may end up on a file system that does not tell the cases apart.
class NameMatcher {
 public:
  explicit NameMatcher(const std::vector<std::string>& names);

  // Whether the path `directory`/`name` ends with a protected name. `directory` is relative, "" for the root.
  bool Matches(std::string_view directory, std::string_view name) const;

  // Whether `path`, relative to a directory of git's ("hooks", "info/attributes"), is protected there: from the names
  // that begin with ".git/".
  bool MatchesInGit(std::string_view path) const;
  // Whether something protected may lie below that path.
  bool LeadsInGit(std::string_view path) const;

 private:
  std::array<bool, 256> begins_{};   // first characters of last components: most files of a tree are told apart by them
  std::map<std::string, std::vector<std::string>> by_last_;   // last component -> what must stand before it
  std::vector<std::string> in_git_;
};

// ASCII letters in lower case.
std::string FoldCase(std::string_view text);

}  // namespace paddock::process_wall
