#include "lang/awk/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "lang/awk/format.h"

namespace paddock::awk {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// "+inf" and the like: four bytes with a sign, then nothing that could go on a word.
bool ParseSpecial(std::string_view text, double& value) {
  if (text.size() < 4 || (text[0] != '+' && text[0] != '-')) return false;
  if (text.size() > 4 && !IsBlank(text[4])) return false;
  const char a = Lower(text[1]), b = Lower(text[2]), c = Lower(text[3]);
  if (a == 'i' && b == 'n' && c == 'f') {
    value = std::numeric_limits<double>::infinity();
  } else if (a == 'n' && b == 'a' && c == 'n') {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    return false;
  }
  if (text[0] == '-') value = -value;
  return true;
}

// The end of "e[+-]digits" at `at`, or `at` when there is no complete exponent.
size_t SkipExponent(std::string_view text, size_t at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  size_t next = at + 1;
  if (next < text.size() && (text[next] == '+' || text[next] == '-')) ++next;
  if (next >= text.size() || !IsDigit(text[next])) return at;
  while (next < text.size() && IsDigit(text[next])) ++next;
  return next;
}

// Value of digits[.digits][exponent] that is known to be well formed.
double ExactDecimal(std::string_view number) {
  double value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    const size_t e = number.find_first_of("eE");
    if (e != std::string_view::npos) {
      return number[e + 1] == '-' ? 0 : std::numeric_limits<double>::infinity();
    }
    return number.find('.') < 300 ? 0 : std::numeric_limits<double>::infinity();
  }
  return value;
}

double ParseHex(std::string_view text) {
  double value = 0;
  for (const char c : text) {
    const char l = Lower(c);
    if (IsDigit(l)) {
      value = value * 16 + (l - '0');
    } else if (l >= 'a' && l <= 'f') {
      value = value * 16 + (l - 'a' + 10);
    } else {
      break;
    }
  }
  return value;
}

}  // namespace

NumberPrefix ParseNumber(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && IsBlank(text[at])) ++at;
  const size_t start = at;
  if (at == text.size()) return {0, 0};
  const bool is_negative = text[at] == '-';
  if (text[at] == '-' || text[at] == '+') {
    double special = 0;
    if (ParseSpecial(text.substr(at), special)) return {special, at + 4};
    ++at;
  }
  const size_t digits_start = at;
  uint64_t digits = 0;
  while (at < text.size() && IsDigit(text[at])) {
    digits = digits * 10 + static_cast<uint64_t>(text[at] - '0');
    ++at;
  }
  size_t digit_count = at - digits_start;
  size_t fraction_count = 0;
  if (at < text.size() && text[at] == '.') {
    const size_t fraction_start = at + 1;
    size_t next = fraction_start;
    while (next < text.size() && IsDigit(text[next])) {
      digits = digits * 10 + static_cast<uint64_t>(text[next] - '0');
      ++next;
    }
    fraction_count = next - fraction_start;
    if (digit_count + fraction_count > 0) at = next;
  }
  digit_count += fraction_count;
  if (digit_count == 0) return {0, 0};
  const size_t end = SkipExponent(text, at);
  double value = 0;
  if (end == at && digit_count <= 15) [[likely]] {
    value = static_cast<double>(digits);
    if (fraction_count > 0) value /= kPowersOfTen[fraction_count];
  } else {
    value = ExactDecimal(text.substr(digits_start, end - digits_start));
  }
  (void)start;
  return {is_negative ? -value : value, end};
}

bool LooksNumeric(std::string_view text, double& value) {
  const NumberPrefix prefix = ParseNumber(text);
  value = prefix.value;
  if (prefix.length == 0) return false;
  for (size_t i = prefix.length; i < text.size(); ++i) {
    if (!IsBlank(text[i])) return false;
  }
  return true;
}

double ParseNonDecimal(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && IsBlank(text[at])) ++at;
  bool is_negative = false;
  size_t start = at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) is_negative = text[at++] == '-';
  double value = 0;
  if (at + 1 < text.size() && text[at] == '0' && Lower(text[at + 1]) == 'x') {
    value = ParseHex(text.substr(at + 2));
  } else if (at + 1 < text.size() && text[at] == '0' && IsDigit(text[at + 1])) {
    size_t end = at;
    while (end < text.size() && IsDigit(text[end])) ++end;
    const bool is_octal = text.substr(at, end - at).find_first_of("89") == std::string_view::npos &&
                          (end == text.size() || (text[end] != '.' && Lower(text[end]) != 'e'));
    if (!is_octal) return ParseNumber(text.substr(start)).value;
    for (size_t i = at; i < end; ++i) value = value * 8 + (text[i] - '0');
  } else {
    return ParseNumber(text.substr(start)).value;
  }
  return is_negative ? -value : value;
}

std::string_view SpecialName(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "+nan";
  return value < 0 ? "-inf" : "+inf";
}

size_t WriteIntegral(double value, char* out) {
  if (value >= -9.2e18 && value <= 9.2e18) {
    const auto integer = static_cast<int64_t>(value);
    if (static_cast<double>(integer) != value) return 0;
    return static_cast<size_t>(std::to_chars(out, out + 32, integer).ptr - out);
  }
  if (std::isfinite(value)) return 0;
  const std::string_view name = SpecialName(value);
  name.copy(out, name.size());
  return name.size();
}

void AppendNumber(std::string& out, double value, std::string_view format) {
  char buffer[400];
  size_t length = WriteIntegral(value, buffer);
  if (length == 0) {
    if (value == std::trunc(value)) {
      length = static_cast<size_t>(std::snprintf(buffer, sizeof buffer, "%.0f", value));
    } else if (format == "%.6g") {
      length = static_cast<size_t>(std::snprintf(buffer, sizeof buffer, "%.6g", value));
    } else {
      AppendByFormat(out, format, value);
      return;
    }
  }
  out.append(buffer, length);
}

double Power(double base, double exponent) {
  if (exponent != std::trunc(exponent) || std::abs(exponent) > INT32_MAX) return std::pow(base, exponent);
  auto n = static_cast<uint64_t>(std::abs(exponent));
  if (n == 0) return 1;
  double result = 1;
  for (; n > 1; n /= 2) {
    if (n % 2 == 1) result *= base;
    base *= base;
  }
  result *= base;
  return exponent < 0 ? 1 / result : result;
}

}  // namespace paddock::awk
