#include "text/human_number.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "text/quote.h"

namespace paddock {
namespace {

constexpr std::string_view kUnits = "KMGTPEZY";
constexpr uint64_t kMostDigits = 27;          // that are read, and that are written with a unit
constexpr uint64_t kMostExactDigits = 18;     // of a long double
constexpr size_t kMostText = 127;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

struct Digits {
  long double value = 0;
  uint64_t count = 0;         // digits in the text
  bool is_too_long = false;
  bool lost_precision = false;
};

Digits TakeDigits(std::string_view text) {
  Digits digits;
  uint64_t significant = 0;
  for (const char c : text) {
    if (!IsDigit(c)) break;
    ++digits.count;
    digits.value = digits.value * 10 + static_cast<long double>(c - '0');
    if (digits.value > 0) ++significant;
  }
  digits.is_too_long = significant > kMostDigits;
  digits.lost_precision = significant > kMostExactDigits;
  return digits;
}

long double Power(long double base, uint64_t exponent) {
  long double power = 1;
  for (uint64_t i = 0; i < exponent && std::isfinite(power); ++i) power *= base;
  return power;
}

// How often `value` can be divided by `base` until it is below.
uint64_t Magnitude(long double value, long double base) {
  uint64_t power = 0;
  for (value = std::fabs(value); value >= base && std::isfinite(value); value /= base) ++power;
  return power;
}

long double Round(long double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kUp: return std::ceil(value);
    case Rounding::kDown: return std::floor(value);
    case Rounding::kFromZero: return value < 0 ? std::floor(value) : std::ceil(value);
    case Rounding::kTowardsZero: return std::trunc(value);
    case Rounding::kNearest: return std::trunc(value < 0 ? value - 0.5L : value + 0.5L);
  }
  return value;
}

// Rounds to some digits after the point.
long double RoundTo(long double value, uint64_t digits, Rounding rounding) {
  const long double shift = Power(10, digits);
  // Without -0, which would show its sign.
  return Round(value * shift, rounding) / shift + 0.0L;
}

// Multiplies `number` by the unit at the front of `text`.
Status ApplyUnit(std::string_view text, std::string_view whole, UnitScale scale, bool is_utf8, ScaledNumber& number) {
  const auto complain = [&](const std::string& before, const std::string& after = {}) {
    return Error(Code::kInvalid, before + Quote(whole, is_utf8) + after);
  };
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
  const size_t unit = text.empty() ? 0 : kUnits.find(text[0]);
  if (unit == std::string_view::npos) return complain("invalid suffix in input: ");
  if (scale == UnitScale::kNone) return complain("rejecting suffix in input: ", " (consider using --from)");
  if (text.empty() && scale != UnitScale::kIecI) return {};
  if (text.empty()) return complain("missing 'i' suffix in input: ", " (e.g Ki/Mi/Gi)");
  text.remove_prefix(1);
  long double base = scale == UnitScale::kIec || scale == UnitScale::kIecI ? 1024 : 1000;
  if (scale == UnitScale::kAuto && text.starts_with('i')) {
    base = 1024;
    text.remove_prefix(1);
  }
  if (scale == UnitScale::kIecI) {
    if (!text.starts_with('i')) return complain("missing 'i' suffix in input: ", " (e.g Ki/Mi/Gi)");
    text.remove_prefix(1);
  }
  number.precision = 0;
  if (!text.empty()) return complain("invalid suffix in input ", ": " + Quote(text, is_utf8));
  number.value *= Power(base, unit + 1);
  return {};
}

Result<std::string> Print(long double value, uint64_t precision, uint64_t zero_width, size_t most) {
  if (precision > kMostText || zero_width > kMostText) return Code::kRange;
  char text[kMostText + 1 + 64];
  const int size = std::snprintf(text, sizeof text, "%0*.*Lf", static_cast<int>(zero_width),
                                 static_cast<int>(precision), value);
  if (size < 0 || static_cast<size_t>(size) > most) return Code::kRange;
  return std::string(text, static_cast<size_t>(size));
}

}  // namespace

