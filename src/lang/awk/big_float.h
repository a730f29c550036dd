// Binary floating point of any precision, every result rounded once from the exact value, as MPFR has it (gawk -M).
//
// A number is mantissa × 2^exponent. What an operation yields is cut to the precision, the rounding and the range of
// exponents of a FloatContext. Work is charged to the budget before it is done; numbers that would take more than
// kMostBits end the run, because one operation cannot be interrupted.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace paddock {
class Budget;
}

namespace paddock::awk {

using BigInteger = boost::multiprecision::cpp_int;

inline constexpr int64_t kMostBits = 4 << 20;
inline constexpr int64_t kMostPrecision = 1 << 20;

enum class Rounding : uint8_t { kNearest, kZero, kUp, kDown, kAway };

struct FloatContext {
  int64_t precision = 53;
  Rounding rounding = Rounding::kNearest;
  // A value is 0.1… × 2^e with e in this range.
  int64_t least_exponent = -((int64_t{1} << 30) - 1), most_exponent = (int64_t{1} << 30) - 1;
  bool has_subnormals = false;   // an IEEE format: near the least exponent precision gets lost
};

struct BigFloat {
  enum class Class : uint8_t { kZero, kFinite, kInfinite, kNan };

  Class kind = Class::kZero;
  bool is_negative = false;
  BigInteger mantissa;       // > 0 when finite
  int64_t exponent = 0;

  static BigFloat Zero(bool is_negative = false) { return {Class::kZero, is_negative, 0, 0}; }
  static BigFloat Infinity(bool is_negative) { return {Class::kInfinite, is_negative, 0, 0}; }
  static BigFloat Nan() { return {Class::kNan, false, 0, 0}; }
  // Exact.
  static BigFloat FromInteger(const BigInteger& integer);
  static BigFloat FromDouble(double number);

  bool is_finite() const { return kind == Class::kZero || kind == Class::kFinite; }
  bool is_nan() const { return kind == Class::kNan; }
  bool is_zero() const { return kind == Class::kZero; }
  // e of 0.1… × 2^e.
  int64_t magnitude() const { return exponent + BitCount(mantissa); }
  // The nearest double.
  double ToDouble() const;
  // Without a fraction; true for zeros.
  bool IsIntegral() const;

  static int64_t BitCount(const BigInteger& positive) { return positive.is_zero() ? 0 : static_cast<int64_t>(msb(positive)) + 1; }
};

// mantissa × 2^exponent in a context. `is_inexact` says that a little is missing from the mantissa, which must then be at least
// two bits longer than the precision.
BigFloat RoundFloat(const FloatContext& context, bool is_negative, BigInteger mantissa, int64_t exponent, bool is_inexact = false);

// The operations of one context.
class FloatCalculator {
 public:
  FloatCalculator(const FloatContext& context, Budget& budget) : context_(context), budget_(budget) {}

  BigFloat Round(const BigFloat& number) const;
  BigFloat Add(const BigFloat& a, const BigFloat& b) const;
  BigFloat Subtract(const BigFloat& a, BigFloat b) const;
  BigFloat Multiply(const BigFloat& a, const BigFloat& b) const;
  BigFloat Divide(const BigFloat& a, const BigFloat& b) const;
  // What remains of a after the division by b, cut to a whole number; with the sign of a.
  BigFloat Remainder(const BigFloat& a, const BigFloat& b) const;
  BigFloat SquareRoot(const BigFloat& a) const;
  // "12.5e-3", which is well formed and has no sign.
  BigFloat FromDecimal(std::string_view text) const;
  // These (big_functions.cc) are worked out with more bits first; what the result is rounded from is nearly exact.
  BigFloat Power(const BigFloat& base, const BigFloat& exponent) const;
  BigFloat Exp(const BigFloat& a) const;
  BigFloat Log(const BigFloat& a) const;
  BigFloat Sin(const BigFloat& a) const;
  BigFloat Cos(const BigFloat& a) const;
  BigFloat Atan2(const BigFloat& y, const BigFloat& x) const;

 private:
  FloatCalculator WithPrecision(int64_t bits) const;
  BigFloat PowerByMultiplying(const BigFloat& base, const BigInteger& exponent) const;
  BigFloat SinOrCos(const BigFloat& a, bool is_cos) const;

  FloatContext context_;
  Budget& budget_;
};

// Whole numbers, with their cost charged before.
void ChargeBits(Budget& budget, int64_t left, int64_t right);
BigInteger Product(const BigInteger& a, const BigInteger& b, Budget& budget);
// Towards zero. The divisor is not 0. Piece by piece where both are long, because one step cannot be interrupted.
struct Quotient {
  BigInteger quotient, rest;
};
Quotient Divided(const BigInteger& dividend, const BigInteger& divisor, Budget& budget);
// The root of a number ≥ 0, cut, and what remains.
Quotient SquareRooted(const BigInteger& number, Budget& budget);
BigInteger Shifted(const BigInteger& a, int64_t by, Budget& budget);
BigInteger IntegerPower(BigInteger base, uint64_t exponent, Budget& budget);
std::string ToDecimal(const BigInteger& integer, Budget& budget);
BigInteger FromDecimalDigits(std::string_view digits, Budget& budget);
// Towards zero. The number must be finite.
BigInteger ToInteger(const BigFloat& number, Budget& budget);

// 10^exponent (≥ 0) is mantissa × 2^shift: exact up to some ten thousand digits, else nearly so with `bits` bits.
struct PowerOfTen {
  BigInteger mantissa;
  int64_t shift;
};
PowerOfTen MakePowerOfTen(int64_t exponent, int64_t bits, Budget& budget);

// -1, 0, 1; neither may be not-a-number.
int CompareFloats(const BigFloat& a, const BigFloat& b);

}  // namespace paddock::awk
