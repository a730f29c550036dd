#include "text/component_glob.h"

#include <algorithm>

#include "base/budget.h"

namespace paddock {

std::vector<std::string_view> PathNames(std::string_view path) {
  std::vector<std::string_view> names;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) names.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

ComponentGlob::ComponentGlob(std::string_view pattern, const ComponentGlobRules& rules) : last_stars_need_a_name_(rules.last_stars_need_a_name) {
  const bool is_one_name = pattern.find('/') == std::string_view::npos;
  if (rules.is_for_any_depth && is_one_name && pattern != "**") parts_.push_back({true, !rules.hides_dots, Pattern("*")});
  for (const std::string_view name : PathNames(pattern)) {
    parts_.push_back({name == "**", !rules.hides_dots || name.starts_with('.'), Pattern(name, rules.names)});
  }
}

bool ComponentGlob::Matches(const std::vector<std::string_view>& names, Budget& budget) const {
  // reached[i]: the parts so far can match the first i names.
  std::vector<char> reached(names.size() + 1, 0), next(names.size() + 1);
  reached[0] = 1;
  for (size_t p = 0; p < parts_.size(); ++p) {
    budget.Step(static_cast<int64_t>(names.size()) + 1);
    const Part& part = parts_[p];
    const auto can_take = [&](std::string_view name) { return part.matches_hidden || !name.starts_with('.'); };
    next.assign(names.size() + 1, 0);
    if (part.is_any_depth) {
      const bool needs_a_name = last_stars_need_a_name_ && p + 1 == parts_.size();
      bool is_open = false;   // the directories that ** stands for can end here
      for (size_t i = 0; i <= names.size(); ++i) {
        if (i > 0 && !can_take(names[i - 1])) is_open = false;
        next[i] = is_open || (reached[i] != 0 && !needs_a_name);
        is_open |= reached[i] != 0;
      }
    } else {
      for (size_t i = 0; i < names.size(); ++i) {
        if (reached[i] != 0 && can_take(names[i]) && part.pattern.Matches(names[i], budget)) next[i + 1] = 1;
      }
    }
    reached.swap(next);
  }
  return reached[names.size()] != 0;
}

}  // namespace paddock
