#include "tools/content/glob.h"

namespace paddock::tools {
namespace {

constexpr size_t kMostBytes = 1024;
constexpr size_t kMostAlternatives = 64;
constexpr size_t kMostParts = 64;

// Replaces the first outermost {a,b} of each text by its alternatives until none is left.
Result<std::vector<std::string>> ExpandBraces(std::string_view text) {
  std::vector<std::string> done;
  std::vector<std::string> open = {std::string(text)};
  while (!open.empty()) {
    const std::string at = std::move(open.back());
    open.pop_back();
    const size_t begin = at.find('{');
    size_t end = std::string::npos;
    int depth = 0;
    std::vector<size_t> commas;
    for (size_t i = begin; i < at.size() && end == std::string::npos; ++i) {
      if (at[i] == '{') ++depth;
      if (at[i] == ',' && depth == 1) commas.push_back(i);
      if (at[i] == '}' && --depth == 0) end = i;
    }
    if (end == std::string::npos || commas.empty()) {
      done.push_back(at);
    } else {
      commas.push_back(end);
      size_t from = begin + 1;
      for (const size_t comma : commas) {
        open.push_back(at.substr(0, begin) + at.substr(from, comma - from) + at.substr(end + 1));
        from = comma + 1;
      }
    }
    if (done.size() + open.size() > kMostAlternatives) return Error(Code::kInvalid, "glob: has too many alternatives in braces; at most 64");
  }
  return done;
}

std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    if (slash != 0) names.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return names;
}

}  // namespace

Result<Glob> Glob::Parse(std::string_view text) {
  if (text.empty() || text.size() > kMostBytes) return Error(Code::kInvalid, "glob: must have 1 to 1024 bytes");
  Glob glob;
  PADDOCK_ASSIGN(const std::vector<std::string> alternatives, ExpandBraces(text));
  for (const std::string& alternative : alternatives) {
    Parts parts;
    if (alternative.find('/') == std::string::npos && alternative != "**") parts.push_back({.is_any_depth = true, .pattern = Pattern("*")});
    for (const std::string_view part : Split(alternative)) {
      parts.push_back({.is_any_depth = part == "**", .matches_hidden = part.starts_with('.'), .pattern = Pattern(part, {.is_path = true})});
    }
    if (parts.size() > kMostParts) return Error(Code::kInvalid, "glob: has more than 64 parts");
    glob.alternatives_.push_back(std::move(parts));
  }
  return glob;
}

bool Glob::Matches(const Parts& parts, const std::vector<std::string_view>& names, Budget& budget) {
  // reached[j]: the parts so far match the first j names.
  std::vector<bool> reached(names.size() + 1, false);
  reached[0] = true;
  for (const Part& part : parts) {
    std::vector<bool> next(names.size() + 1, false);
    if (part.is_any_depth) next[0] = reached[0];
    for (size_t j = 0; j < names.size(); ++j) {
      const bool is_hidden = names[j].starts_with('.');
      if (part.is_any_depth) next[j + 1] = reached[j + 1] || (next[j] && !is_hidden);
      else next[j + 1] = reached[j] && (!is_hidden || part.matches_hidden) && part.pattern.Matches(names[j], budget);
    }
    reached = std::move(next);
  }
  return reached[names.size()];
}

bool Glob::Matches(std::string_view path, Budget& budget) const {
  const std::vector<std::string_view> names = Split(path);
  for (const Parts& parts : alternatives_) {
    if (Matches(parts, names, budget)) return true;
  }
  return false;
}

}  // namespace paddock::tools
