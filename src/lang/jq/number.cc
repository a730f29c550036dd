#include "lang/jq/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace paddock::jq {
namespace {

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A decimal number taken apart: digits without leading zeros ("0" for zero) times ten to the exponent.
struct Decimal {
  bool is_negative = false;
  std::string digits;
  int64_t exponent = 0;
};

bool ReadDecimal(std::string_view text, Decimal& decimal) {
  size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) decimal.is_negative = text[at++] == '-';
  bool has_digit = false, has_point = false;
  for (; at < text.size(); ++at) {
    if (IsDigit(text[at])) {
      has_digit = true;
      if (has_point) --decimal.exponent;
      if (text[at] != '0' || !decimal.digits.empty()) decimal.digits += text[at];
    } else if (text[at] == '.' && !has_point) {
      has_point = true;
    } else {
      break;
    }
  }
  if (!has_digit) return false;
  if (decimal.digits.empty()) decimal.digits = "0";
  if (at == text.size()) return true;
  if ((text[at] | 0x20) != 'e') return false;
  ++at;
  const bool is_down = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  if (at == text.size()) return false;
  int64_t exponent = 0;
  for (; at < text.size(); ++at) {
    if (!IsDigit(text[at])) return false;
    exponent = std::min<int64_t>(exponent * 10 + (text[at] - '0'), 100'000'000'000);
  }
  decimal.exponent += is_down ? -exponent : exponent;
  return true;
}

// The decimal in the scientific notation of the General Decimal Arithmetic specification.
std::string CanonicalText(const Decimal& decimal) {
  const auto count = static_cast<int64_t>(decimal.digits.size());
  const int64_t adjusted = decimal.exponent + count - 1;
  std::string text = decimal.is_negative ? "-" : "";
  if (decimal.exponent <= 0 && adjusted >= -6) {
    if (decimal.exponent == 0) return text + decimal.digits;
    const int64_t whole = count + decimal.exponent;
    if (whole > 0) {
      return text + decimal.digits.substr(0, static_cast<size_t>(whole)) + "." +
             decimal.digits.substr(static_cast<size_t>(whole));
    }
    return text + "0." + std::string(static_cast<size_t>(-whole), '0') + decimal.digits;
  }
  text += decimal.digits[0];
  if (count > 1) text += "." + decimal.digits.substr(1);
  return text + (adjusted < 0 ? "E" : "E+") + std::to_string(adjusted);
}

double ToDouble(std::string_view text, const Decimal& decimal) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc::result_out_of_range) return number;
  const bool is_tiny = decimal.exponent + static_cast<int64_t>(decimal.digits.size()) < 0;
  number = is_tiny ? 0 : std::numeric_limits<double>::infinity();
  return decimal.is_negative ? -number : number;
}

Value ParseSlowly(std::string_view text) {
  Decimal decimal;
  if (!ReadDecimal(text, decimal)) {
    const bool is_negative = !text.empty() && text[0] == '-';
    std::string_view word = is_negative || (!text.empty() && text[0] == '+') ? text.substr(1) : text;
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    const double infinity = std::numeric_limits<double>::infinity();
    if (lower == "infinity" || lower == "inf") return Value::Number(is_negative ? -infinity : infinity);
    if (lower == "nan") return Value::Number(std::numeric_limits<double>::quiet_NaN());
    return Value();
  }
  const double number = ToDouble(text, decimal);
  constexpr int64_t kMostExponent = 999'999'999;
  const int64_t adjusted = decimal.exponent + static_cast<int64_t>(decimal.digits.size()) - 1;
  if (adjusted > kMostExponent || adjusted < -kMostExponent) return Value::Number(number);
  const std::string canonical = CanonicalText(decimal);
  char shown[kNumberBytes];
  if (std::string_view(shown, FormatDouble(number, shown)) == canonical) return Value::Number(number);
  return Value::Literal(number, canonical);
}

// Digits of a double, the shortest that read back as it, and the place of the point among them.
struct Digits {
  char text[20];
  int count;
  int point;
};

Digits ShortestDigits(double number) {
  Digits digits{};
  char buffer[kNumberBytes];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  const char* at = buffer;
  for (; at < end && *at != 'e'; ++at) {
    if (*at != '.') digits.text[digits.count++] = *at;
  }
  int exponent = 0;
  if (at < end) std::from_chars(at + (at[1] == '+' ? 2 : 1), end, exponent);
  digits.point = exponent + 1;
  return digits;
}

