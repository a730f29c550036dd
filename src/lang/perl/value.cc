#include "lang/perl/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace paddock::perl {
namespace {

bool IsAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string Printed(const char* format, int width, int precision, double number) {
  char buffer[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int size = std::snprintf(buffer, sizeof buffer, format, width, precision, number);
#pragma GCC diagnostic pop
  return std::string(buffer, static_cast<size_t>(std::clamp(size, 0, static_cast<int>(sizeof buffer) - 1)));
}

// One conversion of sprintf.
struct Conversion {
  bool is_left = false, has_zero = false, has_plus = false, has_space = false, has_mark = false;
  int64_t width = 0;
  int64_t precision = -1;
  char letter = 0;
};

std::string Padded(const Conversion& how, std::string text, bool zero_allowed) {
  const auto width = static_cast<size_t>(std::max<int64_t>(how.width, 0));
  if (text.size() >= width) return text;
  const size_t missing = width - text.size();
  if (how.is_left) return text.append(missing, ' ');
  if (!how.has_zero || !zero_allowed) return text.insert(0, missing, ' ');
  size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == ' ') ? 1 : 0;
  if (text.size() > sign + 1 && text[sign] == '0' && (text[sign + 1] | 32) == 'x') sign += 2;
  return text.insert(sign, missing, '0');
}

std::string IntegerText(const Conversion& how, double number) {
  const bool is_signed = how.letter == 'd' || how.letter == 'i';
  std::string digits;
  bool is_negative = false;
  if (is_signed) {
    const double bounded = std::isnan(number) ? 0 : std::clamp(number, -9223372036854774784.0, 9223372036854774784.0);
    const auto value = static_cast<int64_t>(bounded);
    is_negative = value < 0;
    digits = std::to_string(is_negative ? -value : value);
  } else {
    const double bounded = std::isnan(number) ? 0 : std::clamp(number, -9223372036854774784.0, 18446744073709549568.0);
    const uint64_t value = bounded < 0 ? static_cast<uint64_t>(static_cast<int64_t>(bounded)) : static_cast<uint64_t>(bounded);
    char buffer[72];
    const int base = how.letter == 'u' ? 10 : how.letter == 'o' ? 8 : (how.letter | 32) == 'x' ? 16 : 2;
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, base).ptr;
    digits.assign(buffer, end);
    if (how.letter == 'X') digits = Upper(digits);
  }
  if (how.precision >= 0 && digits.size() < static_cast<size_t>(how.precision)) digits.insert(0, static_cast<size_t>(how.precision) - digits.size(), '0');
  if (how.has_mark && !is_signed && digits != "0") {
    if (how.letter == 'o') digits.insert(0, "0");
    if ((how.letter | 32) == 'x' || (how.letter | 32) == 'b') digits.insert(0, std::string("0") + how.letter);
  }
  if (is_signed) digits.insert(0, is_negative ? "-" : how.has_plus ? "+" : how.has_space ? " " : "");
  return Padded(how, digits, how.precision < 0);
}

std::string FloatText(const Conversion& how, double number) {
  std::string format = "%";
  if (how.has_plus) format += '+';
  if (how.has_space) format += ' ';
  if (how.has_mark) format += '#';
  format += "*.*";
  format += how.letter;
  const int precision = how.precision < 0 ? 6 : static_cast<int>(std::min<int64_t>(how.precision, 100));
  return Padded(how, Printed(format.c_str(), 0, precision, number), std::isfinite(number));
}

}  // namespace

double NumberOf(std::string_view text) {
  size_t at = text.find_first_not_of(" \t\n\r\f");
  if (at == std::string_view::npos) return 0;
  bool is_negative = false;
  if (text[at] == '-' || text[at] == '+') is_negative = text[at++] == '-';
  if (at >= text.size() || !((text[at] >= '0' && text[at] <= '9') || text[at] == '.')) return 0;
  double value = 0;
  const auto read = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (read.ec == std::errc::result_out_of_range) value = HUGE_VAL;
  return is_negative ? -value : value;
}

std::string Value::AsText() const {
  if (!is_number) return text;
  if (number == 0) return "0";
  if (std::floor(number) == number && std::fabs(number) < 1e15) return std::to_string(static_cast<int64_t>(number));
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Inf" : "Inf";
  return Printed("%*.*g", 0, 15, number);
}
double Value::AsNumber() const { return is_number ? number : NumberOf(text); }
bool Value::AsTruth() const {
  if (is_number) return number != 0;
  return is_defined && !text.empty() && text != "0";
}

