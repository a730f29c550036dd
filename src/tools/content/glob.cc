#include "tools/content/glob.h"

#include <algorithm>

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

}  // namespace

Result<Glob> Glob::Parse(std::string_view text) {
  if (text.empty() || text.size() > kMostBytes) return Error(Code::kInvalid, "glob: must have 1 to 1024 bytes");
  Glob glob;
  PADDOCK_ASSIGN(const std::vector<std::string> alternatives, ExpandBraces(text));
  for (const std::string& alternative : alternatives) {
    glob.alternatives_.emplace_back(alternative, ComponentGlobRules{.names = {.is_path = true}, .is_for_any_depth = true, .hides_dots = true});
    if (glob.alternatives_.back().size() > kMostParts) return Error(Code::kInvalid, "glob: has more than 64 parts");
  }
  return glob;
}

bool Glob::Matches(std::string_view path, Budget& budget) const {
  const std::vector<std::string_view> names = PathNames(path);
  return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const ComponentGlob& one) { return one.Matches(names, budget); });
}

}  // namespace paddock::tools
