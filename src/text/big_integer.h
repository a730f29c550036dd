// Integers of any size, for expr: decimal text in, decimal text out, and the four operations.
//
// Not for heavy calculation: products and quotients take quadratic time, charged to the budget.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock {

class Budget;

class BigInteger {
 public:
  BigInteger() = default;
  // Decimal digits with an optional '-' before them; nothing for other text.
  static std::optional<BigInteger> Parse(std::string_view text);
  std::string ToString() const;

  bool is_zero() const { return limbs_.empty(); }
  bool is_negative() const { return is_negative_; }
  // Negative, 0 or positive as a < b, a == b or a > b.
  static int Compare(const BigInteger& a, const BigInteger& b);
  static BigInteger Add(const BigInteger& a, const BigInteger& b);
  static BigInteger Subtract(const BigInteger& a, BigInteger b);
  static BigInteger Multiply(const BigInteger& a, const BigInteger& b, Budget& budget);
  struct Division;
  // Rounds towards zero; the remainder has the sign of the dividend. The divisor must not be 0.
  static Division Divide(const BigInteger& dividend, const BigInteger& divisor, Budget& budget);

 private:
  using Limbs = std::vector<uint32_t>;   // of nine decimal digits, least first, without zeros on top
  static int CompareSizes(const Limbs& a, const Limbs& b);
  static Limbs AddSizes(const Limbs& a, const Limbs& b);
  static Limbs SubtractSizes(const Limbs& a, const Limbs& b);   // a ≥ b
  static uint32_t DivideBySmall(Limbs& limbs, uint32_t divisor);
  static Limbs MultiplyBySmall(const Limbs& limbs, uint32_t factor);
  static void Trim(Limbs& limbs);
  BigInteger(bool is_negative, Limbs limbs);

  bool is_negative_ = false;
  Limbs limbs_;
};

struct BigInteger::Division {
  BigInteger quotient;
  BigInteger remainder;
};

}  // namespace paddock
