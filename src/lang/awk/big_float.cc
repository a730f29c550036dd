#include "lang/awk/big_float.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/budget.h"

namespace paddock::awk {
namespace {

constexpr int64_t kExactPower = 100'000;   // powers of ten up to this are exact
constexpr int64_t kPieceDigits = 256;      // of a decimal conversion that goes by halves
constexpr FloatContext kDoubleContext = {53, Rounding::kNearest, -1073, 1024, true};

int64_t BitsOf(const BigInteger& integer) { return integer.is_zero() ? 0 : BigFloat::BitCount(abs(integer)); }

bool RoundsAway(Rounding rounding, bool is_negative, bool half, bool rest, bool is_odd) {
  switch (rounding) {
    case Rounding::kNearest: return half && (rest || is_odd);
    case Rounding::kZero: return false;
    case Rounding::kUp: return (half || rest) && !is_negative;
    case Rounding::kDown: return (half || rest) && is_negative;
    default: return half || rest;
  }
}

BigFloat Overflow(const FloatContext& context, bool is_negative) {
  const bool is_infinite = context.rounding == Rounding::kNearest || RoundsAway(context.rounding, is_negative, true, true, true);
  if (is_infinite) return BigFloat::Infinity(is_negative);
  const BigInteger mantissa = (BigInteger(1) << static_cast<unsigned>(context.precision)) - 1;
  return {BigFloat::Class::kFinite, is_negative, mantissa, context.most_exponent - context.precision};
}

BigFloat Underflow(const FloatContext& context, bool is_negative, const BigInteger& mantissa, int64_t magnitude) {
  const bool is_half_or_more = magnitude == context.least_exponent - 1;
  const bool is_power = static_cast<int64_t>(lsb(mantissa)) == BigFloat::BitCount(mantissa) - 1;
  if (!RoundsAway(context.rounding, is_negative, is_half_or_more, !is_half_or_more || !is_power, false)) return BigFloat::Zero(is_negative);
  return {BigFloat::Class::kFinite, is_negative, 1, context.least_exponent - 1};
}

}  // namespace

// --- numbers

BigFloat BigFloat::FromInteger(const BigInteger& integer) {
  if (integer.is_zero()) return Zero();
  return {Class::kFinite, integer.sign() < 0, abs(integer), 0};
}

BigFloat BigFloat::FromDouble(double number) {
  if (std::isnan(number)) return Nan();
  if (std::isinf(number)) return Infinity(number < 0);
  if (number == 0) return Zero(std::signbit(number));
  int exponent = 0;
  const double fraction = std::frexp(std::abs(number), &exponent);
  return {Class::kFinite, number < 0, static_cast<uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

double BigFloat::ToDouble() const {
  double value = 0;
  if (kind == Class::kNan) return std::nan("");
  if (kind == Class::kInfinite) value = HUGE_VAL;
  if (kind == Class::kFinite) {
    const BigFloat rounded = RoundFloat(kDoubleContext, is_negative, mantissa, exponent);
    if (rounded.kind != Class::kFinite) return rounded.ToDouble();
    value = std::ldexp(static_cast<double>(static_cast<uint64_t>(rounded.mantissa)), static_cast<int>(rounded.exponent));
  }
  return is_negative ? -value : value;
}

bool BigFloat::IsIntegral() const {
  if (kind != Class::kFinite) return kind == Class::kZero;
  return exponent >= 0 || static_cast<int64_t>(lsb(mantissa)) >= -exponent;
}

int CompareFloats(const BigFloat& a, const BigFloat& b) {
  const auto sign = [](const BigFloat& x) { return x.is_zero() ? 0 : x.is_negative ? -1 : 1; };
  if (sign(a) != sign(b)) return sign(a) < sign(b) ? -1 : 1;
  if (sign(a) == 0) return 0;
  int order = 0;
  if (a.kind != b.kind) {
    order = b.kind == BigFloat::Class::kInfinite ? -1 : 1;
  } else if (a.kind == BigFloat::Class::kInfinite) {
    return 0;
  } else if (a.magnitude() != b.magnitude()) {
    order = a.magnitude() < b.magnitude() ? -1 : 1;
  } else {
    const int64_t exponent = std::min(a.exponent, b.exponent);   // as the magnitudes are equal, no shift is longer than a mantissa
    const BigInteger left = a.mantissa << static_cast<unsigned>(a.exponent - exponent);
    order = left.compare(BigInteger(b.mantissa << static_cast<unsigned>(b.exponent - exponent)));
  }
  return sign(a) * order;
}

BigFloat RoundFloat(const FloatContext& context, bool is_negative, BigInteger mantissa, int64_t exponent, bool is_inexact) {
  if (mantissa.is_zero()) return BigFloat::Zero(is_negative);
  const int64_t bits = BigFloat::BitCount(mantissa);
  const int64_t magnitude = exponent + bits;
  if (magnitude > context.most_exponent) return Overflow(context, is_negative);
  int64_t wanted = context.precision;
  if (magnitude < context.least_exponent) {
    if (!context.has_subnormals || magnitude < context.least_exponent - 1) {
      return Underflow(context, is_negative, mantissa, magnitude);
    }
    wanted = 0;
  } else if (context.has_subnormals) {
    wanted = std::min(wanted, magnitude - context.least_exponent + 1);
  }
  const int64_t drop = bits - wanted;
  if (drop > 0) {
    const auto half_bit = static_cast<unsigned>(drop - 1);
    const bool half = bit_test(mantissa, half_bit);
    const bool rest = is_inexact || lsb(mantissa) < half_bit;
    mantissa >>= static_cast<unsigned>(drop);
    exponent += drop;
    if (RoundsAway(context.rounding, is_negative, half, rest, bit_test(mantissa, 0))) ++mantissa;
    if (mantissa.is_zero()) return BigFloat::Zero(is_negative);
    if (exponent + BigFloat::BitCount(mantissa) > context.most_exponent) return Overflow(context, is_negative);
  }
  // Without the zeros at the end, which would only make work.
  const auto zeros = static_cast<unsigned>(lsb(mantissa));
  if (zeros > 0) mantissa >>= zeros;
  return {BigFloat::Class::kFinite, is_negative, std::move(mantissa), exponent + zeros};
}

// --- whole numbers

void ChargeBits(Budget& budget, int64_t left, int64_t right) {
  if (std::max(left, right) > kMostBits) budget.Stop(LimitKind::kMemory);
  if (left + right < 512) return budget.Step();
  budget.WillAllocate(static_cast<uint64_t>(left + right) / 4);
  budget.Step((left / 64 + 1) * (right / 64 + 1) / 64 + 1);
}

BigInteger Product(const BigInteger& a, const BigInteger& b, Budget& budget) {
  const int64_t left = BitsOf(a), right = BitsOf(b);
  if (left + right > kMostBits) budget.Stop(LimitKind::kMemory);
  ChargeBits(budget, left, right);
  return a * b;
}

Quotient Divided(const BigInteger& dividend, const BigInteger& divisor, Budget& budget) {
  constexpr int64_t kPieceBits = 16384;
  Quotient result;
  const int64_t bits = BitsOf(dividend), surplus = bits - BitsOf(divisor);
  if (surplus < 2 * kPieceBits) {
    ChargeBits(budget, std::max<int64_t>(surplus, 64), BitsOf(divisor));
    divide_qr(dividend, divisor, result.quotient, result.rest);
    return result;
  }
  const BigInteger magnitude = abs(dividend), by = abs(divisor);
  int64_t left = (surplus + kPieceBits - 1) / kPieceBits * kPieceBits;   // bits that have not been looked at
  BigInteger rest = magnitude >> static_cast<unsigned>(left), digit, remainder;
  const BigInteger mask = (BigInteger(1) << static_cast<unsigned>(kPieceBits)) - 1;
  for (;;) {
    ChargeBits(budget, kPieceBits * 4, BitsOf(by));
    divide_qr(rest, by, digit, remainder);
    result.quotient = (result.quotient << static_cast<unsigned>(kPieceBits)) + digit;
    if (left == 0) break;
    left -= kPieceBits;
    rest = (remainder << static_cast<unsigned>(kPieceBits)) + ((magnitude >> static_cast<unsigned>(left)) & mask);
  }
  if (dividend.sign() != divisor.sign()) result.quotient = -result.quotient;
  result.rest = dividend.sign() < 0 ? BigInteger(-remainder) : remainder;
  return result;
}

// Newton's method, from above.
Quotient SquareRooted(const BigInteger& number, Budget& budget) {
  const int64_t bits = BitsOf(number);
  if (bits < 4096) {
    ChargeBits(budget, bits, bits);
    Quotient result;
    result.quotient = sqrt(number, result.rest);
    return result;
  }
  // The root of the upper half is the start: its bits are right to about a half.
  const int64_t half = bits / 4 * 2;
  BigInteger root = (SquareRooted(number >> static_cast<unsigned>(half), budget).quotient + 1) << static_cast<unsigned>(half / 2);
  for (;;) {
    BigInteger next = (root + Divided(number, root, budget).quotient) >> 1;
    if (next >= root) break;
    root = std::move(next);
  }
  return {root, number - Product(root, root, budget)};
}

BigInteger Shifted(const BigInteger& a, int64_t by, Budget& budget) {
  if (a.is_zero()) return a;
  const int64_t bits = BitsOf(a);
  if (by > kMostBits || bits + by > kMostBits) budget.Stop(LimitKind::kMemory);
  budget.Step((bits + std::abs(by)) / 65536 + 1);
  if (by >= 0) return a << static_cast<unsigned>(by);
  return -by >= bits ? BigInteger(0) : BigInteger(a >> static_cast<unsigned>(-by));
}

BigInteger IntegerPower(BigInteger base, uint64_t exponent, Budget& budget) {
  BigInteger result = 1;
  if (base.is_zero() || base == 1) return exponent == 0 ? result : base;
  if (base == -1) return exponent % 2 == 0 ? result : base;
  for (;;) {
    if (exponent % 2 == 1) result = Product(result, base, budget);
    exponent /= 2;
    if (exponent == 0) return result;
    base = Product(base, base, budget);
  }
}

namespace {

// `number` < 10^(kPieceDigits × 2^(level + 1)), with zeros in front unless it is the first piece.
void AppendDigits(std::string& out, const BigInteger& number, const std::vector<BigInteger>& powers, int level, Budget& budget) {
  if (level < 0) {
    const std::string digits = number.str();
    if (!out.empty()) out.append(static_cast<size_t>(kPieceDigits) - digits.size(), '0');
    if (!out.empty() || digits != "0") out += digits;
    return;
  }
  const BigInteger& power = powers[static_cast<size_t>(level)];
  const Quotient halves = Divided(number, power, budget);
  if (!out.empty() || !halves.quotient.is_zero()) AppendDigits(out, halves.quotient, powers, level - 1, budget);
  AppendDigits(out, halves.rest, powers, level - 1, budget);
}

}  // namespace

std::string ToDecimal(const BigInteger& integer, Budget& budget) {
  const int64_t bits = BitsOf(integer);
  budget.Step(bits / 64 + 1);
  if (bits < 4096) return integer.str();
  const BigInteger magnitude = abs(integer);
  std::vector<BigInteger> powers = {pow(BigInteger(10), static_cast<unsigned>(kPieceDigits))};
  while (BigFloat::BitCount(powers.back()) * 2 < bits + 2) powers.push_back(Product(powers.back(), powers.back(), budget));
  std::string digits;
  AppendDigits(digits, magnitude, powers, static_cast<int>(powers.size()) - 1, budget);
  return integer.sign() < 0 ? "-" + digits : digits;
}

BigInteger FromDecimalDigits(std::string_view digits, Budget& budget) {
  if (static_cast<int64_t>(digits.size()) > kMostBits / 4) budget.Stop(LimitKind::kMemory);
  budget.Step(static_cast<int64_t>(digits.size() / 16 + 1));
  if (digits.size() <= 512) {
    BigInteger value = 0;
    for (size_t at = 0; at < digits.size();) {
      uint64_t piece = 0, scale = 1;
      for (const size_t end = std::min(at + 18, digits.size()); at < end; ++at) {
        piece = piece * 10 + static_cast<uint64_t>(digits[at] - '0');
        scale *= 10;
      }
      value = value * scale + piece;
    }
    return value;
  }
  const size_t half = digits.size() / 2;
  const BigInteger high = FromDecimalDigits(digits.substr(0, digits.size() - half), budget);
  return Product(high, IntegerPower(10, half, budget), budget) + FromDecimalDigits(digits.substr(digits.size() - half), budget);
}

BigInteger ToInteger(const BigFloat& number, Budget& budget) {
  if (number.kind != BigFloat::Class::kFinite) return 0;
  const BigInteger integer = Shifted(number.mantissa, number.exponent, budget);
  return number.is_negative ? BigInteger(-integer) : integer;
}

PowerOfTen MakePowerOfTen(int64_t exponent, int64_t bits, Budget& budget) {
  if (exponent <= kExactPower) return {IntegerPower(5, static_cast<uint64_t>(exponent), budget), exponent};
  const int64_t kept = bits + 96;
  PowerOfTen result = {1, 0}, square = {5, 0};
  const auto multiply = [&](const PowerOfTen& a, const PowerOfTen& b) {
    BigInteger product = Product(a.mantissa, b.mantissa, budget);
    const int64_t surplus = std::max<int64_t>(BigFloat::BitCount(product) - kept, 0);
    return PowerOfTen{product >> static_cast<unsigned>(surplus), a.shift + b.shift + surplus};
  };
  for (int64_t rest = exponent; rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = multiply(result, square);
    if (rest > 1) square = multiply(square, square);
  }
  result.shift += exponent;
  return result;
}

// --- arithmetic

BigFloat FloatCalculator::Round(const BigFloat& number) const {
  if (number.kind != BigFloat::Class::kFinite) return number;
  return RoundFloat(context_, number.is_negative, number.mantissa, number.exponent);
}

FloatCalculator FloatCalculator::WithPrecision(int64_t bits) const {
  FloatContext wide;
  wide.precision = bits;
  wide.least_exponent *= 4;
  wide.most_exponent *= 4;
  return {wide, budget_};
}

BigFloat FloatCalculator::Add(const BigFloat& a, const BigFloat& b) const {
  if (a.is_nan() || b.is_nan()) return BigFloat::Nan();
  if (!a.is_finite() && !b.is_finite()) return a.is_negative == b.is_negative ? a : BigFloat::Nan();
  if (!a.is_finite()) return a;
  if (!b.is_finite()) return b;
  if (a.is_zero() && b.is_zero()) {
    const bool differ = a.is_negative != b.is_negative;
    return BigFloat::Zero(differ ? context_.rounding == Rounding::kDown : a.is_negative);
  }
  if (a.is_zero()) return Round(b);
  if (b.is_zero()) return Round(a);
  const BigFloat& large = a.magnitude() >= b.magnitude() ? a : b;
  const BigFloat& small = &large == &a ? b : a;
  const int64_t bits = BigFloat::BitCount(large.mantissa);
  // Below what the result can hold the smaller number only says in which direction the larger one is wrong.
  const int64_t spare = std::max<int64_t>(context_.precision + 4 - bits, 0);
  if (small.magnitude() < large.exponent - spare) {
    BigInteger mantissa = Shifted(large.mantissa, spare, budget_);
    if (large.is_negative != small.is_negative) --mantissa;
    return RoundFloat(context_, large.is_negative, std::move(mantissa), large.exponent - spare, true);
  }
  const int64_t exponent = std::min(a.exponent, b.exponent);
  BigInteger sum = Shifted(a.mantissa, a.exponent - exponent, budget_);
  const BigInteger other = Shifted(b.mantissa, b.exponent - exponent, budget_);
  if (a.is_negative) sum = -sum;
  if (b.is_negative) {
    sum -= other;
  } else {
    sum += other;
  }
  if (sum.is_zero()) return BigFloat::Zero(context_.rounding == Rounding::kDown);
  const bool is_negative = sum.sign() < 0;
  return RoundFloat(context_, is_negative, abs(sum), exponent);
}

BigFloat FloatCalculator::Subtract(const BigFloat& a, BigFloat b) const {
  b.is_negative = !b.is_negative;
  return Add(a, b);
}

BigFloat FloatCalculator::Multiply(const BigFloat& a, const BigFloat& b) const {
  if (a.is_nan() || b.is_nan()) return BigFloat::Nan();
  const bool is_negative = a.is_negative != b.is_negative;
  if (!a.is_finite() || !b.is_finite()) return a.is_zero() || b.is_zero() ? BigFloat::Nan() : BigFloat::Infinity(is_negative);
  if (a.is_zero() || b.is_zero()) return BigFloat::Zero(is_negative);
  return RoundFloat(context_, is_negative, Product(a.mantissa, b.mantissa, budget_), a.exponent + b.exponent);
}

BigFloat FloatCalculator::Divide(const BigFloat& a, const BigFloat& b) const {
  if (a.is_nan() || b.is_nan()) return BigFloat::Nan();
  const bool is_negative = a.is_negative != b.is_negative;
  if (!a.is_finite()) return b.is_finite() ? BigFloat::Infinity(is_negative) : BigFloat::Nan();
  if (!b.is_finite()) return BigFloat::Zero(is_negative);
  if (b.is_zero()) return a.is_zero() ? BigFloat::Nan() : BigFloat::Infinity(is_negative);
  if (a.is_zero()) return BigFloat::Zero(is_negative);
  const int64_t divisor_bits = BigFloat::BitCount(b.mantissa);
  const int64_t shift = std::max<int64_t>(context_.precision + 3 + divisor_bits - BigFloat::BitCount(a.mantissa), 0);
  const BigInteger dividend = Shifted(a.mantissa, shift, budget_);
  Quotient parts = Divided(dividend, b.mantissa, budget_);
  return RoundFloat(context_, is_negative, std::move(parts.quotient), a.exponent - b.exponent - shift, !parts.rest.is_zero());
}

BigFloat FloatCalculator::Remainder(const BigFloat& a, const BigFloat& b) const {
  if (a.is_nan() || b.is_nan() || !a.is_finite() || b.is_zero()) return BigFloat::Nan();
  if (!b.is_finite() || a.is_zero() || a.magnitude() < b.magnitude()) return Round(a);
  BigInteger rest;
  const int64_t exponent = std::min(a.exponent, b.exponent);
  const BigInteger divisor = Shifted(b.mantissa, b.exponent - exponent, budget_);
  const auto reduce = [&](const BigInteger& number) { return Divided(number, divisor, budget_).rest; };
  rest = reduce(a.mantissa);
  BigInteger scale = 2;
  for (int64_t power = a.exponent - exponent; power > 0; power /= 2) {
    if (power % 2 == 1) rest = reduce(Product(rest, scale, budget_));
    if (power > 1) scale = reduce(Product(scale, scale, budget_));
  }
  return rest.is_zero() ? BigFloat::Zero(a.is_negative) : RoundFloat(context_, a.is_negative, std::move(rest), exponent);
}

BigFloat FloatCalculator::SquareRoot(const BigFloat& a) const {
  if (a.is_nan() || a.is_zero()) return a;
  if (a.is_negative) return BigFloat::Nan();
  if (!a.is_finite()) return a;
  int64_t shift = std::max<int64_t>(2 * (context_.precision + 3) - BigFloat::BitCount(a.mantissa), 0);
  if ((a.exponent - shift) % 2 != 0) ++shift;
  const BigInteger wide = Shifted(a.mantissa, shift, budget_);
  Quotient parts = SquareRooted(wide, budget_);
  return RoundFloat(context_, false, std::move(parts.quotient), (a.exponent - shift) / 2, !parts.rest.is_zero());
}

BigFloat FloatCalculator::FromDecimal(std::string_view text) const {
  std::string digits;
  int64_t exponent = 0;
  bool is_fraction = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      is_fraction = true;
    } else if (text[i] == 'e' || text[i] == 'E') {
      int64_t given = 0;
      const bool is_negative = i + 1 < text.size() && text[i + 1] == '-';
      for (const char c : text.substr(i + 1)) {
        if (c >= '0' && c <= '9') given = std::min<int64_t>(given * 10 + (c - '0'), 1'000'000'000'000);
      }
      exponent += is_negative ? -given : given;
      break;
    } else {
      if (is_fraction) --exponent;
      if (text[i] != '0' || !digits.empty()) digits += text[i];
    }
  }
  if (digits.empty()) return BigFloat::Zero();
  const BigInteger whole = FromDecimalDigits(digits, budget_);
  constexpr int64_t kFar = 2'000'000'000;   // beyond every range
  if (exponent > kFar) return RoundFloat(context_, false, 1, kFar * 2, true);
  if (exponent + static_cast<int64_t>(digits.size()) < -kFar) return RoundFloat(context_, false, 1, -kFar * 2, true);
  const int64_t bits = context_.precision + BigFloat::BitCount(whole);
  const PowerOfTen power = MakePowerOfTen(std::abs(exponent), bits, budget_);
  if (exponent >= 0) return RoundFloat(context_, false, Product(whole, power.mantissa, budget_), power.shift);
  return Divide({BigFloat::Class::kFinite, false, whole, 0}, {BigFloat::Class::kFinite, false, power.mantissa, power.shift});
}

}  // namespace paddock::awk
