#include "commands/text/rg_pattern.h"

#include <algorithm>
#include <cctype>

#include "text/utf8.h"

namespace paddock {

std::string RgEscape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}#-").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

bool RgHasLiteral(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      if (++i < pattern.size() && std::ispunct(static_cast<unsigned char>(pattern[i])) != 0) return true;
    } else if (pattern.substr(i).starts_with("[:") || pattern[i] == '{') {
      i = std::min(pattern.find(pattern[i] == '{' ? '}' : ']', i), pattern.size());
    } else if (std::string_view(".^$*+?()[]|").find(pattern[i]) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

bool RgHasUpper(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size();) {
    const DecodedChar c = DecodeUtf8(pattern.substr(i));
    if (c.code == '\\') {
      i += 2;
      continue;
    }
    if (c.is_valid && ToLower(c.code) != c.code) return true;
    i += c.length;
  }
  return false;
}

bool RgHasNewline(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\n') return true;
    if (pattern[i] == '\\' && i + 1 < pattern.size() && pattern[++i] == 'n') return true;
    if (pattern.substr(i).starts_with("[^")) i = std::min(pattern.find(']', i + 3), pattern.size());   // what it leaves out cannot match
  }
  return false;
}

bool RgHasBadRepetition(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
      if (i + 1 < pattern.size() && pattern[i + 1] == '{') i = std::min(pattern.find('}', i), pattern.size());
    } else if (c == '[') {
      size_t end = i + 1;
      if (end < pattern.size() && pattern[end] == '^') ++end;
      if (end < pattern.size() && pattern[end] == ']') ++end;
      while (end < pattern.size() && pattern[end] != ']') end += pattern[end] == '\\' ? 2 : pattern.substr(end).starts_with("[:") ? std::min(pattern.find(":]", end), pattern.size()) - end + 2 : 1;
      i = end;
    } else if (c == '{') {
      const size_t end = pattern.find('}', i);
      if (end == std::string_view::npos || end == i + 1 || pattern.substr(i + 1, end - i - 1).find_first_not_of("0123456789,") != std::string_view::npos) return true;
      i = end;
    }
  }
  return false;
}

}  // namespace paddock
