// The functions of BigFloat that have no exact results: by series on fixed-point numbers, with bits to spare.
#include <algorithm>
#include <utility>

#include "base/budget.h"
#include "lang/awk/big_float.h"

namespace paddock::awk {
namespace {

constexpr int64_t kGuardBits = 64;

// Numbers × 2^bits.
class FixedPoint {
 public:
  FixedPoint(int64_t bits, Budget& budget) : bits_(bits), budget_(budget) { ChargeBits(budget, bits, 1); }

  BigInteger One() const { return BigInteger(1) << static_cast<unsigned>(bits_); }
  BigInteger From(const BigFloat& x) const {
    const BigInteger value = Shifted(x.mantissa, x.exponent + bits_, budget_);
    return x.is_negative ? BigInteger(-value) : value;
  }
  BigFloat ToFloat(const BigInteger& x) const {
    if (x.is_zero()) return BigFloat::Zero();
    return {BigFloat::Class::kFinite, x.sign() < 0, abs(x), -bits_};
  }
  BigInteger Multiply(const BigInteger& a, const BigInteger& b) const {
    ChargeBits(budget_, bits_, bits_);
    BigInteger product = a * b;
    product >>= static_cast<unsigned>(bits_);
    return product;
  }
  BigInteger Divide(const BigInteger& a, const BigInteger& b) const {
    return Divided(a << static_cast<unsigned>(bits_), b, budget_).quotient;
  }
  BigInteger Root(const BigInteger& a) const {
    return SquareRooted(a << static_cast<unsigned>(bits_), budget_).quotient;
  }

  // Σ ± x^(2i+1) / (2i+1), of a small x.
  BigInteger ArcSeries(const BigInteger& x, bool alternates) const {
    const BigInteger square = Multiply(x, x);
    BigInteger power = x, sum = x;
    for (uint32_t i = 1; !power.is_zero(); ++i) {
      power = Multiply(power, square);
      const BigInteger term = power / (2 * i + 1);
      if (term.is_zero()) break;
      if (alternates && i % 2 == 1) {
        sum -= term;
      } else {
        sum += term;
      }
    }
    return sum;
  }
  // The same for 1 / divisor, which needs no long products.
  BigInteger ArcOfInverse(uint32_t divisor, bool alternates) const {
    BigInteger power = One() / divisor, sum = power;
    for (uint32_t i = 1; !power.is_zero(); ++i) {
      ChargeBits(budget_, bits_, 1);
      power /= divisor;
      power /= divisor;
      if (alternates && i % 2 == 1) {
        sum -= power / (2 * i + 1);
      } else {
        sum += power / (2 * i + 1);
      }
    }
    return sum;
  }
  BigInteger LogOfTwo() const { return 18 * ArcOfInverse(26, false) - 2 * ArcOfInverse(4801, false) + 8 * ArcOfInverse(8749, false); }
  BigInteger Pi() const { return 16 * ArcOfInverse(5, true) - 4 * ArcOfInverse(239, true); }

  // e^x for 0 ≤ x < 1: halved until the series is short, then squared again.
  BigInteger Exp(BigInteger x) const {
    int halvings = 0;
    for (int64_t rest = bits_; rest > 4; rest /= 4) halvings += 2;
    x >>= static_cast<unsigned>(halvings);
    BigInteger term = One(), sum = term;
    for (uint32_t i = 1;; ++i) {
      term = Multiply(term, x) / i;
      if (term.is_zero()) break;
      sum += term;
    }
    for (; halvings > 0; --halvings) sum = Multiply(sum, sum);
    return sum;
  }
  // sin or cos of |x| < 1.
  BigInteger SinOrCos(const BigInteger& x, bool is_cos) const {
    const BigInteger square = Multiply(x, x);
    BigInteger term = is_cos ? One() : x, sum = term;
    for (uint32_t i = is_cos ? 1 : 2;; i += 2) {
      term = Multiply(term, square) / (i * (i + 1));
      if (term.is_zero() || term == -1) break;
      term = -term;
      sum += term;
    }
    return sum;
  }
  // Of 0 ≤ x ≤ 1.
  BigInteger Atan(BigInteger x) const {
    constexpr int kHalvings = 4;
    for (int i = 0; i < kHalvings; ++i) x = Divide(x, One() + Root(One() + Multiply(x, x)));
    return ArcSeries(x, true) << static_cast<unsigned>(kHalvings);
  }

