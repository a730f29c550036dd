#include "lang/bc/functions.h"

#include <algorithm>

namespace paddock::bc {
namespace {

constexpr int64_t kMostExponent = 3'000'000;   // e^x beyond has more digits than a number may have

// Values scaled by 2^precision.
class Binary {
 public:
  Binary(Calculator& calculator, uint64_t precision) : calculator_(calculator), precision_(precision) {}

  Integer One() const { return Integer(1) << precision_; }
  uint64_t precision() const { return precision_; }

  Result<Integer> From(const Number& x) {
    PADDOCK_ASSIGN(const Integer ten, calculator_.PowerOfTen(x.scale));
    PADDOCK_TRY(Fits(BitsOf(x.digits) + precision_));
    return calculator_.Quotient(Integer(x.digits << precision_), ten);
  }
  Result<Number> To(const Integer& x, uint64_t scale) {
    PADDOCK_ASSIGN(const Integer ten, calculator_.PowerOfTen(scale));
    PADDOCK_ASSIGN(const Integer wide, calculator_.Product(x, ten));
    const bool is_negative = wide.sign() < 0;
    Integer size = (is_negative ? Integer(-wide) : wide) >> precision_;
    return Number(is_negative ? Integer(-size) : size, scale);
  }
  Result<Integer> Multiply(const Integer& a, const Integer& b) {
    PADDOCK_ASSIGN(Integer product, calculator_.Product(a, b));
    return Shift(std::move(product));
  }
  Result<Integer> Divide(const Integer& a, const Integer& b) {
    PADDOCK_TRY(Fits(BitsOf(a) + precision_));
    return calculator_.Quotient(Integer(a << precision_), b);
  }

  // e^x for 0 ≤ x < 1: halved until the series is quick, squared back.
  Result<Integer> Exponential(const Integer& x) {
    const auto halvings = static_cast<unsigned>(std::min<uint64_t>(64, 4 + precision_ / 64));
    const Integer small = x >> halvings;
    Integer sum = One(), term = One();
    for (uint64_t n = 1; !term.is_zero(); ++n) {
      PADDOCK_ASSIGN(term, Multiply(term, small));
      term /= n;
      sum += term;
    }
    for (unsigned i = 0; i < halvings; ++i) {
      PADDOCK_ASSIGN(sum, Multiply(sum, sum));
    }
    return sum;
  }

  // atanh(1 / n) and atan(1 / n).
  Result<Integer> InverseTangent(uint64_t n, bool alternates) {
    Integer power = One() / n;
    Integer sum = power;
    const uint64_t square = n * n;
    for (uint64_t k = 3; !power.is_zero(); k += 2) {
      calculator_.budget().Step(static_cast<int64_t>(precision_ / 512) + 1);
      power /= square;
      const Integer term = power / k;
      if (alternates && k % 4 == 3) sum -= term;
      else sum += term;
    }
    return sum;
  }
  Result<Integer> Pi() {
    PADDOCK_ASSIGN(const Integer fifth, InverseTangent(5, true));
    PADDOCK_ASSIGN(const Integer small, InverseTangent(239, true));
    return Integer(16 * fifth - 4 * small);
  }
  Result<Integer> LogTwo() {
    PADDOCK_ASSIGN(const Integer third, InverseTangent(3, false));
    return Integer(2 * third);
  }

  // atan x for 0 ≤ x ≤ 1: tan(a/2) = tan a / (1 + sqrt(1 + tan² a)), several times, then the series.
  Result<Integer> ArcTangent(Integer x) {
    constexpr int kHalvings = 8;
    for (int i = 0; i < kHalvings; ++i) {
      PADDOCK_ASSIGN(const Integer square, Multiply(x, x));
      PADDOCK_ASSIGN(const Integer root, Root(One() + square));
      PADDOCK_ASSIGN(x, Divide(x, One() + root));
    }
    PADDOCK_ASSIGN(const Integer square, Multiply(x, x));
    Integer power = x, sum = x;
    for (uint64_t k = 3; !power.is_zero(); k += 2) {
      PADDOCK_ASSIGN(power, Multiply(power, square));
      const Integer term = power / k;
      if (k % 4 == 3) sum -= term;
      else sum += term;
    }
    return Integer(sum << kHalvings);
  }

