#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "commands/text/sort_numbers.h"

namespace paddock {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

std::string_view SkipBlanks(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && IsBlank(text[at])) ++at;
  return text.substr(at);
}

std::string_view TakeDigits(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && IsDigit(text[end])) ++end;
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

struct Decimal {
  bool is_negative = false;
  std::string_view whole;      // without leading zeros
  std::string_view fraction;   // without trailing zeros
  std::string_view rest;       // what follows the number
  bool is_zero() const { return whole.empty() && fraction.empty(); }
};

Decimal ReadDecimal(std::string_view text) {
  text = SkipBlanks(text);
  Decimal number;
  if (!text.empty() && text.front() == '-') {
    number.is_negative = true;
    text.remove_prefix(1);
  }
  number.whole = TakeDigits(text);
  while (!number.whole.empty() && number.whole.front() == '0') number.whole.remove_prefix(1);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    number.fraction = TakeDigits(text);
    while (!number.fraction.empty() && number.fraction.back() == '0') number.fraction.remove_suffix(1);
  }
  number.rest = text;
  if (number.is_zero()) number.is_negative = false;
  return number;
}

int Sign(int value) { return (value > 0) - (value < 0); }

int CompareMagnitude(const Decimal& a, const Decimal& b) {
  if (a.whole.size() != b.whole.size()) return a.whole.size() < b.whole.size() ? -1 : 1;
  if (const int order = a.whole.compare(b.whole); order != 0) return Sign(order);
  return Sign(a.fraction.compare(b.fraction));
}

int CompareDecimals(const Decimal& a, const Decimal& b) {
  if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
  return a.is_negative ? CompareMagnitude(b, a) : CompareMagnitude(a, b);
}

// Reads the number at the start of `text`; the bytes that it takes, 0 when there is none.
size_t ReadFloat(std::string_view text, long double* value) {
  // No number is longer than the run of characters that numbers are made of.
  char small[64];
  const size_t length = text.size();
  std::string large;
  const char* start = small;
  if (length < sizeof small) {
    std::memcpy(small, text.data(), length);
    small[length] = '\0';
  } else {
    large = text;
    start = large.c_str();
  }
  char* end = nullptr;
  *value = std::strtold(start, &end);
  return static_cast<size_t>(end - start);
}

}  // namespace

int CompareNumeric(std::string_view a, std::string_view b) {
  return CompareDecimals(ReadDecimal(a), ReadDecimal(b));
}

namespace {

// Up to 12 digits before the point with 6 behind it; above that up to 18 digits without a fraction; above
// that all alike.
uint64_t PrefixOf(const Decimal& number) {
  constexpr uint64_t kMiddle = uint64_t{1} << 63;
  constexpr uint64_t kMillion = 1'000'000;
  uint64_t value = 0;
  if (number.whole.size() > 18) {
    value = kMiddle - 1;
  } else {
    for (const char c : number.whole) value = value * 10 + static_cast<uint64_t>(c - '0');
    if (number.whole.size() <= 12) {
      uint64_t fraction = 0;
      for (size_t i = 0; i < 6; ++i) {
        fraction = fraction * 10 + static_cast<uint64_t>(i < number.fraction.size() ? number.fraction[i] - '0' : 0);
      }
      value = value * kMillion + fraction;
    } else {
      value += kMillion * kMillion * kMillion;
    }
  }
  return number.is_negative ? kMiddle - value : kMiddle + value;
}

// The unit as a power of 1024, negated for a negative number, 0 for zero.
int UnitOrder(const Decimal& number) {
  constexpr std::string_view kUnits = "KMGTPEZY";
  if (number.is_zero() || number.rest.empty()) return 0;
  const char letter = number.rest.front() == 'k' ? 'K' : number.rest.front();
  const size_t at = kUnits.find(letter);
  const int order = at == std::string_view::npos ? 0 : static_cast<int>(at) + 1;
  return number.is_negative ? -order : order;
}

}  // namespace

uint64_t NumericPrefix(std::string_view text) { return PrefixOf(ReadDecimal(text)); }

uint64_t HumanNumericPrefix(std::string_view text) {
  constexpr int kUnitBits = 5;
  const Decimal number = ReadDecimal(text);
  const auto unit = static_cast<uint64_t>(UnitOrder(number) + (1 << (kUnitBits - 1)));
  return unit << (64 - kUnitBits) | PrefixOf(number) >> kUnitBits;
}

int CompareHumanNumeric(std::string_view a, std::string_view b) {
  const Decimal x = ReadDecimal(a), y = ReadDecimal(b);
  const int difference = UnitOrder(x) - UnitOrder(y);
  return difference != 0 ? difference : CompareDecimals(x, y);
}

int CompareGeneralNumeric(std::string_view a, std::string_view b) {
  long double x = 0;
  long double y = 0;
  const bool has_x = ReadFloat(a, &x) > 0;
  const bool has_y = ReadFloat(b, &y) > 0;
  if (!has_x || !has_y) return static_cast<int>(has_x) - static_cast<int>(has_y);
  if (x < y) return -1;
  if (x > y) return 1;
  if (x == y) return 0;
  if (!std::isnan(x)) return 1;
  if (!std::isnan(y)) return -1;
  // NaNs order by their bytes in memory: payload before sign.
  constexpr size_t kValueBytes = 10;
  return std::memcmp(&x, &y, std::min(kValueBytes, sizeof x));
}

uint64_t GeneralNumericPrefix(std::string_view text) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  long double value = 0;
  if (ReadFloat(text, &value) == 0) return 0;
  if (std::isnan(value)) return 1;
  double rounded = static_cast<double>(value);
  if (rounded == 0) rounded = 0;   // -0 is 0
  const auto bits = std::bit_cast<uint64_t>(rounded);
  const uint64_t ordered = (bits & kSign) != 0 ? ~bits : bits | kSign;
  return std::max<uint64_t>(ordered, 2);
}

size_t GeneralNumericLength(std::string_view text) {
  long double value = 0;
  return ReadFloat(text, &value);
}

int MonthNumber(std::string_view text) {
  constexpr std::string_view kMonths[] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                          "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
  text = SkipBlanks(text);
  if (text.size() < 3) return 0;
  char name[3];
  for (size_t i = 0; i < 3; ++i) {
    const char c = text[i];
    name[i] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  for (int month = 0; month < 12; ++month) {
    if (kMonths[month] == std::string_view(name, 3)) return month + 1;
  }
  return 0;
}

}  // namespace paddock