 private:
  int64_t bits_;
  Budget& budget_;
};

// A result that is a little more (or less) than ±1 or than a number that fits the precision: what it is rounded from.
BigFloat Beside(const FloatContext& context, const BigFloat& number, bool is_above) {
  const int64_t spare = std::max<int64_t>(context.precision + 4 - BigFloat::BitCount(number.mantissa), 0);
  BigInteger mantissa = number.mantissa << static_cast<unsigned>(spare);
  if (!is_above) --mantissa;
  return RoundFloat(context, number.is_negative, std::move(mantissa), number.exponent - spare, true);
}

BigFloat One() { return {BigFloat::Class::kFinite, false, 1, 0}; }

}  // namespace

BigFloat FloatCalculator::Exp(const BigFloat& a) const {
  if (a.is_nan()) return a;
  if (!a.is_finite()) return a.is_negative ? BigFloat::Zero() : a;
  if (a.is_zero()) return One();
  if (a.magnitude() > 34) return RoundFloat(context_, false, 1, a.is_negative ? 8 * context_.least_exponent : 8 * context_.most_exponent, true);
  if (a.magnitude() < -context_.precision - 4) return Beside(context_, One(), !a.is_negative);
  const int64_t bits = context_.precision + kGuardBits + 40;
  const FixedPoint fixed(bits, budget_);
  const BigInteger x = fixed.From(a), log2 = fixed.LogOfTwo();
  BigInteger turns = x / log2, rest = x - turns * log2;
  if (rest.sign() < 0) {
    rest += log2;
    --turns;
  }
  const BigInteger power = fixed.Exp(std::move(rest));
  return RoundFloat(context_, false, power, static_cast<int64_t>(turns) - bits, true);
}

BigFloat FloatCalculator::Log(const BigFloat& a) const {
  if (a.is_nan()) return a;
  if (a.is_zero()) return BigFloat::Infinity(true);
  if (a.is_negative) return BigFloat::Nan();
  if (!a.is_finite()) return a;
  const BigFloat distance = WithPrecision(64).Subtract(a, One());
  if (distance.is_zero()) return BigFloat::Zero();
  // Close to 1 the result is small, and of its bits as many are wanted.
  const int64_t bits = context_.precision + kGuardBits + 40 + std::max<int64_t>(-distance.magnitude(), 0);
  const FixedPoint fixed(bits, budget_);
  int64_t turns = a.magnitude();
  BigFloat scaled = a;
  scaled.exponent -= turns;
  BigInteger x = fixed.From(scaled);                  // ½ ≤ x < 1
  if (x * 4 < fixed.One() * 3) {
    x *= 2;
    --turns;
  }
  const BigInteger quotient = fixed.Divide(x - fixed.One(), x + fixed.One());
  BigInteger log = fixed.ArcSeries(quotient, false) * 2;
  if (turns != 0) log += fixed.LogOfTwo() * turns;
  const BigFloat result = fixed.ToFloat(log);
  return RoundFloat(context_, result.is_negative, result.mantissa, result.exponent, BigFloat::BitCount(result.mantissa) > context_.precision + 2);
}

BigFloat FloatCalculator::SinOrCos(const BigFloat& a, bool is_cos) const {
  if (!a.is_finite()) return BigFloat::Nan();
  if (a.is_zero()) return is_cos ? One() : a;
  if (a.magnitude() < -context_.precision / 2 - 4) return is_cos ? Beside(context_, One(), false) : Beside(context_, a, false);
  int64_t bits = context_.precision + kGuardBits + std::max<int64_t>(std::abs(a.magnitude()), 8);
  for (;; bits += bits / 2) {
    const FixedPoint fixed(bits, budget_);
    const BigInteger pi = fixed.Pi(), x = fixed.From(a), quarter = pi / 2;
    // Which eighth of the circle is nearest to, and how far from it.
    BigInteger turns = (x * 2 + (x.sign() < 0 ? BigInteger(-quarter) : quarter)) / (quarter * 2);
    const BigInteger rest = x - turns * quarter;
    BigInteger turn = turns % 4;
    if (turn.sign() < 0) turn += 4;
    const int which = (static_cast<int>(turn) + (is_cos ? 1 : 0)) % 4;
    BigInteger value = fixed.SinOrCos(rest, which % 2 == 1);
    if (which >= 2) value = -value;
    const BigFloat result = fixed.ToFloat(value);
    // What was lost by taking multiples of π away is made up for.
    const int64_t sound = BigFloat::BitCount(result.mantissa) - std::max<int64_t>(a.magnitude(), 0);
    if (sound < context_.precision + kGuardBits / 2) continue;
    return RoundFloat(context_, result.is_negative, result.mantissa, result.exponent, true);
  }
}

BigFloat FloatCalculator::Sin(const BigFloat& a) const { return SinOrCos(a, false); }

BigFloat FloatCalculator::Cos(const BigFloat& a) const { return SinOrCos(a, true); }

BigFloat FloatCalculator::Atan2(const BigFloat& y, const BigFloat& x) const {
  if (y.is_nan() || x.is_nan()) return BigFloat::Nan();
  const int64_t bits = context_.precision + kGuardBits;
  const FixedPoint fixed(bits, budget_);
  const auto fraction_of_pi = [&](int numerator, int denominator) {
    return RoundFloat(context_, y.is_negative, fixed.Pi() * numerator / denominator, -bits, true);
  };
  if (y.is_zero()) return x.is_negative ? fraction_of_pi(1, 1) : y;
  if (x.is_zero()) return fraction_of_pi(1, 2);
  if (!y.is_finite()) return x.is_finite() ? fraction_of_pi(1, 2) : x.is_negative ? fraction_of_pi(3, 4) : fraction_of_pi(1, 4);
  if (!x.is_finite()) return x.is_negative ? fraction_of_pi(1, 1) : BigFloat::Zero(y.is_negative);
  const int64_t distance = y.magnitude() - x.magnitude();
  if (distance < -context_.precision - 8 && !x.is_negative) return Beside(context_, WithPrecision(bits).Divide(y, x), false);
  // Small angles have as many bits as others.
  const int64_t more = std::clamp<int64_t>(-distance, 0, bits) + bits;
  const FixedPoint wide(more, budget_);
  const BigFloat ratio = WithPrecision(more).Divide(y, x);
  BigFloat inverse = WithPrecision(more).Divide(x, y);
  const BigInteger pi = wide.Pi();
  BigInteger angle;
  if (CompareFloats({BigFloat::Class::kFinite, false, ratio.mantissa, ratio.exponent}, One()) <= 0) {
    angle = wide.Atan(abs(wide.From(ratio)));
  } else {
    inverse.is_negative = false;
    angle = pi / 2 - (inverse.magnitude() < -more ? BigInteger(0) : wide.Atan(wide.From(inverse)));
  }
  if (x.is_negative) angle = pi - angle;
  return RoundFloat(context_, y.is_negative, angle, -more, true);
}

BigFloat FloatCalculator::PowerByMultiplying(const BigFloat& base, const BigInteger& exponent) const {
  const FloatCalculator wide = WithPrecision(context_.precision + kGuardBits + BigFloat::BitCount(abs(exponent)));
  BigFloat result = One(), square = base;
  for (BigInteger rest = abs(exponent); !rest.is_zero(); rest >>= 1) {
    if (bit_test(rest, 0)) result = wide.Multiply(result, square);
    if (rest > 1) square = wide.Multiply(square, square);
  }
  return exponent.sign() < 0 ? Divide(One(), result) : Round(result);
}

BigFloat FloatCalculator::Power(const BigFloat& base, const BigFloat& exponent) const {
  if (exponent.is_zero()) return One();
  if (base.kind == BigFloat::Class::kFinite && !base.is_negative && CompareFloats(base, One()) == 0) return One();
  if (base.is_nan() || exponent.is_nan()) return BigFloat::Nan();
  const bool is_whole = exponent.IsIntegral();
  const bool is_odd = is_whole && exponent.kind == BigFloat::Class::kFinite && static_cast<int64_t>(lsb(exponent.mantissa)) == -exponent.exponent;
  const bool is_negative = base.is_negative && is_odd;
  if (base.is_zero()) return exponent.is_negative ? BigFloat::Infinity(is_negative) : BigFloat::Zero(is_negative);
  if (!base.is_finite()) return exponent.is_negative ? BigFloat::Zero(is_negative) : BigFloat::Infinity(is_negative);
  BigFloat size = base;
  size.is_negative = false;
  const int order = CompareFloats(size, One());
  if (!exponent.is_finite()) {
    if (order == 0) return One();
    return (order > 0) != exponent.is_negative ? BigFloat::Infinity(false) : BigFloat::Zero();
  }
  if (base.is_negative && !is_whole) return BigFloat::Nan();
  if (order == 0) return BigFloat{BigFloat::Class::kFinite, is_negative, 1, 0};
  if (is_whole && exponent.magnitude() <= 64) return PowerByMultiplying(base, ToInteger(exponent, budget_));
  if (exponent.mantissa == 1 && exponent.exponent == -1) {
    return exponent.is_negative ? Divide(One(), WithPrecision(context_.precision + kGuardBits).SquareRoot(base)) : SquareRoot(base);
  }
  const FloatCalculator wide = WithPrecision(context_.precision + kGuardBits + 40);
  BigFloat result = wide.Exp(wide.Multiply(exponent, wide.Log(size)));
  result.is_negative = is_negative;
  return Round(result);
}

}  // namespace paddock::awk
