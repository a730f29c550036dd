#include "lang/yaml/scalar.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace paddock::yaml {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsOctal(char c) { return c >= '0' && c <= '7'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

template <class Accepts>
size_t Skip(std::string_view text, size_t at, Accepts accepts) {
  while (at < text.size() && accepts(text[at])) ++at;
  return at;
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

size_t SkipSign(std::string_view text) { return !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0; }

bool IsInfinityOrNan(std::string_view text) {
  return IsOneOf(text.substr(SkipSign(text)), {".inf", ".Inf", ".INF"}) || IsOneOf(text, {".nan", ".NaN", ".NAN"});
}

// :MM groups in base 60; npos when there are none.
size_t SkipSexagesimal(std::string_view text, size_t at) {
  const size_t begin = at;
  while (at < text.size() && text[at] == ':') {
    size_t digits = Skip(text, at + 1, IsDigit) - at - 1;
    if (digits == 0 || digits > 2 || (digits == 2 && text[at + 1] > '5')) return std::string_view::npos;
    at += 1 + digits;
  }
  return at == begin ? std::string_view::npos : at;
}

bool IsInt11(std::string_view text) {
  const auto or_underscore = [](auto accepts) { return [accepts](char c) { return c == '_' || accepts(c); }; };
  const size_t at = SkipSign(text);
  const std::string_view rest = text.substr(at);
  if (rest.empty() || !IsDigit(rest[0])) return false;
  if (rest == "0") return true;
  if (rest.starts_with("0b")) return rest.size() > 2 && Skip(rest, 2, or_underscore([](char c) { return c == '0' || c == '1'; })) == rest.size();
  if (rest.starts_with("0x")) return rest.size() > 2 && Skip(rest, 2, or_underscore(IsHex)) == rest.size();
  if (rest[0] == '0') return Skip(rest, 1, or_underscore(IsOctal)) == rest.size();
  const size_t digits = Skip(rest, 0, or_underscore(IsDigit));
  return digits == rest.size() || SkipSexagesimal(rest, digits) == rest.size();
}

bool IsInt12(std::string_view text) {
  if (text.starts_with("0o")) return text.size() > 2 && Skip(text, 2, IsOctal) == text.size();
  if (text.starts_with("0x")) return text.size() > 2 && Skip(text, 2, IsHex) == text.size();
  const size_t at = SkipSign(text);
  return at < text.size() && Skip(text, at, IsDigit) == text.size();
}

bool IsExponent(std::string_view text, size_t at, bool needs_sign) {
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  const size_t digits = at + 1 + SkipSign(text.substr(at + 1));
  if (needs_sign && digits == at + 1) return false;
  return digits < text.size() && Skip(text, digits, IsDigit) == text.size();
}

bool IsFloat11(std::string_view text) {
  if (IsInfinityOrNan(text)) return true;
  const auto digit = [](char c) { return c == '_' || IsDigit(c); };
  if (text.starts_with('.')) {
    const size_t end = Skip(text, 1, digit);
    return end > 1 && IsExponent(text, end, true);
  }
  const size_t sign = SkipSign(text);
  if (sign == text.size() || !IsDigit(text[sign])) return false;
  size_t at = Skip(text, sign, digit);
  if (at < text.size() && text[at] == ':') {
    at = SkipSexagesimal(text, at);
    return at != std::string_view::npos && at < text.size() && text[at] == '.' && Skip(text, at + 1, digit) == text.size();
  }
  return at < text.size() && text[at] == '.' && IsExponent(text, Skip(text, at + 1, digit), true);
}

bool IsFloat12(std::string_view text) {
  if (IsInfinityOrNan(text)) return true;
  size_t at = SkipSign(text);
  if (at == text.size()) return false;
  if (text[at] == '.') {
    const size_t end = Skip(text, at + 1, IsDigit);
    return end > at + 1 && IsExponent(text, end, false);
  }
  if (!IsDigit(text[at])) return false;
  at = Skip(text, at, IsDigit);
  if (at < text.size() && text[at] == '.') at = Skip(text, at + 1, IsDigit);
  return IsExponent(text, at, false);
}

bool IsDate11(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00";
  if (text.size() != kShape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kShape[i] == '-' ? text[i] != '-' : !IsDigit(text[i])) return false;
  }
  return true;
}

bool IsBool(std::string_view text, Grammar grammar) {
  if (IsOneOf(text, {"true", "True", "TRUE", "false", "False", "FALSE"})) return true;
  return grammar == Grammar::k11 && IsOneOf(text, {"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"});
}

std::string Without(std::string_view text, char gone) {
  std::string kept;
  for (const char c : text) {
    if (c != gone) kept += c;
  }
  return kept;
}