Value Incremented(const Value& value) {
  if (!value.is_defined) return Value::Number(1);
  const std::string& text = value.text;
  const size_t digits = text.find_first_of("0123456789");
  const bool is_word = !value.is_number && !text.empty() && std::all_of(text.begin(), text.end(), IsAlnum) && digits != 0 &&
                       (digits == std::string::npos || text.find_first_not_of("0123456789", digits) == std::string::npos);
  if (!is_word) return Value::Number(value.AsNumber() + 1);
  std::string next = text;
  for (size_t i = next.size(); i-- > 0;) {
    char& c = next[i];
    if (c != 'z' && c != 'Z' && c != '9') {
      ++c;
      return Value::Text(next);
    }
    c = c == 'z' ? 'a' : c == 'Z' ? 'A' : '0';
  }
  const char first = next[0];
  return Value::Text(std::string(1, first == '0' ? '1' : first) + next);
}

std::string Formatted(const std::vector<Value>& arguments, Budget& budget) {
  const std::string format = arguments.empty() ? std::string() : arguments[0].AsText();
  size_t next = 1;
  const auto take = [&] { return next < arguments.size() ? arguments[next++] : Value(); };
  std::string out;
  for (size_t i = 0; i < format.size();) {
    budget.Step();
    if (format[i] != '%') {
      out += format[i++];
      continue;
    }
    const size_t start = i++;
    Conversion how;
    for (bool is_flag = true; is_flag && i < format.size();) {
      switch (format[i]) {
        case '-': how.is_left = true; break;
        case '0': how.has_zero = true; break;
        case '+': how.has_plus = true; break;
        case ' ': how.has_space = true; break;
        case '#': how.has_mark = true; break;
        default: is_flag = false;
      }
      if (is_flag) ++i;
    }
    const auto number = [&](int64_t& value) {
      value = 0;
      if (i < format.size() && format[i] == '*') {
        ++i;
        value = static_cast<int64_t>(std::clamp(take().AsNumber(), -2e9, 2e9));
        return;
      }
      while (i < format.size() && format[i] >= '0' && format[i] <= '9') value = std::min<int64_t>(value * 10 + (format[i++] - '0'), 2'000'000'000);
    };
    number(how.width);
    if (how.width < 0) {
      how.is_left = true;
      how.width = -how.width;
    }
    if (i < format.size() && format[i] == '.') {
      ++i;
      number(how.precision);
    }
    while (i < format.size() && (format[i] == 'l' || format[i] == 'h' || format[i] == 'q')) ++i;
    how.letter = i < format.size() ? format[i++] : '\0';
    budget.WillAllocate(static_cast<uint64_t>(how.width) + static_cast<uint64_t>(std::max<int64_t>(how.precision, 0)));
    budget.Step((how.width + std::max<int64_t>(how.precision, 0)) / 32);
    switch (how.letter) {
      case '%': out += '%'; break;
      case 'c': out += Padded(how, std::string(1, static_cast<char>(static_cast<int64_t>(std::clamp(take().AsNumber(), 0.0, 255.0)))), true); break;
      case 's': {
        std::string text = take().AsText();
        if (how.precision >= 0 && text.size() > static_cast<size_t>(how.precision)) text.resize(static_cast<size_t>(how.precision));
        out += Padded(how, std::move(text), true);
        break;
      }
      case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': case 'b': case 'B': out += IntegerText(how, take().AsNumber()); break;
      case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': out += FloatText(how, take().AsNumber()); break;
      default: out += format.substr(start, i - start);
    }
  }
  return out;
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return text;
}
std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return text;
}

std::string CaseChanged(char how, std::string text) {
  switch (how) {
    case 'L': return Lower(std::move(text));
    case 'U': return Upper(std::move(text));
    case 'l':
    case 'u':
      if (!text.empty()) text.replace(0, 1, how == 'l' ? Lower(text.substr(0, 1)) : Upper(text.substr(0, 1)));
      return text;
    default: break;
  }
  std::string quoted;
  for (const char c : text) {
    if (!IsAlnum(c) && c != '_') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

}  // namespace paddock::perl
