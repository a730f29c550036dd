#include "lang/bc/number.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace paddock::bc {
namespace {

namespace mp = boost::multiprecision;
constexpr uint64_t kSmallDigits = 400;   // below it one conversion is quick enough

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return -1;
}

}  // namespace

uint64_t BitsOf(const Integer& value) {
  const auto& limbs = value.backend();
  const mp::limb_type top = limbs.limbs()[limbs.size() - 1];
  return std::max<uint64_t>(1, (limbs.size() - 1) * sizeof top * 8 + static_cast<uint64_t>(std::bit_width(top)));
}

Status Calculator::Charge(uint64_t bits_a, uint64_t bits_b, uint64_t result_bits) {
  if (result_bits > kMostBits) return Code::kNoMemory;
  if (bits_a + bits_b < 256) {
    budget_.Step();
    return {};
  }
  budget_.WillAllocate(result_bits / 4);
  budget_.Step(static_cast<int64_t>((bits_a / 64 + 1) * (bits_b / 64 + 1) / 32) + 1);
  return {};
}

Result<Integer> Calculator::Product(const Integer& a, const Integer& b) {
  const uint64_t left = BitsOf(a), right = BitsOf(b);
  PADDOCK_TRY(Charge(left, right, left + right));
  return Integer(a * b);
}

Result<Integer> Calculator::Quotient(const Integer& a, const Integer& b) {
  const uint64_t left = BitsOf(a), right = BitsOf(b);
  PADDOCK_TRY(Charge(left > right ? left - right : 1, right, left));
  // The library's division cannot be interrupted and takes the product of the lengths, so that a long one is made of short ones, from
  // the top down, with a look at the limits before each.
  constexpr uint64_t kBitProducts = uint64_t{1} << 36;
  if (left <= right || (left - right) * right <= kBitProducts) return Integer(a / b);
  const auto bits = static_cast<unsigned>(std::max<uint64_t>(kBitProducts / right, 64));
  const Integer dividend = mp::abs(a), divisor = mp::abs(b), mask = (Integer(1) << bits) - 1;
  uint64_t at = (left - right) / bits * bits;
  Integer rest = dividend >> at, quotient, part;
  for (;;) {
    budget_.CheckNow();
    Integer remainder;
    mp::divide_qr(rest, divisor, part, remainder);
    quotient |= part;
    if (at == 0) break;
    at -= bits;
    quotient <<= bits;
    rest = (remainder << bits) | (Integer(dividend >> at) & mask);
  }
  return a.sign() == b.sign() ? quotient : Integer(-quotient);
}

Result<Integer> Calculator::PowerOfTen(uint64_t exponent) {
  const uint64_t bits = exponent * 10 / 3 + 1;
  if (exponent > kMostBits) return Code::kNoMemory;
  PADDOCK_TRY(Charge(bits / 2, bits / 2, bits));
  return Integer(mp::pow(Integer(10), static_cast<unsigned>(exponent)));
}

Result<Number> Calculator::Rescale(const Number& a, uint64_t scale) {
  if (a.scale == scale) return a;
  if (a.scale < scale) {
    PADDOCK_ASSIGN(const Integer factor, PowerOfTen(scale - a.scale));
    PADDOCK_ASSIGN(Integer digits, Product(a.digits, factor));
    return Number(std::move(digits), scale);
  }
  PADDOCK_ASSIGN(const Integer divisor, PowerOfTen(a.scale - scale));
  PADDOCK_ASSIGN(Integer digits, Quotient(a.digits, divisor));
  return Number(std::move(digits), scale);
}

Status Calculator::ChargeSum(const Number& a, const Number& b) {
  const uint64_t left = BitsOf(a.digits);
  return Charge(left, 1, std::max(left, BitsOf(b.digits)) + 1);
}

Result<Number> Calculator::Add(const Number& a, const Number& b) {
  if (a.scale != b.scale) {
    const uint64_t scale = std::max(a.scale, b.scale);
    PADDOCK_ASSIGN(const Number left, Rescale(a, scale));
    PADDOCK_ASSIGN(const Number right, Rescale(b, scale));
    return Add(left, right);
  }
  PADDOCK_TRY(ChargeSum(a, b));
  return Number(a.digits + b.digits, a.scale);
}

Result<Number> Calculator::Subtract(const Number& a, const Number& b) {
  if (a.scale != b.scale) return Add(a, Number(-b.digits, b.scale));
  PADDOCK_TRY(ChargeSum(a, b));
  return Number(a.digits - b.digits, a.scale);
}

Result<Number> Calculator::Multiply(const Number& a, const Number& b, uint64_t scale) {
  PADDOCK_ASSIGN(Integer product, Product(a.digits, b.digits));
  const Number full(std::move(product), a.scale + b.scale);
  return Rescale(full, std::min(full.scale, std::max({scale, a.scale, b.scale})));
}

