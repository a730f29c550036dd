#include "egress/first_bytes.h"

#include <algorithm>

namespace paddock::egress {
namespace {

constexpr size_t kLongestFirstLine = 8 << 10;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool ContainsIgnoringCase(std::string_view text, std::string_view word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [&](char a, char b) { return lower(a) == lower(b); }) !=
         text.end();
}

}  // namespace

FirstBytes Classify(std::string_view bytes) {
  if (bytes.empty()) return FirstBytes::kNeedMore;
  if (bytes[0] == 0x16) return FirstBytes::kTls;
  // Servers skip empty lines before a request.
  const auto start =
      std::find_if(bytes.begin(), bytes.end(), [](char c) { return c != '\r' && c != '\n' && c != ' ' && c != '\t'; });
  if (start == bytes.end()) return bytes.size() < kLongestFirstLine ? FirstBytes::kNeedMore : FirstBytes::kHttp;
  if (!IsLetter(*start)) return FirstBytes::kOther;
  const std::string_view rest(&*start, static_cast<size_t>(bytes.end() - start));
  const size_t end = rest.find('\n');
  if (end == std::string_view::npos) return rest.size() < kLongestFirstLine ? FirstBytes::kNeedMore : FirstBytes::kHttp;
  return end >= kLongestFirstLine || ContainsIgnoringCase(rest.substr(0, end), "http/") ? FirstBytes::kHttp : FirstBytes::kOther;
}

}  // namespace paddock::egress
