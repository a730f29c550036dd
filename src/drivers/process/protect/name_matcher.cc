#include "drivers/process/protect/name_matcher.h"

#include <algorithm>

namespace paddock::process_wall {

std::string FoldCase(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return folded;
}

NameMatcher::NameMatcher(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string folded = FoldCase(name);
    if (folded.starts_with(".git/")) {
      in_git_.push_back(folded.substr(5));
      continue;
    }
    const size_t slash = folded.rfind('/');
    const std::string before = slash == std::string::npos ? std::string() : folded.substr(0, slash);
    const std::string last = slash == std::string::npos ? folded : folded.substr(slash + 1);
    by_last_[last].push_back(before);
    if (!last.empty()) begins_[static_cast<unsigned char>(last[0])] = true;
  }
}

bool NameMatcher::Matches(std::string_view directory, std::string_view name) const {
  if (name.empty() || !begins_[static_cast<unsigned char>(FoldCase(name.substr(0, 1))[0])]) return false;
  const auto found = by_last_.find(FoldCase(name));
  if (found == by_last_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const std::string& before) {
    if (before.empty()) return true;
    if (directory.size() < before.size()) return false;
    const size_t start = directory.size() - before.size();
    return (start == 0 || directory[start - 1] == '/') && FoldCase(directory.substr(start)) == before;
  });
}

bool NameMatcher::MatchesInGit(std::string_view path) const {
  return std::find(in_git_.begin(), in_git_.end(), FoldCase(path)) != in_git_.end();
}

bool NameMatcher::LeadsInGit(std::string_view path) const {
  const std::string prefix = FoldCase(path) + "/";
  return std::any_of(in_git_.begin(), in_git_.end(), [&](const std::string& name) { return name.starts_with(prefix); });
}

}  // namespace paddock::process_wall
