// The numbers of a program that runs with -M: whole ones of any size, and floating point ones with the precision of PREC.
//
// They live in values of the kind kBig. Numbers that built-in functions give back are plain doubles; what is worked out with
// them is big again.
#pragma once

#include <string>
#include <string_view>

#include "lang/awk/big_float.h"
#include "lang/awk/value.h"

namespace paddock::awk {

class BigMath;

struct BigValue {
  bool is_whole = true;
  BigInteger whole;
  BigFloat real;       // when it is not whole

  bool is_zero() const { return is_whole ? whole.is_zero() : real.is_zero(); }
  bool is_nan() const { return !is_whole && real.is_nan(); }
  bool is_negative() const { return is_whole ? whole.sign() < 0 : real.is_negative; }
  bool is_finite() const { return is_whole || real.is_finite(); }
  BigFloat ToFloat() const { return is_whole ? BigFloat::FromInteger(whole) : real; }
};

// What a value of the kind kBig refers to.
struct BigNumber {
  uint32_t refs;
  BigValue value;
  const BigMath* math;   // outlives it

  static void Free(BigNumber* number);
  double ToDouble() const { return value.ToFloat().ToDouble(); }
  bool is_zero() const { return value.is_zero(); }
};

// Appends the number as conversion to text does, by the format CONVFMT or OFMT where it has a fraction.
void AppendBig(std::string& out, const BigNumber& number, std::string_view format);

class BigMath {
 public:
  enum class Operation : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo, kPower };

  BigMath(bool reads_non_decimal, Budget& budget) : reads_non_decimal_(reads_non_decimal), budget_(budget) {}

  // A number or the name of a format; false when it is none.
  bool SetPrecision(std::string_view text, double number);
  // N, U, D, Z or A.
  bool SetRounding(std::string_view mode);

  Value Make(BigValue value) const;
  Value Make(BigInteger whole) const { return Make(BigValue{true, std::move(whole), {}}); }
  Value Make(BigFloat real) const { return Make(BigValue{false, 0, std::move(real)}); }
  // A number as it is written in a program.
  Value FromLiteral(std::string_view literal) const;
  // What strtonum() makes of text.
  Value FromNonDecimal(std::string_view text) const;
  // The number of any scalar.
  BigValue NumberOf(const Value& value) const;

  // The right operand of kDivide and kModulo is not 0.
  Value Calculate(Operation operation, const Value& left, const Value& right) const;
  Value Negate(const Value& value) const;
  Value Plus(const Value& value) const { return Make(NumberOf(value)); }
  // -1, 0 or 1; 2 when either is not a number.
  int Compare(const Value& left, const Value& right) const;
  // Towards zero; what is not finite stays what it is.
  BigValue Cut(const BigValue& value) const;

  FloatCalculator floats() const { return {context_, budget_}; }
  const FloatContext& context() const { return context_; }
  Budget& budget() const { return budget_; }

 private:
  BigValue FromText(std::string_view text, bool is_non_decimal) const;
  BigValue Divide(const BigValue& left, const BigValue& right) const;
  BigValue Modulo(const BigValue& left, const BigValue& right) const;
  BigValue Power(const BigValue& left, const BigValue& right) const;

  FloatContext context_;
  bool reads_non_decimal_;
  Budget& budget_;
};

}  // namespace paddock::awk