// Numbers of other bases, and those in base 60, are exact up to 64 bits and rounded beyond, as JSON readers do it.
std::string IntegerJson(bool is_negative, std::string_view digits, int base) {
  uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  const std::string sign = is_negative ? "-" : "";
  if (read.ec == std::errc()) return sign + std::to_string(value);
  double rounded = 0;
  for (const char c : digits) rounded = rounded * base + (IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  return sign + DoubleToJson(rounded);
}

bool IntToJson(const std::string& text, std::string& json, std::string& error) {
  const std::string plain = Without(text, '_');
  const bool is_negative = plain.starts_with('-');
  std::string_view digits = std::string_view(plain).substr(SkipSign(plain));
  const auto refuse = [&](int base, std::string_view shown) {
    error = "ValueError: invalid literal for int() with base " + std::to_string(base) + ": '" + std::string(shown) + "'";
    return false;
  };
  if (digits.empty()) {
    error = "IndexError: string index out of range";
    return false;
  }
  if (digits == "0") {
    json += '0';
    return true;
  }
  int base = 10;
  if (digits.starts_with("0b") || digits.starts_with("0x")) {
    base = digits[1] == 'b' ? 2 : 16;
    digits.remove_prefix(2);
  } else if (digits[0] == '0') {
    base = 8;
    if (digits.starts_with("0o")) digits.remove_prefix(2);
  } else if (digits.find(':') != std::string_view::npos) {
    double value = 0, part = 0;
    for (const char c : digits) {
      if (c != ':' && !IsDigit(c)) return refuse(10, digits);
      if (c == ':') {
        value = (value + part) * 60;
        part = 0;
      } else {
        part = part * 10 + (c - '0');
      }
    }
    json += (is_negative ? "-" : "") + DoubleToJson(value + part);
    return true;
  }
  const auto fits = [&](char c) { return base == 2 ? c == '0' || c == '1' : base == 8 ? IsOctal(c) : base == 16 ? IsHex(c) : IsDigit(c); };
  if (digits.empty() || Skip(digits, 0, fits) != digits.size()) return refuse(base, std::string_view(plain).substr(SkipSign(plain)));
  if (base != 10) {
    json += IntegerJson(is_negative, digits, base);
  } else {
    json.append(is_negative ? "-" : "").append(digits);
  }
  return true;
}

bool FloatToJson(const std::string& text, std::string& json, std::string& error) {
  std::string plain = Without(text, '_');
  for (char& c : plain) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  const bool is_negative = plain.starts_with('-');
  const std::string digits = plain.substr(SkipSign(plain));
  double value = 0;
  if (digits == ".inf") {
    value = HUGE_VAL;
  } else if (digits == ".nan") {
    value = NAN;
  } else {
    const char* begin = digits.c_str();
    char* end = nullptr;
    double whole = 0;
    for (;;) {
      if (!IsDigit(*begin) && *begin != '.') break;
      value = std::strtod(begin, &end);
      if (end == begin || *end != ':') break;
      whole = (whole + value) * 60;
      begin = end + 1;
    }
    value += whole;
    if (end == nullptr || end == begin || *end != '\0' || digits.find_first_not_of("0123456789.:e+-") != std::string::npos) {
      error = "ValueError: could not convert string to float: '" + digits + "'";
      return false;
    }
  }
  json += DoubleToJson(is_negative ? -value : value);
  return true;
}

}  // namespace

std::string_view ResolvePlain(std::string_view text, Grammar grammar) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return "null";
  if (text == "<<") return "merge";
  if (IsBool(text, grammar)) return "bool";
  if (grammar == Grammar::k12) {
    if (IsInt12(text)) return "int";
    return IsFloat12(text) ? "float" : "str";
  }
  if (IsFloat11(text)) return "float";
  if (IsInt11(text)) return "int";
  if (IsDate11(text)) return "timestamp";
  return text == "=" ? "value" : "str";
}

bool ScalarToJson(std::string_view kind, const std::string& text, std::string& json, std::string& error) {
  if (kind == "int") return IntToJson(text, json, error);
  if (kind == "float") return FloatToJson(text, json, error);
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  if (IsOneOf(lower, {"yes", "true", "on"})) {
    json += "true";
  } else if (IsOneOf(lower, {"no", "false", "off"})) {
    json += "false";
  } else {
    error = "KeyError: '" + lower + "'";
    return false;
  }
  return true;
}

void AppendJsonString(std::string_view text, std::string& json) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      json += "\\u00";
      json += kHexDigits[byte >> 4];
      json += kHexDigits[byte & 15];
    } else {
      json += c;
    }
  }
  json += '"';
}

std::string DoubleToJson(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-1.7976931348623157e+308" : "1.7976931348623157e+308";
  std::array<char, 400> text{};
  constexpr double kWhole = 1e17;
  if (std::trunc(number) == number && std::fabs(number) < kWhole) {
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed).ptr};
  }
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

}  // namespace paddock::yaml
