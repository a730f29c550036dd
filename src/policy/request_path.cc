// Readings of a request's path. Servers disagree about escapes, backslashes and dots; a prefix is only trusted where
// every reading agrees that nothing climbs out of it.
#include <vector>

#include "policy/network_verdict.h"

namespace paddock::policy {
namespace {

constexpr int kDecodings = 3;   // servers behind servers decode again

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

// The byte that an escape at `at` stands for, or -1.
int EscapeAt(std::string_view text, size_t at) {
  if (text[at] != '%' || at + 2 >= text.size()) return -1;
  const int high = HexValue(text[at + 1]), low = HexValue(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

std::string Plain(std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string plain;
  for (size_t i = 0; i < path.size(); ++i) {
    const int value = EscapeAt(path, i);
    if (value < 0) {
      plain += path[i];
      continue;
    }
    if (IsUnreserved(static_cast<char>(value))) {
      plain += static_cast<char>(value);
    } else {
      plain += {'%', kHex[value / 16], kHex[value % 16]};
    }
    i += 2;
  }
  return plain;
}

std::string Decoded(std::string_view path) {
  std::string decoded;
  for (size_t i = 0; i < path.size(); ++i) {
    const int value = EscapeAt(path, i);
    if (value < 0) {
      decoded += path[i];
    } else {
      decoded += static_cast<char>(value);
      i += 2;
    }
  }
  return decoded;
}

bool HasBadEscape(std::string_view path) {
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%' && EscapeAt(path, i) < 0) return true;
  }
  return false;
}

// Splits at '/' and '\'; true when a segment climbs or stands still, also with parameters ("..;x").
bool HasDotSegments(std::string_view path, std::vector<std::string>* segments) {
  bool found = false;
  for (size_t start = 0; start <= path.size();) {
    size_t end = path.find_first_of("/\\", start);
    if (end == std::string_view::npos) end = path.size();
    const std::string_view segment = path.substr(start, end - start);
    const std::string_view name = segment.substr(0, segment.find(';'));
    if (name == "." || name == "..") {
      found = true;
      if (name == ".." && !segments->empty()) segments->pop_back();
    } else if (!segment.empty()) {
      segments->emplace_back(segment);
    }
    start = end + 1;
  }
  return found;
}

}  // namespace

RequestPath RequestPath::Parse(std::string_view target) {
  RequestPath result;
  const std::string_view path = target.substr(0, target.find('?'));
  result.plain = Plain(path);
  result.is_ambiguous = HasBadEscape(path) || path.find('#') != std::string_view::npos;
  std::string reading(path);
  std::vector<std::string> segments;
  for (int i = 0; i <= kDecodings; ++i) {
    segments.clear();
    if (HasDotSegments(reading, &segments) || reading.find('\0') != std::string::npos) result.is_ambiguous = true;
    std::string next = Decoded(reading);
    if (next == reading) break;
    if (i == kDecodings) result.is_ambiguous = true;
    reading = std::move(next);
  }
  for (const std::string& segment : segments) {
    result.collapsed += '/';
    for (const char c : segment) result.collapsed += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (result.collapsed.empty()) result.collapsed = path == "*" ? "*" : "/";
  return result;
}

}  // namespace paddock::policy
