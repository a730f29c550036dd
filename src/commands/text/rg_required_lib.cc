// What lines must hold to match a pattern of rg, so that others can be passed over without the engine.
#include <string>
#include <string_view>

#include "commands/text/rg_search.h"

namespace paddock {
namespace {

bool IsPlain(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ' '; }

// Where the class that begins at `at` ends; npos for those that hold other classes.
size_t EndOfClass(std::string_view pattern, size_t at) {
  ++at;
  if (at < pattern.size() && pattern[at] == '^') ++at;
  for (const size_t first = at; at < pattern.size(); ++at) {
    if (pattern[at] == ']' && at > first) return at;
    if (pattern[at] == '\\') ++at;
    if (pattern[at] != '[') continue;
    if (!pattern.substr(at).starts_with("[:")) return std::string_view::npos;
    at = pattern.find(":]", at);
    if (at == std::string_view::npos) return at;
    ++at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string LongestRequired(std::string_view pattern) {
  std::string longest, run;
  const auto end_run = [&] {
    if (run.size() > longest.size()) longest = run;
    run.clear();
  };
  size_t depth = 0;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    const char next = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    const bool is_optional = next == '?' || next == '*' || next == '{';
    if (depth == 0 && IsPlain(c) && !is_optional) {
      run += c;
      continue;
    }
    end_run();
    if (c == '\\') {
      // What has letters behind the escape's own (\x41, \p{L}, \cA, \Q) is not looked into.
      if (std::string_view("dDwWsSbB.()[]{}+*?^$|\\/-").find(next) == std::string_view::npos) return {};
      ++at;
    } else if (c == '[') {
      at = EndOfClass(pattern, at);
    } else if (c == '{') {
      at = pattern.find('}', at);
    } else if (c == '(') {
      if (next == '?' || next == '*') return {};
      ++depth;
    } else if (c == ')' && depth > 0) {
      --depth;
    } else if (c == '|' && depth == 0) {
      return {};
    }
    if (at == std::string_view::npos) return {};
  }
  end_run();
  return longest;
}

}  // namespace paddock
