#include "lang/ed/substitution.h"

#include "base/budget.h"

namespace paddock::ed {
namespace {

void AppendReplacement(const std::string& replacement, std::string_view line, const std::vector<RegexGroup>& groups, std::string& to) {
  for (size_t i = 0; i < replacement.size(); ++i) {
    char c = replacement[i];
    size_t group = std::string::npos;
    if (c == '&') {
      group = 0;
    } else if (c == '\\' && i + 1 < replacement.size()) {
      c = replacement[++i];
      if (c >= '0' && c <= '9') group = static_cast<size_t>(c - '0');
    }
    if (group == std::string::npos) to += c;
    else if (group < groups.size() && groups[group].is_set()) to += line.substr(groups[group].begin, groups[group].end - groups[group].begin);
  }
}

}  // namespace

Result<std::optional<std::string>> Substitute(const Substitution& substitution, std::string_view line, Budget& budget) {
  std::string made;
  size_t copied = 0, from = 0, found = 0;
  bool has_changed = false;
  std::vector<RegexGroup> groups(10);
  while (from <= line.size()) {
    budget.Step(static_cast<int64_t>(1 + (line.size() - from) / 64));
    PADDOCK_ASSIGN(const bool is_match, substitution.regex->Search(line, from, &groups, budget));
    if (!is_match) break;
    const size_t begin = groups[0].begin, end = groups[0].end;
    ++found;
    const bool is_replaced = substitution.is_global ? found >= substitution.count : found == substitution.count;
    if (is_replaced) {
      made += line.substr(copied, begin - copied);
      const size_t before = made.size();
      AppendReplacement(substitution.replacement, line, groups, made);
      budget.Step(static_cast<int64_t>((made.size() - before) / 32));
      copied = end;
      has_changed = true;
      if (!substitution.is_global) break;
    }
    if (begin == end) {
      if (begin == line.size()) break;
      if (substitution.is_global) return Error(Code::kInvalid, "Infinite substitution loop");
      from = end + 1;
    } else {
      from = end;
      // Behind a match that reaches the end there is nothing more.
      if (from == line.size()) break;
    }
  }
  if (!has_changed) return std::optional<std::string>();
  made += line.substr(copied);
  return std::optional(std::move(made));
}

}  // namespace paddock::ed
