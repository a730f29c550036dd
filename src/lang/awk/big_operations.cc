// Operators and built-in functions on the numbers of -M, and what setting PREC and ROUNDMODE does.
#include <algorithm>
#include <cmath>

#include "lang/awk/interpreter.h"

namespace paddock::awk {

// Not-a-number is unequal to everything, and neither less nor greater.
bool Interpreter::CompareBig(Op op, const Value& left, const Value& right) const {
  const int order = math_->Compare(left, right);
  switch (op) {
    case Op::kLess: return order < 0;
    case Op::kLessEqual: return order <= 0;
    case Op::kEqual: return order == 0;
    case Op::kNotEqual: return order != 0;
    case Op::kGreater: return order == 1;
    default: return order == 0 || order == 1;
  }
}

bool Interpreter::CalculateBig(Op op, const Value& left, const Value& right, Value& result) {
  using Operation = BigMath::Operation;
  if ((op == Op::kDivide || op == Op::kModulo) && math_->NumberOf(right).is_zero()) {
    return Fatal(op == Op::kDivide ? "division by zero attempted" : "division by zero attempted in `%'");
  }
  static_assert(static_cast<int>(Op::kPower) - static_cast<int>(Op::kAdd) == static_cast<int>(Operation::kPower));
  result = math_->Calculate(static_cast<Operation>(static_cast<int>(op) - static_cast<int>(Op::kAdd)), left, right);
  return true;
}

bool Interpreter::SetPrecision() {
  const Value& value = global(kSlotPrec);
  const TextOf text(value, convfmt_);
  if (math_->SetPrecision(text.view(), value.ToNumber())) return true;
  Warn("PREC value `" + std::string(text.view()) + "' is invalid");
  return true;
}

bool Interpreter::SetRounding() {
  const TextOf text(global(kSlotRoundmode), convfmt_);
  if (!math_->SetRounding(text.view())) Warn("ROUNDMODE value `" + std::string(text.view()) + "' is invalid");
  return true;
}

bool Interpreter::CallBigNumeric(Builtin id, size_t count) {
  if (id == Builtin::kRand) return CallNumeric(id, count);
  if (id == Builtin::kSrand) return CallNumeric(id, count);
  if (id == Builtin::kStrtonum) {
    const Value& value = stack_.At(0);
    return Return(1, value.is_text() && value.view().starts_with('0') ? math_->FromNonDecimal(value.view()) : math_->Plus(value));
  }
  const BigValue number = math_->NumberOf(stack_.At(count - 1));
  if (id == Builtin::kInt) return Return(1, math_->Make(math_->Cut(number)));
  const BigFloat x = number.ToFloat();
  if (x.is_negative && x.kind != BigFloat::Class::kZero && (id == Builtin::kLog || id == Builtin::kSqrt)) {
    Warn((id == Builtin::kLog ? "log" : "sqrt") + std::string(": received negative argument ") +
         std::string(TextOf(math_->Make(number), convfmt_).view()));
  }
  if (id == Builtin::kAtan2) return Return(2, math_->Make(math_->floats().Atan2(x, math_->NumberOf(stack_.At(0)).ToFloat())));
  // A function of a whole number has at least as many bits as that, and 64: so the root of a square is exact.
  FloatContext context = math_->context();
  if (number.is_whole) {
    const int64_t bits = number.whole.is_zero() ? 0 : x.magnitude() - static_cast<int64_t>(lsb(x.mantissa));
    context.precision = std::max({context.precision, int64_t{64}, bits});
  }
  const FloatCalculator floats(context, budget_);
  switch (id) {
    case Builtin::kCos: return Return(1, math_->Make(floats.Cos(x)));
    case Builtin::kSin: return Return(1, math_->Make(floats.Sin(x)));
    case Builtin::kExp: return Return(1, math_->Make(floats.Exp(x)));
    case Builtin::kLog: return Return(1, math_->Make(floats.Log(x)));
    default: return Return(1, math_->Make(floats.SquareRoot(x)));
  }
}

bool Interpreter::CallBigBitwise(Builtin id, size_t count) {
  const std::string name(InfoOf(id).name);
  if (count < 2 && id != Builtin::kCompl) return Fatal(name + ": called with less than two arguments");
  std::vector<BigInteger> operands;
  for (size_t i = count; i-- > 0;) {
    const BigValue number = math_->NumberOf(stack_.At(i));
    const std::string text(TextOf(math_->Make(number), convfmt_).view());
    if (number.is_negative() && !number.is_zero()) {
      if (id == Builtin::kCompl) return Fatal("compl(" + text + "): negative values are not allowed");
      return Fatal(name + ": argument #" + std::to_string(count - i) + " negative value " + text + " is not allowed");
    }
    operands.push_back(math_->Cut(number).whole);
  }
  BigInteger result = operands[0];
  if (id == Builtin::kCompl) return Return(1, math_->Make(BigInteger(-result - 1)));
  if (id == Builtin::kLshift || id == Builtin::kRshift) {
    const int64_t by = operands[1] > kMostBits * 2 ? kMostBits * 2 : static_cast<int64_t>(operands[1]);
    return Return(2, math_->Make(Shifted(result, id == Builtin::kLshift ? by : -by, budget_)));
  }
  for (size_t i = 1; i < operands.size(); ++i) {
    budget_.Step();
    if (id == Builtin::kAnd) {
      result &= operands[i];
    } else if (id == Builtin::kOr) {
      result |= operands[i];
    } else {
      result ^= operands[i];
    }
  }
  return Return(count, math_->Make(std::move(result)));
}

}  // namespace paddock::awk
