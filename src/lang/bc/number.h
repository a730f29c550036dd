// Decimal numbers of any size as bc and dc know them: an integer and how many of its digits stand behind the point.
//
// Results are cut, never rounded, to the scale that POSIX gives each operation. Work is charged to the budget before it is
// done; a result beyond kMostBits is refused (Result error kNoMemory), because one operation cannot be interrupted.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::bc {

using Integer = boost::multiprecision::cpp_int;

inline constexpr uint64_t kMostBits = 4u << 20;   // about 1,260,000 decimal digits
inline constexpr uint64_t kMostScale = 1'000'000;

struct Number {
  Integer digits;       // value × 10^scale
  uint64_t scale = 0;

  Number() = default;
  Number(int64_t value) : digits(value) {}  // NOLINT: integers are numbers
  Number(Integer value, uint64_t places) : digits(std::move(value)), scale(places) {}

  bool is_zero() const { return digits.is_zero(); }
  bool is_negative() const { return digits.sign() < 0; }
};

class Calculator {
 public:
  explicit Calculator(Budget& budget) : budget_(budget) {}

  Result<Integer> PowerOfTen(uint64_t exponent);
  // With `scale` digits behind the point; surplus ones are cut.
  Result<Number> Rescale(const Number& a, uint64_t scale);
  Result<Number> Add(const Number& a, const Number& b);
  Result<Number> Subtract(const Number& a, const Number& b);
  Result<Number> Multiply(const Number& a, const Number& b, uint64_t scale);
  // The divisor must not be 0.
  Result<Number> Divide(const Number& a, const Number& b, uint64_t scale);
  Result<Number> Remainder(const Number& a, const Number& b, uint64_t scale);
  // The exponent is an integer. kInvalid for 0 to a negative power.
  Result<Number> Power(const Number& base, int64_t exponent, uint64_t scale);
  // `a` must not be negative; the result has max(scale, a.scale) digits.
  Result<Number> SquareRoot(const Number& a, uint64_t scale);
  Result<Integer> Product(const Integer& a, const Integer& b);
  // Rounds towards zero.
  Result<Integer> Quotient(const Integer& a, const Integer& b);
  Result<int> Compare(const Number& a, const Number& b);
  // The part before the point, rounded towards zero.
  Result<Integer> Whole(const Number& a);
  // Digits before and behind the point together, as length() counts them.
  Result<uint64_t> Length(const Number& a);

  // Digits of base `base` (2 to 36, uppercase letters), with a point and a sign. Digits too large for the base count as its
  // largest, except in a number of one digit.
  Result<Number> Parse(std::string_view text, int base);
  // In decimal without a sign, no point.
  Result<std::string> Decimal(const Integer& value);
  // As it is shown in base `base`; without line breaks. `leading_zero` is dc's "0.5".
  Result<std::string> Text(const Number& a, const Integer& base, bool leading_zero);

  Budget& budget() { return budget_; }

 private:
  Status Charge(uint64_t bits_a, uint64_t bits_b, uint64_t result_bits);
  Status ChargeSum(const Number& a, const Number& b);
  Status AppendDecimal(const Integer& value, uint64_t width, std::string& text);
  Result<std::string> TextInBase(const Number& a, const Integer& base);

  Budget& budget_;
};

uint64_t BitsOf(const Integer& value);

}  // namespace paddock::bc