Result<Number> Calculator::Divide(const Number& a, const Number& b, uint64_t scale) {
  // a / 10^sa over b / 10^sb with `scale` digits: a × 10^(scale + sb - sa) / b.
  Integer dividend = a.digits;
  Integer divisor = b.digits;
  if (scale + b.scale >= a.scale) {
    PADDOCK_ASSIGN(const Integer factor, PowerOfTen(scale + b.scale - a.scale));
    PADDOCK_ASSIGN(dividend, Product(dividend, factor));
  } else {
    PADDOCK_ASSIGN(const Integer factor, PowerOfTen(a.scale - scale - b.scale));
    PADDOCK_ASSIGN(divisor, Product(divisor, factor));
  }
  PADDOCK_ASSIGN(Integer quotient, Quotient(dividend, divisor));
  return Number(std::move(quotient), scale);
}

Result<Number> Calculator::Remainder(const Number& a, const Number& b, uint64_t scale) {
  const uint64_t result_scale = std::max(a.scale, b.scale + scale);
  PADDOCK_ASSIGN(const Number quotient, Divide(a, b, scale));
  PADDOCK_ASSIGN(const Number back, Multiply(quotient, b, result_scale));
  PADDOCK_ASSIGN(const Number rest, Subtract(a, back));
  return Rescale(rest, result_scale);
}

Result<Number> Calculator::Power(const Number& base, int64_t exponent, uint64_t scale) {
  if (exponent == 0) return Number(1);
  const bool inverts = exponent < 0;
  const uint64_t times = inverts ? ~static_cast<uint64_t>(exponent) + 1 : static_cast<uint64_t>(exponent);
  if (base.is_zero()) {
    if (inverts) return Code::kInvalid;
    return Number();
  }
  const uint64_t bits = BitsOf(base.digits);
  const bool is_one = bits == 1 && base.scale == 0;
  if (!is_one && (times > kMostBits || (bits - 1) * times > kMostBits || base.scale * times > kMostBits)) return Code::kNoMemory;
  Integer power = 1;
  if (is_one) {
    power = base.is_negative() && times % 2 == 1 ? -1 : 1;
  } else {
    Integer square = base.digits;
    for (uint64_t left = times;;) {
      if ((left & 1) != 0) {
        PADDOCK_ASSIGN(power, Product(power, square));
      }
      left >>= 1;
      if (left == 0) break;
      PADDOCK_ASSIGN(square, Product(square, square));
    }
  }
  const Number full(std::move(power), is_one ? 0 : base.scale * times);
  if (inverts) return Divide(Number(1), full, scale);
  return Rescale(full, std::min(full.scale, std::max(scale, base.scale)));
}

Result<Number> Calculator::SquareRoot(const Number& a, uint64_t scale) {
  const uint64_t places = std::max(scale, a.scale);
  PADDOCK_ASSIGN(const int order, Compare(a, Number(1)));
  if (order == 0 || a.digits.is_zero()) return Number(order == 0 ? 1 : 0);   // without decimals, as of bc and dc
  PADDOCK_ASSIGN(const Number wide, Rescale(a, 2 * places));
  const uint64_t bits = BitsOf(wide.digits);
  PADDOCK_TRY(Charge(bits, bits, bits));
  return Number(mp::sqrt(wide.digits), places);
}

