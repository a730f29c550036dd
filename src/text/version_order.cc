#include "text/version_order.h"

#include <cstddef>

namespace paddock {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The weight of the character at `at`: '~' first, then the end, digits, letters, everything else.
int WeightAt(std::string_view text, size_t at) {
  if (at == text.size()) return -1;
  const char c = text[at];
  if (IsDigit(c)) return 0;
  if (c == '~') return -2;
  const int byte = static_cast<unsigned char>(c);
  return IsLetter(c) ? byte : byte + 256;
}

// Length of `name` without its suffix, the longest end of the form (\.[A-Za-z~][A-Za-z0-9~]*)*; at least one
// character is kept.
size_t LengthWithoutSuffix(std::string_view name) {
  size_t length = 0;   // up to here nothing can belong to the suffix
  for (size_t at = 0; at < name.size();) {
    ++at;
    length = at;
    while (at + 1 < name.size() && name[at] == '.' && (IsLetter(name[at + 1]) || name[at + 1] == '~')) {
      at += 2;
      while (at < name.size() && (IsLetter(name[at]) || IsDigit(name[at]) || name[at] == '~')) ++at;
    }
  }
  return length;
}

}  // namespace

int CompareVersions(std::string_view a, std::string_view b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    while ((i < a.size() && !IsDigit(a[i])) || (j < b.size() && !IsDigit(b[j]))) {
      const int difference = WeightAt(a, i) - WeightAt(b, j);
      if (difference != 0) return difference;
      ++i;
      ++j;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    int first_difference = 0;
    while (i < a.size() && j < b.size() && IsDigit(a[i]) && IsDigit(b[j])) {
      if (first_difference == 0) first_difference = a[i] - b[j];
      ++i;
      ++j;
    }
    if (i < a.size() && IsDigit(a[i])) return 1;
    if (j < b.size() && IsDigit(b[j])) return -1;
    if (first_difference != 0) return first_difference;
  }
  return 0;
}

int CompareVersionNames(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return static_cast<int>(!a.empty()) - static_cast<int>(!b.empty());
  const bool a_is_hidden = a[0] == '.';
  const bool b_is_hidden = b[0] == '.';
  if (a_is_hidden != b_is_hidden) return a_is_hidden ? -1 : 1;
  if (a_is_hidden) {
    for (const std::string_view special : {".", ".."}) {
      if (a == special || b == special) return static_cast<int>(a != special) - static_cast<int>(b != special);
    }
  }
  const size_t a_length = LengthWithoutSuffix(a);
  const size_t b_length = LengthWithoutSuffix(b);
  const int result = CompareVersions(a.substr(0, a_length), b.substr(0, b_length));
  if (result != 0 || (a_length == a.size() && b_length == b.size())) return result;
  return CompareVersions(a, b);
}

}  // namespace paddock