Result<ScaledNumber> ParseScaledNumber(std::string_view text, UnitScale scale, bool is_utf8) {
  const auto complain = [&](const char* what) { return Error(Code::kInvalid, what + Quote(text, is_utf8)); };
  ScaledNumber number;
  std::string_view rest = text;
  const bool is_negative = rest.starts_with('-');
  if (is_negative) rest.remove_prefix(1);
  const Digits whole = TakeDigits(rest);
  rest.remove_prefix(whole.count);
  if (whole.count == 0 && !rest.starts_with('.')) return complain("invalid number: ");
  if (whole.is_too_long) return complain("value too large to be converted: ");
  number.value = whole.value;
  number.lost_precision = whole.lost_precision;
  if (rest.starts_with('.')) {
    const Digits fraction = TakeDigits(rest.substr(1));
    rest.remove_prefix(1 + fraction.count);
    if (fraction.count == 0) {
      return complain(rest.starts_with('.') || rest.starts_with('-') ? "invalid suffix in input: " : "invalid number: ");
    }
    if (fraction.is_too_long) return complain("value too large to be converted: ");
    if (fraction.lost_precision) number.lost_precision = true;
    number.precision = fraction.count;
    if (fraction.value > 0) number.value += fraction.value / Power(10, fraction.count);
  }
  if (is_negative) number.value = -number.value;
  if (!rest.empty() || scale == UnitScale::kIecI) PADDOCK_TRY(ApplyUnit(rest, text, scale, is_utf8, number));
  return number;
}

std::optional<std::string> ScaledNumberComplaint(const ScaledNumber& number, const ScaledFormat& format) {
  const uint64_t magnitude = Magnitude(number.value, 10);
  char shown[64];
  std::snprintf(shown, sizeof shown, "%Lg", number.value);
  const uint64_t precision = format.precision.value_or(number.precision);
  if (format.scale == UnitScale::kNone && (precision > kMostExactDigits || magnitude + precision > kMostExactDigits)) {
    if (precision == 0) return "value too large to be printed: '" + std::string(shown) + "' (consider using --to)";
    return "value/precision too large to be printed: '" + std::string(shown) + "/" + std::to_string(precision) +
           "' (consider using --to)";
  }
  if (magnitude >= kMostDigits) {
    return "value too large to be printed: '" + std::string(shown) + "' (cannot handle values > 999Y)";
  }
  return std::nullopt;
}

Result<std::string> FormatScaledNumber(const ScaledNumber& number, const ScaledFormat& format) {
  if (format.scale == UnitScale::kNone) {
    const uint64_t precision = format.precision.value_or(number.precision);
    return Print(RoundTo(number.value, precision, format.rounding), precision, format.zero_width, kMostText);
  }
  const long double base = format.scale == UnitScale::kSi ? 1000 : 1024;
  uint64_t power = Magnitude(number.value, base);
  long double value = number.value;
  for (uint64_t i = 0; i < power; ++i) value /= base;
  const uint64_t digits = format.precision ? std::min(power * 3, *format.precision) : std::fabs(value) < 10 ? 1 : 0;
  value = RoundTo(value, digits, format.rounding);
  if (std::fabs(value) >= base) {
    value /= base;
    ++power;
  }
  const bool shows_tenth = value != 0 && std::fabs(value) < 10 && power > 0;
  const size_t unit_size = power == 0 ? 0 : format.scale == UnitScale::kIecI ? 2 : 1;
  auto text = Print(value, format.precision.value_or(shows_tenth ? 1 : 0), format.zero_width, kMostText - 1 - unit_size);
  if (!text || power == 0) return text;
  *text += power <= kUnits.size() ? kUnits[power - 1] : '?';
  if (format.scale == UnitScale::kIecI) *text += 'i';
  return text;
}

}  // namespace paddock