  // sin x for |x| ≤ π: a third of the angle, twice over: sin 3a = 3 sin a - 4 sin³ a.
  Result<Integer> Sine(Integer x) {
    constexpr int kThirds = 6;
    for (int i = 0; i < kThirds; ++i) x /= 3;
    PADDOCK_ASSIGN(const Integer square, Multiply(x, x));
    Integer term = x, sum = x;
    for (uint64_t k = 2; !term.is_zero(); k += 2) {
      PADDOCK_ASSIGN(term, Multiply(term, square));
      term = -term / (k * (k + 1));
      sum += term;
    }
    for (int i = 0; i < kThirds; ++i) {
      PADDOCK_ASSIGN(const Integer squared, Multiply(sum, sum));
      PADDOCK_ASSIGN(const Integer cubed, Multiply(squared, sum));
      sum = 3 * sum - 4 * cubed;
    }
    return sum;
  }

  // ln x for x > 0: x = m 2^k with m near 1; 2 atanh((m-1)/(m+1)) after roots were taken.
  Result<Integer> Logarithm(const Integer& x) {
    constexpr int kRoots = 8;
    const int64_t shift = static_cast<int64_t>(BitsOf(x)) - static_cast<int64_t>(precision_) - 1;
    Integer m = shift >= 0 ? Integer(x >> static_cast<unsigned>(shift)) : Integer(x << static_cast<unsigned>(-shift));
    for (int i = 0; i < kRoots; ++i) {
      PADDOCK_ASSIGN(m, Root(m));
    }
    PADDOCK_ASSIGN(const Integer z, Divide(m - One(), m + One()));
    PADDOCK_ASSIGN(const Integer square, Multiply(z, z));
    Integer power = z, sum = z;
    for (uint64_t k = 3; !power.is_zero(); k += 2) {
      PADDOCK_ASSIGN(power, Multiply(power, square));
      sum += power / k;
    }
    PADDOCK_ASSIGN(const Integer log_two, LogTwo());
    return Integer((sum << (kRoots + 1)) + log_two * shift);
  }

 private:
  static Status Fits(uint64_t bits) { return bits > kMostBits ? Status(Code::kNoMemory) : Status(); }
  // >> of a negative number rounds down; series end at zero only when it rounds towards it.
  Result<Integer> Shift(Integer value) const {
    if (value.sign() >= 0) return Integer(value >> precision_);
    return Integer(-(Integer(-value) >> precision_));
  }
  Result<Integer> Root(const Integer& a) {
    PADDOCK_TRY(Fits(BitsOf(a) + precision_));
    calculator_.budget().Step(static_cast<int64_t>(precision_ / 64 * precision_ / 64 / 16) + 1);
    return Integer(boost::multiprecision::sqrt(Integer(a << precision_)));
  }

  Calculator& calculator_;
  uint64_t precision_;
};

uint64_t PrecisionFor(uint64_t scale, uint64_t more) { return scale * 10 / 3 + 128 + more; }

Result<Number> Exponential(Calculator& calculator, const Number& x, uint64_t scale) {
  PADDOCK_ASSIGN(const Integer whole, calculator.Whole(x));
  if (whole > kMostExponent) return Code::kNoMemory;
  if (whole < -kMostExponent) return Number(Integer(0), scale);
  const auto exponent = static_cast<int64_t>(whole);
  const auto size = static_cast<uint64_t>(exponent < 0 ? -exponent : exponent);
  const uint64_t precision = PrecisionFor(scale, 3 * size + 64);
  if (precision > kMostBits) return Code::kNoMemory;
  Binary binary(calculator, precision);
  PADDOCK_ASSIGN(const Integer value, binary.From(x));
  const bool is_negative = value.sign() < 0;
  const Integer magnitude = is_negative ? Integer(-value) : value;
  const Integer fraction = magnitude & (binary.One() - 1);
  PADDOCK_ASSIGN(Integer result, binary.Exponential(fraction));
  if (size > 0) {
    PADDOCK_ASSIGN(Integer base, binary.Exponential(binary.One() - 1));
    for (uint64_t left = size; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        PADDOCK_ASSIGN(result, binary.Multiply(result, base));
      }
      if (left > 1) {
        PADDOCK_ASSIGN(base, binary.Multiply(base, base));
      }
    }
  }
  if (is_negative) {
    PADDOCK_ASSIGN(result, binary.Divide(binary.One(), result));
  }
  return binary.To(result, scale);
}

Result<Number> Trigonometric(Calculator& calculator, const Number& x, uint64_t scale, bool is_cosine) {
  const uint64_t more = BitsOf(x.digits);
  const uint64_t precision = PrecisionFor(scale, more);
  if (precision > kMostBits) return Code::kNoMemory;
  Binary binary(calculator, precision);
  PADDOCK_ASSIGN(Integer value, binary.From(x));
  PADDOCK_ASSIGN(const Integer pi, binary.Pi());
  if (is_cosine) value += pi / 2;
  PADDOCK_ASSIGN(const Integer turns, calculator.Quotient(value, Integer(2 * pi)));
  value -= turns * 2 * pi;
  if (value > pi) value -= 2 * pi;
  if (value < -pi) value += 2 * pi;
  PADDOCK_ASSIGN(Integer result, binary.Sine(value));
  return binary.To(result, scale);
}

Result<Number> ArcTangent(Calculator& calculator, const Number& x, uint64_t scale) {
  const uint64_t precision = PrecisionFor(scale, 32 + BitsOf(x.digits));
  if (precision > kMostBits) return Code::kNoMemory;
  Binary binary(calculator, precision);
  PADDOCK_ASSIGN(Integer value, binary.From(x));
  const bool is_negative = value.sign() < 0;
  if (is_negative) value = -value;
  const bool is_large = value > binary.One();
  if (is_large) {
    PADDOCK_ASSIGN(value, binary.Divide(binary.One(), value));
  }
  PADDOCK_ASSIGN(Integer result, binary.ArcTangent(value));
  if (is_large) {
    PADDOCK_ASSIGN(const Integer pi, binary.Pi());
    result = pi / 2 - result;
  }
  if (is_negative) result = -result;
  return binary.To(result, scale);
}

}  // namespace

