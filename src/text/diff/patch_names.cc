#include "text/diff/patch_names.h"

#include "text/date/date_parse.h"

namespace paddock {
namespace {

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Where the name ends: at the first blank, unless a tab comes later in the line.
size_t NameEnd(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (!IsBlank(text[i])) continue;
    if (text[i] == '\t' || text[i] == '\n') return i;
    const size_t tab = text.find('\t', i);
    return tab == std::string_view::npos ? i : tab;
  }
  return text.size();
}

char SimpleEscape(char c) {
  switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '"':
    case '\\': return c;
    default: return 0;
  }
}

}  // namespace

std::optional<std::string> TakeQuotedName(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string name;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return name;
    }
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    if (++i >= text.size()) return std::nullopt;
    if (const char simple = SimpleEscape(text[i]); simple != 0) {
      name += simple;
      continue;
    }
    if (text[i] < '0' || text[i] > '3' || i + 2 >= text.size()) return std::nullopt;
    int value = 0;
    for (size_t digit = 0; digit < 3; ++digit) {
      const char c = text[i + digit];
      if (c < '0' || c > '7') return std::nullopt;
      value = value * 8 + (c - '0');
    }
    i += 2;
    name += static_cast<char>(value);
  }
  return std::nullopt;
}

PatchFileLine ReadPatchFileLine(std::string_view text, const TimeZone& zone, Budget& budget) {
  PatchFileLine line;
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  if (text.empty()) return line;
  if (text.front() == '"') {
    line.name = TakeQuotedName(text);
    if (!line.name) return line;
  } else {
    const size_t end = NameEnd(text);
    line.name = text.substr(0, end);
    text.remove_prefix(end);
  }
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  if (*line.name == "/dev/null") {
    line.is_null_device = true;
    line.time = TimePoint{};
  } else if (!text.empty() && text.size() < 100) {
    line.time = ParseDate(text, TimePoint{}, zone, budget);
  }
  return line;
}

std::optional<std::string> StripComponents(std::string_view name, int64_t count) {
  if (count < 0) {
    const size_t slash = name.rfind('/');
    const std::string_view base = slash == std::string_view::npos ? name : name.substr(slash + 1);
    if (base.empty()) return std::nullopt;
    return std::string(base);
  }
  for (; count > 0; --count) {
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    name.remove_prefix(slash);
    while (name.starts_with('/')) name.remove_prefix(1);
  }
  if (name.empty()) return std::nullopt;
  return std::string(name);
}

}  // namespace paddock
