#include "lang/sed/pattern.h"

#include <algorithm>
#include <cstring>

#include "base/budget.h"
#include "lang/sed/escapes.h"

namespace paddock::sed {
namespace {

// Behind a bracket expression that begins at `begin`, or at the end of an open one.
size_t BracketEnd(std::string_view text, size_t begin) {
  size_t i = begin + 1;
  if (i < text.size() && text[i] == '^') ++i;
  if (i < text.size() && text[i] == ']') ++i;
  for (; i < text.size() && text[i] != ']'; ++i) {
    if (text[i] != '[' || i + 1 >= text.size() || std::strchr(".=:", text[i + 1]) == nullptr) continue;
    const char closing[] = {text[i + 1], ']', 0};
    const size_t end = text.find(closing, i + 2);
    if (end == std::string_view::npos) return text.size();
    i = end + 1;
  }
  return std::min(i + 1, text.size());
}

// A pattern as POSIX alone has it: GNU's operators are characters there.
std::string PosixPattern(std::string_view text, const ParseOptions& options, Budget& budget) {
  std::string plain;
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    budget.Step();
    const char c = text[i];
    if (c == '[') {
      const size_t end = BracketEnd(text, i);
      plain += text.substr(i, end - i);
      i = end - 1;
    } else if (c == '\\' && i + 1 < text.size()) {
      const char escaped = text[++i];
      const bool is_gnu = options.is_posix && (std::strchr("wWsSbB<>`'", escaped) != nullptr || (!options.is_extended && std::strchr("+?|", escaped) != nullptr));
      if (!is_gnu) plain += '\\';
      plain += escaped;
    } else {
      // One that closes nothing is a character.
      if (options.is_extended && c == '(') ++open;
      if (options.is_extended && c == ')' && open-- == 0) {
        plain += '\\';
        open = 0;
      }
      plain += c;
    }
  }
  return plain;
}

}  // namespace

// POSIX has no escapes in brackets.
Result<std::string> ConvertPattern(const std::string& text, const ParseOptions& options, Budget& budget) {
  if (!options.is_posix) {
    PADDOCK_ASSIGN(std::string converted, ConvertEscapes(text, EscapeUse::kRegex));
    return options.is_correct ? PosixPattern(converted, options, budget) : std::move(converted);
  }
  const std::string pattern = PosixPattern(text, options, budget);
  std::string converted;
  for (size_t i = 0; i < pattern.size();) {
    size_t bracket = i;
    while (bracket < pattern.size() && pattern[bracket] != '[') bracket += pattern[bracket] == '\\' ? 2 : 1;
    bracket = std::min(bracket, pattern.size());
    PADDOCK_ASSIGN(const std::string piece, ConvertEscapes(std::string_view(pattern).substr(i, bracket - i), EscapeUse::kRegex));
    const size_t end = bracket < pattern.size() ? BracketEnd(pattern, bracket) : bracket;
    converted += piece + pattern.substr(bracket, end - bracket);
    i = end;
  }
  return converted;
}

}  // namespace paddock::sed
