// Operations on numbers, in line for the loop and its instructions.
#pragma once

#include <cmath>

#include "lang/awk/interpreter.h"
#include "lang/awk/number.h"

namespace paddock::awk {

// `op` is one from kLess to kGreaterEqual.
inline bool CompareNumbers(Op op, double left, double right) {
  switch (op) {
    case Op::kLess: return left < right;
    case Op::kLessEqual: return left <= right;
    case Op::kEqual: return left == right;
    case Op::kNotEqual: return left != right;
    case Op::kGreater: return left > right;
    default: return left >= right;
  }
}

inline bool Interpreter::Arithmetic(Op op, double left, double right, double& result) {
  switch (op) {
    case Op::kAdd: result = left + right; return true;
    case Op::kSubtract: result = left - right; return true;
    case Op::kMultiply: result = left * right; return true;
    case Op::kDivide:
      if (right == 0) return Fatal("division by zero attempted");
      result = left / right;
      return true;
    case Op::kModulo:
      if (right == 0) return Fatal("division by zero attempted in `%'");
      result = std::fmod(left, right);
      return true;
    default:
      result = Power(left, right);
      return true;
  }
}

inline void Interpreter::IncrementValue(Value& target, uint32_t flags) {
  if (math_ != nullptr) [[unlikely]] {
    Value before = math_->Plus(target);
    const bool is_down = (flags & kDecrement) != 0;
    target = math_->Calculate(is_down ? BigMath::Operation::kSubtract : BigMath::Operation::kAdd, before, Value::Number(1));
    if ((flags & kDrop) == 0) stack_.Push((flags & kPostfix) != 0 ? std::move(before) : target);
    return;
  }
  const double before = target.ToNumber();
  const double after = (flags & kDecrement) != 0 ? before - 1 : before + 1;
  target.SetNumber(after);
  if ((flags & kDrop) == 0) stack_.PushNumber((flags & kPostfix) != 0 ? before : after);
}

}  // namespace paddock::awk
