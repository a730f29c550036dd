#include "lang/awk/big_format.h"

#include <algorithm>
#include <utility>

#include "base/budget.h"

namespace paddock::awk {
namespace {

// Whether the magnitude of a number whose quotient by a divisor leaves `rest` is rounded up.
bool GoesUp(Rounding rounding, bool is_negative, const BigInteger& quotient, const BigInteger& rest, const BigInteger& divisor) {
  if (rest.is_zero()) return false;
  switch (rounding) {
    case Rounding::kNearest: {
      const int order = BigInteger(rest * 2).compare(divisor);
      return order > 0 || (order == 0 && bit_test(quotient, 0));
    }
    case Rounding::kUp: return !is_negative;
    case Rounding::kDown: return is_negative;
    case Rounding::kAway: return true;
    default: return false;
  }
}

// number × 10^scale, rounded to a whole one. `digits`: how many it has about.
BigInteger Scaled(const BigFloat& number, int64_t scale, int64_t digits, Rounding rounding, Budget& budget) {
  if (number.is_zero()) return 0;
  const int64_t bits = digits * 10 / 3 + BigFloat::BitCount(number.mantissa) + 64;
  const PowerOfTen power = MakePowerOfTen(std::abs(scale), bits, budget);
  BigInteger dividend = number.mantissa, divisor = 1;
  int64_t exponent = number.exponent;
  if (scale >= 0) {
    dividend = Product(dividend, power.mantissa, budget);
    exponent += power.shift;
  } else {
    divisor = power.mantissa;
    exponent -= power.shift;
  }
  if (exponent >= 0) {
    dividend = Shifted(dividend, exponent, budget);
  } else if (-exponent > BigFloat::BitCount(dividend) + 64 && scale >= 0) {
    // Far below one half: only its direction counts.
    return GoesUp(rounding, number.is_negative, 0, 1, 4) ? 1 : 0;
  } else {
    divisor = Shifted(divisor, -exponent, budget);
  }
  Quotient parts = Divided(dividend, divisor, budget);
  if (GoesUp(rounding, number.is_negative, parts.quotient, parts.rest, divisor)) ++parts.quotient;
  return parts.quotient;
}

struct Scientific {
  std::string digits;     // count of them as asked for
  int64_t exponent = 0;   // of the first
};

Scientific ToScientific(const BigFloat& number, int64_t count, Rounding rounding, Budget& budget) {
  if (number.is_zero()) return {std::string(static_cast<size_t>(count), '0'), 0};
  // log10(2) from below and above: the first guess is right or one too small.
  const int64_t magnitude = number.magnitude() - 1;
  int64_t exponent = static_cast<int64_t>(static_cast<long double>(magnitude) * 0.30102999566398119521L);
  if (magnitude < 0) --exponent;
  for (;; ++exponent) {
    std::string digits = ToDecimal(Scaled(number, count - 1 - exponent, count, rounding, budget), budget);
    if (static_cast<int64_t>(digits.size()) < count) {   // the guess was too large
      exponent -= 2;
      continue;
    }
    if (static_cast<int64_t>(digits.size()) > count) {
      // One digit too many, or rounded up to the next power of ten.
      const bool is_power = digits.find_first_not_of('0', 1) == std::string::npos && digits[0] == '1';
      if (!is_power) continue;
      digits.pop_back();
      return {digits, exponent + 1};
    }
    return {digits, exponent};
  }
}

std::string WithPoint(std::string digits, int64_t behind, bool is_alternate) {
  const auto places = static_cast<size_t>(behind);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (behind > 0) {
    digits.insert(digits.size() - places, 1, '.');
  } else if (is_alternate) {
    digits += '.';
  }
  return digits;
}

std::string ExponentText(char letter, int64_t exponent, size_t width) {
  std::string text = std::to_string(std::abs(exponent));
  if (text.size() < width) text.insert(0, width - text.size(), '0');
  return std::string(1, letter) + (exponent < 0 ? '-' : '+') + text;
}

void DropZeros(std::string& text) {
  if (text.find('.') == std::string::npos) return;
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
}

std::string General(const BigFloat& number, const FloatStyle& style, Budget& budget) {
  const int64_t count = std::max<int64_t>(style.precision, 1);
  Scientific parts = ToScientific(number, count, style.rounding, budget);
  std::string text;
  if (parts.exponent < -4 || parts.exponent >= count) {
    text = WithPoint(parts.digits, count - 1, style.is_alternate);
    if (!style.is_alternate) DropZeros(text);
    return text + ExponentText(style.letter == 'g' ? 'e' : 'E', parts.exponent, 2);
  }
  text = WithPoint(parts.digits, count - 1 - parts.exponent, style.is_alternate);
  if (!style.is_alternate) DropZeros(text);
  return text;
}

// 0xh.hhhhp±e: the first digit is that of whole groups of four bits.
std::string Hexadecimal(const BigFloat& number, const FloatStyle& style, Budget& budget) {
  int64_t places = style.precision;
  BigInteger digits = 0;
  int64_t exponent = 0;
  if (!number.is_zero()) {
    const int64_t magnitude = number.magnitude() - 1;
    exponent = (magnitude >= 0 ? magnitude / 4 : -((-magnitude + 3) / 4)) * 4;
    FloatContext context;
    context.precision = std::max<int64_t>(magnitude - exponent + 1 + 4 * places, 1);
    context.rounding = style.rounding;
    const BigFloat rounded = RoundFloat(context, number.is_negative, number.mantissa, number.exponent);
    digits = Shifted(rounded.mantissa, rounded.exponent - exponent + 4 * places, budget);
    if ((digits >> static_cast<unsigned>(4 * places)) > 15) {
      exponent += 4;
      digits >>= 4;
    }
  }
  std::string text = WithPoint(digits.str(0, std::ios_base::hex), places, style.is_alternate);
  text = "0x" + text + ExponentText('p', exponent, 1);
  if (style.letter == 'A') {
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  return text;
}

}  // namespace

std::string FloatText(const BigFloat& number, const FloatStyle& style, Budget& budget) {
  if (style.precision > kMostBits / 4) budget.Stop(LimitKind::kMemory);
  switch (style.letter) {
    case 'f':
    case 'F': {
      const int64_t whole = number.is_zero() ? 1 : std::max<int64_t>(number.magnitude(), 1);
      return WithPoint(ToDecimal(Scaled(number, style.precision, style.precision + whole, style.rounding, budget), budget), style.precision,
                       style.is_alternate);
    }
    case 'e':
    case 'E': {
      const Scientific parts = ToScientific(number, style.precision + 1, style.rounding, budget);
      return WithPoint(parts.digits, style.precision, style.is_alternate) + ExponentText(style.letter, parts.exponent, 2);
    }
    case 'a':
    case 'A': return Hexadecimal(number, style, budget);
    default: return General(number, style, budget);
  }
}

}  // namespace paddock::awk
