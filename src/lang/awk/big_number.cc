#include "lang/awk/big_number.h"

#include <cmath>
#include <new>
#include <utility>

#include "base/budget.h"
#include "lang/awk/format.h"
#include "lang/awk/number.h"

namespace paddock::awk {
namespace {

struct FormatName {
  std::string_view name;
  int64_t precision, least_exponent, most_exponent;
};
constexpr FormatName kFormatNames[] = {
    {"half", 11, -23, 16},
    {"single", 24, -148, 128},
    {"double", 53, -1073, 1024},
    {"quad", 113, -16493, 16384},
    {"oct", 237, -262377, 262144},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The digits at the start of `text`, of 1, 3 or 4 bits each.
BigInteger FromBinaryDigits(std::string_view text, unsigned bits, Budget& budget) {
  BigInteger value = 0;
  uint64_t piece = 0;
  unsigned piece_bits = 0;
  const auto flush = [&] {
    value = Shifted(value, piece_bits, budget) + piece;
    piece = piece_bits = 0;
  };
  for (const char c : text) {
    const int digit = HexValue(c);
    if (digit < 0 || digit >= 1 << bits) break;
    piece = piece << bits | static_cast<unsigned>(digit);
    piece_bits += bits;
    if (piece_bits >= 56) flush();
  }
  flush();
  return value;
}

BigValue Whole(BigInteger whole) { return {true, std::move(whole), {}}; }
BigValue Real(BigFloat real) { return {false, 0, std::move(real)}; }

}  // namespace

void BigNumber::Free(BigNumber* number) {
  number->~BigNumber();
  ::operator delete(number);
}

void AppendBig(std::string& out, const BigNumber& number, std::string_view format) {
  const BigValue& value = number.value;
  Budget& budget = number.math->budget();
  if (value.is_whole) {
    out += ToDecimal(value.whole, budget);
  } else if (!value.real.is_finite()) {
    out += SpecialName(value.real.ToDouble());
  } else if (value.real.IsIntegral()) {
    out += ToDecimal(ToInteger(value.real, budget), budget);
  } else {
    AppendByFormat(out, format, number);
  }
}

// --- settings

bool BigMath::SetPrecision(std::string_view text, double number) {
  for (const FormatName& format : kFormatNames) {
    bool is_same = text.size() == format.name.size();
    for (size_t i = 0; is_same && i < text.size(); ++i) is_same = (text[i] | 0x20) == format.name[i];
    if (!is_same) continue;
    context_ = {format.precision, context_.rounding, format.least_exponent, format.most_exponent, true};
    return true;
  }
  if (!(number >= 1 && number <= static_cast<double>(kMostPrecision))) return false;
  context_ = {static_cast<int64_t>(number), context_.rounding};
  return true;
}

bool BigMath::SetRounding(std::string_view mode) {
  if (mode.size() != 1) return false;
  switch (mode[0]) {
    case 'N':
    case 'n': context_.rounding = Rounding::kNearest; return true;
    case 'Z':
    case 'z': context_.rounding = Rounding::kZero; return true;
    case 'U':
    case 'u': context_.rounding = Rounding::kUp; return true;
    case 'D':
    case 'd': context_.rounding = Rounding::kDown; return true;
    case 'A':
    case 'a': context_.rounding = Rounding::kAway; return true;
    default: return false;
  }
}

// --- reading

Value BigMath::Make(BigValue value) const {
  void* const memory = ::operator new(sizeof(BigNumber));
  return Value::FromBig(::new (memory) BigNumber{1, std::move(value), this});
}

BigValue BigMath::FromText(std::string_view text, bool is_non_decimal) const {
  size_t at = 0;
  while (at < text.size() && IsBlank(text[at])) ++at;
  bool is_negative = false;
  const size_t start = at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) is_negative = text[at++] == '-';
  const std::string_view rest = text.substr(at);
  if (is_non_decimal && rest.size() > 1 && rest[0] == '0') {
    const bool is_hex = (rest[1] | 0x20) == 'x' && rest.size() > 2 && HexValue(rest[2]) >= 0;
    size_t digits = 0;
    while (digits < rest.size() && IsDigit(rest[digits])) ++digits;
    const bool is_octal = digits > 1 && rest.substr(0, digits).find_first_of("89") == rest.npos &&
                          (digits == rest.size() || (rest[digits] != '.' && (rest[digits] | 0x20) != 'e'));
    if (is_hex || is_octal) {
      BigInteger value = is_hex ? FromBinaryDigits(rest.substr(2), 4, budget_) : FromBinaryDigits(rest, 3, budget_);
      if (is_negative) value = -value;
      return Whole(std::move(value));
    }
  }
  const NumberPrefix prefix = ParseNumber(text.substr(start));
  if (prefix.length == 0) return Whole(0);
  if (at < text.size() && !IsDigit(text[at]) && text[at] != '.') {   // +inf, -nan
    BigFloat special = BigFloat::FromDouble(prefix.value);
    special.is_negative = is_negative;
    return Real(std::move(special));
  }
  const std::string_view digits = text.substr(at, prefix.length - (at - start));
  if (digits.find_first_of(".eE") == digits.npos) {
    BigInteger value = FromDecimalDigits(digits, budget_);
    if (is_negative) value = -value;
    return Whole(std::move(value));
  }
  // Rounded with the sign it has.
  FloatContext context = context_;
  if (is_negative && context.rounding == Rounding::kUp) {
    context.rounding = Rounding::kDown;
  } else if (is_negative && context.rounding == Rounding::kDown) {
    context.rounding = Rounding::kUp;
  }
  BigFloat real = FloatCalculator(context, budget_).FromDecimal(digits);
  real.is_negative = is_negative;
  return Real(std::move(real));
}

Value BigMath::FromLiteral(std::string_view literal) const {
  bool is_negative = false;
  for (; !literal.empty() && (literal[0] == '-' || literal[0] == '+'); literal.remove_prefix(1)) is_negative ^= literal[0] == '-';
  Value value = Make(FromText(literal, true));
  return is_negative ? Negate(value) : value;
}

Value BigMath::FromNonDecimal(std::string_view text) const { return Make(FromText(text, true)); }

BigValue BigMath::NumberOf(const Value& value) const {
  if (value.kind() == Kind::kBig) return value.big().value;
  if (value.is_text()) return FromText(value.view(), reads_non_decimal_ && value.kind() == Kind::kInput);
  const double number = value.ToNumber();
  if (std::isfinite(number) && number == std::trunc(number)) return Whole(BigInteger(number));
  return Real(BigFloat::FromDouble(number));
}

// --- calculating

Value BigMath::Calculate(Operation operation, const Value& left, const Value& right) const {
  const BigValue a = NumberOf(left), b = NumberOf(right);
  const bool is_whole = a.is_whole && b.is_whole;
  budget_.Step();
  switch (operation) {
    case Operation::kAdd:
      return is_whole ? Make(BigInteger(a.whole + b.whole)) : Make(floats().Add(a.ToFloat(), b.ToFloat()));
    case Operation::kSubtract:
      return is_whole ? Make(BigInteger(a.whole - b.whole)) : Make(floats().Subtract(a.ToFloat(), b.ToFloat()));
    case Operation::kMultiply:
      return is_whole ? Make(Product(a.whole, b.whole, budget_)) : Make(floats().Multiply(a.ToFloat(), b.ToFloat()));
    case Operation::kDivide: return Make(Divide(a, b));
    case Operation::kModulo: return Make(Modulo(a, b));
    default: return Make(Power(a, b));
  }
}

BigValue BigMath::Divide(const BigValue& left, const BigValue& right) const {
  if (left.is_whole && right.is_whole) {
    Quotient parts = Divided(left.whole, right.whole, budget_);
    if (parts.rest.is_zero()) return Whole(std::move(parts.quotient));
  }
  return Real(floats().Divide(left.ToFloat(), right.ToFloat()));
}

BigValue BigMath::Modulo(const BigValue& left, const BigValue& right) const {
  if (!left.is_whole || !right.is_whole) return Real(floats().Remainder(left.ToFloat(), right.ToFloat()));
  return Whole(Divided(left.whole, right.whole, budget_).rest);
}

BigValue BigMath::Power(const BigValue& left, const BigValue& right) const {
  constexpr int64_t kMostExponent = int64_t{1} << 62;
  if (left.is_whole && right.is_whole && right.whole.sign() >= 0 && right.whole < kMostExponent) {
    return Whole(IntegerPower(left.whole, static_cast<uint64_t>(right.whole), budget_));
  }
  return Real(floats().Power(left.ToFloat(), right.ToFloat()));
}

Value BigMath::Negate(const Value& value) const {
  BigValue number = NumberOf(value);
  if (number.is_whole && !number.whole.is_zero()) return Make(BigInteger(-number.whole));
  if (number.is_whole) return Make(BigFloat::Zero(true));
  number.real.is_negative = !number.real.is_negative;
  return Make(std::move(number));
}

int BigMath::Compare(const Value& left, const Value& right) const {
  const BigValue a = NumberOf(left), b = NumberOf(right);
  if (a.is_nan() || b.is_nan()) return 2;
  if (a.is_whole && b.is_whole) {
    const int order = a.whole.compare(b.whole);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  return CompareFloats(a.ToFloat(), b.ToFloat());
}

BigValue BigMath::Cut(const BigValue& value) const {
  return value.is_whole || !value.real.is_finite() ? value : Whole(ToInteger(value.real, budget_));
}

}  // namespace paddock::awk