Result<int> Calculator::Compare(const Number& a, const Number& b) {
  if (a.scale == b.scale) {
    PADDOCK_TRY(ChargeSum(a, b));
    const int order = a.digits.compare(b.digits);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  PADDOCK_ASSIGN(const Number difference, Subtract(a, b));
  return difference.digits.sign();
}

Result<Integer> Calculator::Whole(const Number& a) {
  PADDOCK_ASSIGN(Number whole, Rescale(a, 0));
  return std::move(whole.digits);
}

Result<uint64_t> Calculator::Length(const Number& a) {
  if (a.is_zero()) return std::max<uint64_t>(1, a.scale);
  PADDOCK_ASSIGN(const std::string text, Decimal(a.digits));
  return std::max<uint64_t>(text.size(), a.scale);
}

Result<Number> Calculator::Parse(std::string_view text, int base) {
  bool is_negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    is_negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  digits.erase(0, digits.find_first_not_of('0'));
  const std::string_view behind = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  const uint64_t places = behind.size();
  // A single digit is what it looks like in any base; in base ten, only without a point.
  const bool is_single = digits.size() == 1 && (base != 10 || point == std::string_view::npos);
  const size_t whole_places = digits.size();
  digits += behind;
  PADDOCK_TRY(Charge(digits.size() * 4, digits.size() * 4, digits.size() * 6));
  Integer value = 0;
  if (base == 10 && !is_single) {
    for (char& c : digits) {
      if (c > '9') c = '9';
    }
    const size_t start = digits.find_first_not_of('0');
    if (start != std::string::npos) value = Integer(digits.substr(start));
  } else {
    for (size_t i = 0; i < digits.size(); ++i) {
      budget_.Step();
      const int largest = is_single && i < whole_places ? 35 : base - 1;
      value = value * base + std::min(DigitValue(digits[i]), largest);
    }
  }
  if (is_negative) value = -value;
  if (base == 10 || places == 0) return Number(std::move(value), places);
  PADDOCK_TRY(Charge(places * 5, places * 5, places * 6));
  const Integer divisor = mp::pow(Integer(base), static_cast<unsigned>(places));
  return Divide(Number(std::move(value), 0), Number(divisor, 0), places);
}

Status Calculator::AppendDecimal(const Integer& value, uint64_t width, std::string& text) {
  budget_.CheckStack();
  if (width <= kSmallDigits) {
    const std::string digits = value.str();
    budget_.Step(static_cast<int64_t>(digits.size()));
    if (digits.size() < width) text.append(width - digits.size(), '0');
    text += digits;
    return {};
  }
  const uint64_t low_width = width / 2;
  PADDOCK_ASSIGN(const Integer divisor, PowerOfTen(low_width));
  PADDOCK_ASSIGN(const Integer high, Quotient(value, divisor));
  const Integer low = value - high * divisor;
  PADDOCK_TRY(AppendDecimal(high, width - low_width, text));
  return AppendDecimal(low, low_width, text);
}

Result<std::string> Calculator::Decimal(const Integer& value) {
  const Integer size = value.sign() < 0 ? Integer(-value) : value;
  std::string text;
  PADDOCK_TRY(AppendDecimal(size, BitsOf(size) * 30103 / 100000 + 2, text));
  const size_t start = std::min(text.find_first_not_of('0'), text.size() - 1);
  return text.substr(start);
}

Result<std::string> Calculator::Text(const Number& a, const Integer& base, bool leading_zero) {
  if (a.is_zero()) return std::string("0");
  if (base != 10) return TextInBase(a, base);
  PADDOCK_ASSIGN(std::string digits, Decimal(a.digits));
  if (a.scale > 0) {
    if (digits.size() <= a.scale) digits.insert(0, a.scale - digits.size() + (leading_zero ? 1 : 0), '0');
    digits.insert(digits.size() - a.scale, ".");
  }
  if (a.is_negative()) digits.insert(0, "-");
  return digits;
}

Result<std::string> Calculator::TextInBase(const Number& a, const Integer& base) {
  const bool has_letters = base <= 16;
  const std::string most = Integer(base - 1).str();
  std::string text = a.is_negative() ? "-" : "";
  const auto add = [&](const Integer& digit, bool is_first_behind_point) {
    if (has_letters) {
      text += "0123456789ABCDEF"[static_cast<int>(digit)];
      return;
    }
    const std::string shown = digit.str();
    if (!is_first_behind_point) text += ' ';
    text.append(most.size() - shown.size(), '0').append(shown);
  };
  const Number size(a.is_negative() ? Integer(-a.digits) : a.digits, a.scale);
  PADDOCK_ASSIGN(Integer whole, Whole(size));
  PADDOCK_ASSIGN(const Number cut, Rescale(Number(whole, 0), a.scale));
  Integer fraction = size.digits - cut.digits;
  std::vector<Integer> digits;
  const uint64_t whole_bits = BitsOf(whole);
  while (!whole.is_zero()) {
    PADDOCK_TRY(Charge(whole_bits, BitsOf(base), whole_bits));
    Integer quotient, digit;
    mp::divide_qr(whole, base, quotient, digit);
    whole = std::move(quotient);
    digits.push_back(std::move(digit));
  }
  for (size_t i = digits.size(); i-- > 0;) add(digits[i], false);
  if (a.scale == 0) return text;
  text += '.';
  PADDOCK_ASSIGN(const Integer one, PowerOfTen(a.scale));
  Integer shown = 1;   // base^k; digits are shown until it has more than `scale` digits
  bool is_first = true;
  while (shown < one) {
    PADDOCK_ASSIGN(fraction, Product(fraction, base));
    PADDOCK_ASSIGN(const Integer digit, Quotient(fraction, one));
    fraction -= digit * one;
    add(digit, is_first);
    is_first = false;
    PADDOCK_ASSIGN(shown, Product(shown, base));
  }
  return text;
}

}  // namespace paddock::bc
