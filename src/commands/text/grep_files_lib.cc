#include "base/budget.h"
#include "commands/text/grep_files.h"

namespace paddock {
namespace {

constexpr PatternFlags kGlob{.extglob = false};

bool MatchesName(const Pattern& pattern, std::string_view name, bool is_operand, Budget& budget) {
  if (pattern.Matches(name, budget)) return true;
  if (!is_operand) return false;
  for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
    if (slash + 1 < name.size() && name[slash + 1] != '/' && pattern.Matches(name.substr(slash + 1), budget)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void GrepFileRules::Add(std::string_view glob, bool is_include) {
  files_.push_back({Pattern(glob, kGlob), is_include});
}

void GrepFileRules::AddDirectory(std::string_view glob) {
  while (glob.size() > 1 && glob.ends_with('/')) glob.remove_suffix(1);
  directories_.emplace_back(glob, kGlob);
}

// The last rule that matches decides; with none, a first rule that includes excludes all others.
bool GrepFileRules::SkipsFile(std::string_view name, bool is_operand, Budget& budget) const {
  if (files_.empty()) return false;
  for (auto rule = files_.rbegin(); rule != files_.rend(); ++rule) {
    if (MatchesName(rule->pattern, name, is_operand, budget)) return !rule->is_include;
  }
  return files_.front().is_include;
}

bool GrepFileRules::SkipsDirectory(std::string_view name, bool is_operand, Budget& budget) const {
  while (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
  for (const Pattern& pattern : directories_) {
    if (MatchesName(pattern, name, is_operand, budget)) return true;
  }
  return false;
}

}  // namespace paddock
