// Arithmetic and comparison of values.
#include <cmath>

#include "base/budget.h"
#include "lang/jq/native.h"
#include "lang/jq/native_tables.h"
#include "lang/jq/order.h"

namespace paddock::jq {
namespace {

Value FailOn(const Value& left, const Value& right, std::string_view what, NativeContext& context) {
  return context.Fail(Describe(left, context.budget) + " and " + Describe(right, context.budget) + " cannot be " +
                      std::string(what));
}

Value Merge(Value left, const Value& right, NativeContext& context) {
  size_t cursor = 0;
  Text* key = nullptr;
  const Value* value = nullptr;
  while (right.Next(cursor, key, value)) {
    context.budget.Step();
    left.Set(key, *value);
  }
  return left;
}

// Objects within objects are merged too.
Value DeepMerge(Value left, const Value& right, NativeContext& context) {
  context.budget.CheckStack();
  size_t cursor = 0;
  Text* key = nullptr;
  const Value* value = nullptr;
  while (right.Next(cursor, key, value)) {
    context.budget.Step();
    const Value* const own = left.Find(key);
    if (own != nullptr && own->is_object() && value->is_object()) {
      Value merged = DeepMerge(*own, *value, context);
      left.Set(key, std::move(merged));
    } else {
      left.Set(key, *value);
    }
  }
  return left;
}

Value Subtract(const Value& left, const Value& right, NativeContext& context) {
  if (left.is_number() && right.is_number()) return Value::Number(left.number() - right.number());
  if (!left.is_array() || !right.is_array()) return FailOn(left, right, "subtracted", context);
  Value rest = Value::Array();
  for (const Value& element : left) {
    bool is_gone = false;
    for (const Value& unwanted : right) {
      if ((is_gone = Equals(element, unwanted, context.budget))) break;
    }
    if (!is_gone) rest.Append(element);
  }
  return rest;
}

Value Repeat(const Value& text, double times, NativeContext& context) {
  if (std::isnan(times) || times < 1) return Value::String("");
  const double count = std::trunc(times);
  const size_t size = text.view().size();
  if (size == 0) return text;
  if (count * static_cast<double>(size) > 1e15) context.budget.Stop(LimitKind::kMemory);
  const auto whole = static_cast<size_t>(count);
  context.budget.WillAllocate(whole * size);
  context.budget.Step(static_cast<int64_t>(whole * size / 64));
  Text* const repeated = Text::Make(whole * size);
  for (size_t i = 0; i < whole; ++i) std::memcpy(repeated->data() + i * size, text.view().data(), size);
  return Value::FromText(repeated);
}

Value Multiply(const Value& left, const Value& right, NativeContext& context) {
  if (left.is_number() && right.is_number()) return Value::Number(left.number() * right.number());
  if (left.is_string() && right.is_number()) return Repeat(left, right.number(), context);
  if (left.is_number() && right.is_string()) return Repeat(right, left.number(), context);
  if (left.is_object() && right.is_object()) return DeepMerge(left, right, context);
  return FailOn(left, right, "multiplied", context);
}

Value Split(const Value& text, const Value& separator, NativeContext& context) {
  Value parts = Value::Array();
  const std::string_view all = text.view(), by = separator.view();
  if (all.empty()) return parts;
  context.budget.Step(static_cast<int64_t>(all.size() / 16));
  if (by.empty()) {
    for (size_t i = 0; i < all.size();) {
      size_t next = i + 1;
      while (next < all.size() && (all[next] & 0xc0) == 0x80) ++next;
      parts.Append(Value::String(all.substr(i, next - i)));
      i = next;
    }
    return parts;
  }
  for (size_t from = 0;;) {
    const size_t end = all.find(by, from);
    context.budget.Step();
    parts.Append(Value::String(all.substr(from, end - from)));
    if (end == std::string_view::npos) return parts;
    from = end + by.size();
  }
}

Value Divide(const Value& left, const Value& right, NativeContext& context) {
  if (left.is_number() && right.is_number()) {
    if (right.number() == 0) return FailOn(left, right, "divided because the divisor is zero", context);
    return Value::Number(left.number() / right.number());
  }
  if (left.is_string() && right.is_string()) return Split(left, right, context);
  return FailOn(left, right, "divided", context);
}

// As a C program would convert it, but without undefined cases.
int64_t ToInteger(double number) {
  if (number >= 9223372036854775807.0) return INT64_MAX;
  if (number <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(number);
}

Value Modulo(const Value& left, const Value& right, NativeContext& context) {
  if (!left.is_number() || !right.is_number()) return FailOn(left, right, "divided (remainder)", context);
  const double a = left.number(), b = right.number();
  if (std::isnan(a) || std::isnan(b)) return Value::Number(std::nan(""));
  const int64_t divisor = ToInteger(b);
  if (divisor == 0) return FailOn(left, right, "divided (remainder) because the divisor is zero", context);
  const int64_t dividend = ToInteger(a);
  // The remainder of the magnitudes, with the sign of the dividend.
  const auto magnitude = [](int64_t n) { return n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n); };
  const auto rest = static_cast<double>(magnitude(dividend) % magnitude(divisor));
  return Value::Number(dividend < 0 ? 0.0 - rest : rest);  // never -0
}

}  // namespace

int64_t ToOffset(double number) { return std::isnan(number) ? 0 : ToInteger(number); }

Value Add(Value left, const Value& right, NativeContext& context) {
  if (left.is_null()) return right;
  if (right.is_null()) return left;
  if (left.is_number() && right.is_number()) return Value::Number(left.number() + right.number());
  if (left.is_string() && right.is_string()) {
    context.budget.Step(static_cast<int64_t>((right.view().size() + (left.is_shared() ? left.view().size() : 0)) / 64));
    left.AppendText(right.view());
    return left;
  }
  if (left.is_array() && right.is_array()) {
    const Value other = right;
    context.budget.Step(static_cast<int64_t>(other.array_size() + (left.is_shared() ? left.array_size() / 4 : 0)));
    for (size_t i = 0, count = other.array_size(); i < count; ++i) left.Append(other.At(i));
    return left;
  }
  if (left.is_object() && right.is_object()) return Merge(std::move(left), right, context);
  return FailOn(left, right, "added", context);
}

Value Negate(const Value& value, NativeContext& context) {
  if (value.is_number()) return Value::Number(-value.number());
  return context.Fail(Describe(value, context.budget) + " cannot be negated");
}

Value Binary(Operator op, Value left, const Value& right, NativeContext& context) {
  switch (op) {
    case Operator::kAdd: return Add(std::move(left), right, context);
    case Operator::kSubtract: return Subtract(left, right, context);
    case Operator::kMultiply: return Multiply(left, right, context);
    case Operator::kDivide: return Divide(left, right, context);
    case Operator::kModulo: return Modulo(left, right, context);
    case Operator::kEqual: return Value::Bool(Equals(left, right, context.budget));
    case Operator::kNotEqual: return Value::Bool(!Equals(left, right, context.budget));
    case Operator::kLess: return Value::Bool(Compare(left, right, context.budget) < 0);
    case Operator::kLessEqual: return Value::Bool(Compare(left, right, context.budget) <= 0);
    case Operator::kGreater: return Value::Bool(Compare(left, right, context.budget) > 0);
    case Operator::kGreaterEqual: return Value::Bool(Compare(left, right, context.budget) >= 0);
    case Operator::kAlternative: return left.is_truthy() ? left : right;
  }
  return left;
}

}  // namespace paddock::jq