Result<Number> MathFunction(Calculator& calculator, char name, const Number& x, uint64_t scale) {
  const auto one = [&]() -> Result<Number> {
    PADDOCK_ASSIGN(Integer digits, calculator.PowerOfTen(scale));
    return Number(std::move(digits), scale);
  };
  switch (name) {
    case 's': return x.is_zero() ? Result<Number>(Number()) : Trigonometric(calculator, x, scale, false);
    case 'c': return x.is_zero() ? one() : Trigonometric(calculator, x, scale, true);
    case 'a': return x.is_zero() ? Result<Number>(Number()) : ArcTangent(calculator, x, scale);
    case 'e': return x.is_zero() ? one() : Exponential(calculator, x, scale);
    default: break;
  }
  if (x.is_zero() || x.is_negative()) {   // (1 - 10^scale) / 1, bc's minus infinity
    PADDOCK_ASSIGN(const Integer ten, calculator.PowerOfTen(scale));
    return Number(Integer((1 - ten) * ten), scale);
  }
  if (x.digits == 1 && x.scale == 0) return Number();
  const uint64_t precision = PrecisionFor(scale, 64 + x.scale * 10 / 3);
  if (precision > kMostBits) return Code::kNoMemory;
  Binary binary(calculator, precision);
  PADDOCK_ASSIGN(const Integer value, binary.From(x));
  PADDOCK_ASSIGN(const Integer result, binary.Logarithm(value));
  return binary.To(result, scale);
}

// J_n(x) = sum over k of (-1)^k (x/2)^(n + 2k) / (k! (n + k)!).
Result<Number> Bessel(Calculator& calculator, int64_t order, const Number& x, uint64_t scale) {
  const bool is_odd = order % 2 != 0;
  const bool is_flipped = order < 0 && is_odd;
  const auto n = static_cast<uint64_t>(order < 0 ? -order : order);
  PADDOCK_ASSIGN(const Integer size, calculator.Whole(x));
  if (n > 100'000 || size > 100'000 || size < -100'000) return Code::kNoMemory;
  const auto whole = static_cast<int64_t>(size);
  Binary binary(calculator, PrecisionFor(scale, static_cast<uint64_t>(whole < 0 ? -whole : whole) * 4 + 64));
  PADDOCK_ASSIGN(const Integer value, binary.From(x));
  const Integer half = value / 2;
  Integer term = binary.One();
  for (uint64_t k = 1; k <= n; ++k) {
    PADDOCK_ASSIGN(term, binary.Multiply(term, half));
    term /= k;
  }
  PADDOCK_ASSIGN(const Integer square, binary.Multiply(half, half));
  Integer sum = term;
  for (uint64_t k = 1; !term.is_zero(); ++k) {
    PADDOCK_ASSIGN(term, binary.Multiply(term, square));
    term = -term / (k * (n + k));
    sum += term;
  }
  if (is_flipped) sum = -sum;
  return binary.To(sum, scale);
}

}  // namespace paddock::bc