size_t FormatInteger(int64_t number, char* out) {
  return static_cast<size_t>(std::to_chars(out, out + kNumberBytes, number).ptr - out);
}

int CompareDecimals(const Decimal& a, const Decimal& b) {
  const bool a_zero = a.digits == "0", b_zero = b.digits == "0";
  if (a_zero || b_zero) {
    if (a_zero && b_zero) return 0;
    return a_zero ? (b.is_negative ? 1 : -1) : (a.is_negative ? -1 : 1);
  }
  if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
  const int sign = a.is_negative ? -1 : 1;
  const int64_t a_size = static_cast<int64_t>(a.digits.size()) + a.exponent;
  const int64_t b_size = static_cast<int64_t>(b.digits.size()) + b.exponent;
  if (a_size != b_size) return a_size < b_size ? -sign : sign;
  std::string a_digits = a.digits, b_digits = b.digits;
  const size_t width = std::max(a_digits.size(), b_digits.size());
  a_digits.resize(width, '0');
  b_digits.resize(width, '0');
  const int order = a_digits.compare(b_digits);
  return order == 0 ? 0 : (order < 0 ? -sign : sign);
}

}  // namespace

size_t FormatDouble(double number, char* out) {
  if (std::isnan(number)) {
    std::memcpy(out, "null", 4);
    return 4;
  }
  if (std::abs(number) < 1e15 && number == std::trunc(number) && (number != 0 || !std::signbit(number))) {
    return FormatInteger(static_cast<int64_t>(number), out);
  }
  if (std::isinf(number)) number = std::copysign(std::numeric_limits<double>::max(), number);
  char* at = out;
  if (std::signbit(number)) *at++ = '-';
  if (number == 0) {
    *at++ = '0';
    return static_cast<size_t>(at - out);
  }
  const Digits digits = ShortestDigits(std::abs(number));
  if (digits.point <= -4 || digits.point > digits.count + 15) {
    *at++ = digits.text[0];
    if (digits.count > 1) {
      *at++ = '.';
      at = std::copy(digits.text + 1, digits.text + digits.count, at);
    }
    at += std::snprintf(at, 8, "e%+03d", digits.point - 1);
  } else if (digits.point <= 0) {
    *at++ = '0';
    *at++ = '.';
    at = std::fill_n(at, -digits.point, '0');
    at = std::copy(digits.text, digits.text + digits.count, at);
  } else {
    const int whole = std::min(digits.point, digits.count);
    at = std::copy(digits.text, digits.text + whole, at);
    at = std::fill_n(at, digits.point - whole, '0');
    if (digits.count > whole) {
      *at++ = '.';
      at = std::copy(digits.text + whole, digits.text + digits.count, at);
    }
  }
  return static_cast<size_t>(at - out);
}

std::string_view NumberText(const Value& number, char* buffer) {
  if (number.kind() == Kind::kLiteral) return number.literal_text();
  return {buffer, FormatDouble(number.number(), buffer)};
}

Value ParseNumber(std::string_view text) {
  // What a double shows as it was written: up to 15 digits, no zeros at the end of a fraction, no exponent.
  size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const bool is_negative = at == 1;
  uint64_t digits = 0;
  size_t count = 0, decimals = 0;
  const size_t start = at;
  for (; at < text.size() && IsDigit(text[at]); ++at, ++count) digits = digits * 10 + static_cast<uint64_t>(text[at] - '0');
  if (count == 0 || count > 15) return ParseSlowly(text);
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && IsDigit(text[at]) && count <= 15; ++at, ++count, ++decimals) {
      digits = digits * 10 + static_cast<uint64_t>(text[at] - '0');
    }
    if (decimals == 0 || count > 15 || text[at - 1] == '0') return ParseSlowly(text);
    if (text[start] == '0' && decimals > 4) return ParseSlowly(text);
  }
  if (at != text.size()) return ParseSlowly(text);
  double number = static_cast<double>(digits);
  if (decimals > 0) number /= kPowersOfTen[decimals];
  return Value::Number(is_negative ? -number : number);
}

int CompareNumbers(const Value& a, const Value& b) {
  if (a.kind() == Kind::kLiteral && b.kind() == Kind::kLiteral) {
    Decimal x, y;
    if (ReadDecimal(a.literal_text(), x) && ReadDecimal(b.literal_text(), y)) return CompareDecimals(x, y);
  }
  const double x = a.number(), y = b.number();
  if (x < y || std::isnan(x)) return -1;
  return x == y ? 0 : 1;
}

}  // namespace paddock::jq
