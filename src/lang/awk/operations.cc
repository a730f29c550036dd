// What the machine does with values: comparing, calculating, joining, matching.
#include <algorithm>
#include <cstring>

#include "lang/awk/arithmetic.h"

namespace paddock::awk {
namespace {

unsigned char FoldCase(char c) {
  return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

}  // namespace

int Interpreter::CompareText(std::string_view left, std::string_view right) const {
  const size_t common = std::min(left.size(), right.size());
  if (patterns_.ignore_case()) {
    for (size_t i = 0; i < common; ++i) {
      const int difference = FoldCase(left[i]) - FoldCase(right[i]);
      if (difference != 0) return difference;
    }
  } else if (common > 0) {
    if (const int difference = std::memcmp(left.data(), right.data(), common); difference != 0) {
      return difference;
    }
  }
  return left.size() < right.size() ? -1 : left.size() > right.size() ? 1 : 0;
}

bool Interpreter::Compare(Op op, const Value& left, const Value& right) {
  if (left.IsNumeric() && right.IsNumeric()) {
    if (math_ != nullptr) [[unlikely]] return CompareBig(op, left, right);
    return CompareNumbers(op, left.ToNumber(), right.ToNumber());
  }
  const TextOf x(left, convfmt_), y(right, convfmt_);
  budget_.Step(static_cast<int64_t>(std::min(x.view().size(), y.view().size()) / 64));
  if (op == Op::kEqual || op == Op::kNotEqual) {
    const bool is_equal = x.view().size() == y.view().size() && CompareText(x.view(), y.view()) == 0;
    return is_equal == (op == Op::kEqual);
  }
  const int order = CompareText(x.view(), y.view());
  switch (op) {
    case Op::kLess: return order < 0;
    case Op::kLessEqual: return order <= 0;
    case Op::kGreater: return order > 0;
    default: return order >= 0;
  }
}

bool Interpreter::Calculate(Op op, const Value& left, const Value& right, Value& result) {
  if (math_ != nullptr) [[unlikely]] return CalculateBig(op, left, right, result);
  double number = 0;
  if (!Arithmetic(op, left.ToNumber(), right.ToNumber(), number)) return false;
  result.SetNumber(number);
  return true;
}

void Interpreter::Concat(size_t count) {
  if (count == 2) {
    const TextOf left(stack_.At(1), convfmt_), right(stack_.At(0), convfmt_);
    const size_t left_size = left.view().size(), right_size = right.view().size();
    if (left_size + right_size > Text::kMaxSize) budget_.Stop(LimitKind::kMemory);
    budget_.Step(static_cast<int64_t>((left_size + right_size) / 64));
    Text* const text = Text::Make(left_size + right_size);
    if (left_size > 0) std::memcpy(text->data(), left.view().data(), left_size);
    if (right_size > 0) std::memcpy(text->data() + left_size, right.view().data(), right_size);
    Return(2, Value::FromText(text));
    return;
  }
  scratch_.clear();
  for (size_t i = count; i-- > 0;) {
    const TextOf part(stack_.At(i), convfmt_);
    scratch_.append(part.view());
  }
  if (scratch_.size() > Text::kMaxSize) budget_.Stop(LimitKind::kMemory);
  budget_.Step(static_cast<int64_t>(count + scratch_.size() / 64));
  Return(count, Value::String(scratch_));
}

bool Interpreter::AppendInPlace(Value& to, size_t count) {
  Value& first = stack_.At(count - 1);
  const bool is_same = to.kind() == Kind::kString && first.kind() == Kind::kString &&
                       to.text() == first.text() && to.text()->refs == 2;
  if (!is_same) return false;
  if (count > 2) Concat(count - 1);
  stack_.At(1) = Value();  // now only the variable holds the text
  Append(to, stack_.At(0));
  stack_.Pop(2);
  return true;
}

void Interpreter::Append(Value& to, const Value& what) {
  const TextOf tail(what, convfmt_);
  const size_t tail_size = tail.view().size();
  if (to.is_text() && to.text()->refs == 1) {
    Text* const text = to.text();
    if (text->capacity - text->size >= tail_size) {
      if (tail_size > 0) std::memcpy(text->data() + text->size, tail.view().data(), tail_size);
      text->size += static_cast<uint32_t>(tail_size);
      text->look = Text::Look::kUnknown;
      to.SetKind(Kind::kString);
      return;
    }
  }
  const TextOf head(to, convfmt_);
  const size_t size = head.view().size() + tail_size;
  if (size > Text::kMaxSize) budget_.Stop(LimitKind::kMemory);
  budget_.Step(static_cast<int64_t>(size / 64));
  Text* const text = Text::Make(size, std::min(size + size / 2 + 16, Text::kMaxSize));
  if (!head.view().empty()) std::memcpy(text->data(), head.view().data(), head.view().size());
  if (tail_size > 0) std::memcpy(text->data() + size - tail_size, tail.view().data(), tail_size);
  to = Value::FromText(text);
}

void Interpreter::JoinSubscripts(size_t count) {
  scratch_.clear();
  for (size_t i = count; i-- > 0;) {
    const TextOf part(stack_.At(i), convfmt_);
    scratch_.append(part.view());
    if (i > 0) scratch_.append(subsep_);
  }
  budget_.Step(static_cast<int64_t>(count + scratch_.size() / 64));
  Return(count, Value::String(scratch_));
}

bool Interpreter::MatchText(std::string_view text, const Value& pattern, bool& matches) {
  auto compiled = patterns_.Find(pattern, convfmt_);
  if (!compiled) return BadPattern(compiled.error(), TextOf(pattern, convfmt_).view());
  auto found = (*compiled)->Search(text, 0, nullptr, budget_);
  if (!found) return FatalError(found.error());
  matches = *found;
  return true;
}

bool Interpreter::CaseMatches(const Value& value, const Value& label, bool& matches) {
  if (label.kind() == Kind::kRegex) {
    const TextOf text(value, convfmt_);
    return MatchText(text.view(), label, matches);
  }
  matches = Compare(Op::kEqual, value, label);
  return true;
}

}  // namespace paddock::awk
