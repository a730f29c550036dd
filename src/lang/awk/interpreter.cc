#include "lang/awk/interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "lang/awk/number.h"

namespace paddock::awk {
namespace {

bool IsScalar(const Value& value) {
  return value.kind() >= Kind::kUnassigned && value.kind() <= Kind::kRegex;
}

unsigned char FoldCase(char c) {
  return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

}  // namespace

// --- the stack

ValueStack::~ValueStack() {
  Shrink(0);
  ::operator delete(begin_);
}

void ValueStack::Grow(size_t count) {
  const size_t used = size();
  const size_t room = std::max(used + count, static_cast<size_t>(end_ - begin_) * 2);
  budget_.WillAllocate(room * sizeof(Value));
  auto* bigger = static_cast<Value*>(::operator new(room * sizeof(Value)));
  // Values know nothing of where they lie, so that bytes may move; the old place then holds nothing.
  if (used > 0) std::memcpy(static_cast<void*>(bigger), static_cast<void*>(begin_), used * sizeof(Value));
  ::operator delete(begin_);
  begin_ = bigger;
  top_ = begin_ + used;
  end_ = begin_ + room;
}

// --- comparing, calculating, joining

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
    const double x = left.ToNumber(), y = right.ToNumber();
    switch (op) {
      case Op::kLess: return x < y;
      case Op::kLessEqual: return x <= y;
      case Op::kEqual: return x == y;
      case Op::kNotEqual: return x != y;
      case Op::kGreater: return x > y;
      default: return x >= y;
    }
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

bool Interpreter::Arithmetic(Op op, double left, double right, double& result) {
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

bool Interpreter::UpdateValue(Op op, Value& target, const Value& operand, bool drop) {
  double result = 0;
  if (!Arithmetic(op, target.ToNumber(), operand.ToNumber(), result)) return false;
  target.SetNumber(result);
  stack_.Pop();
  if (!drop) stack_.PushNumber(result);
  return true;
}

void Interpreter::IncrementValue(Value& target, uint32_t flags) {
  const double before = target.ToNumber();
  const double after = (flags & kDecrement) != 0 ? before - 1 : before + 1;
  target.SetNumber(after);
  if ((flags & kDrop) == 0) stack_.PushNumber((flags & kPostfix) != 0 ? before : after);
}

// --- calls

bool Interpreter::Call(int function, size_t argument_count, int return_to) {
  const Function& callee = program_.functions[static_cast<size_t>(function)];
  budget_.Step(2);
  const size_t wanted = callee.parameters.size();
  for (; argument_count > wanted; --argument_count) stack_.Pop();
  stack_.Reserve(wanted - argument_count + stack_margin_);
  for (; argument_count < wanted; ++argument_count) stack_.Push(Value());
  frames_.push_back({return_to, stack_.size() - wanted, function, walks_.size()});
  return true;
}

bool Interpreter::CallIndirect(size_t argument_count, int return_to) {
  const TextOf name_text(stack_.At(argument_count), convfmt_);
  std::string name(name_text.view());
  if (name.starts_with("awk::")) name.erase(0, 5);
  for (size_t i = 0; i < program_.functions.size(); ++i) {
    if (program_.functions[i].name != name || program_.functions[i].entry < 0) continue;
    // The callee's frame starts above the name, which return removes.
    return Call(static_cast<int>(i), argument_count, return_to);
  }
  for (int id = 0; id <= static_cast<int>(Builtin::kDcngettext); ++id) {
    const BuiltinInfo& info = InfoOf(static_cast<Builtin>(id));
    if (info.name != name) continue;
    if (info.id == Builtin::kSub || info.id == Builtin::kGsub) return SubstituteIndirectly(info.id, argument_count);
    const auto count = static_cast<int>(argument_count);
    if (count < info.min_arguments || (info.max_arguments >= 0 && count > info.max_arguments)) {
      return Fatal("function `" + name + "' called with wrong number of arguments");
    }
    if (!PrepareArrays(info.id, argument_count)) return false;
    size_t pushed = argument_count;
    if ((info.id == Builtin::kLength && count == 0) || (info.id == Builtin::kGensub && count == 3)) {
      stack_.Push(record_.Field(0));
      ++pushed;
    }
    if (!CallBuiltin(info.id, pushed)) return false;
    Value result = stack_.Take();
    stack_.Pop();
    stack_.Push(std::move(result));
    return true;
  }
  return Fatal("`" + name + "' is not a function, so it cannot be called indirectly");
}

// Stack: name, pattern, replacement. The target is the record.
bool Interpreter::SubstituteIndirectly(Builtin id, size_t argument_count) {
  if (argument_count != 2) {
    return Fatal(std::string(InfoOf(id).name) + ": can be called indirectly only with two arguments");
  }
  stack_.At(2) = record_.Field(0);
  if (!CallBuiltin(id, 3)) return false;
  if (!std::exchange(has_aside_, false)) return true;
  return StoreField(0, std::move(aside_));
}

// Makes arrays of untyped arguments where the function `id` wants some.
bool Interpreter::PrepareArrays(Builtin id, size_t argument_count) {
  const auto prepare = [&](size_t position) {
    if (position > argument_count) return true;
    Value& argument = stack_.At(argument_count - position);
    return argument.kind() != Kind::kCell || ArrayIn(argument, [] { return std::string(); }) != nullptr;
  };
  switch (id) {
    case Builtin::kSplit:
    case Builtin::kPatsplit: return prepare(2) && prepare(4);
    case Builtin::kMatch: return prepare(3);
    case Builtin::kAsort:
    case Builtin::kAsorti: return prepare(1) && prepare(2);
    default: return true;
  }
}

bool Interpreter::CallBack(int function, size_t argument_count) {
  budget_.CheckStack();
  const int pc = pc_;
  if (!Call(function, argument_count, -1)) return false;
  const Flow flow = Execute(program_.functions[static_cast<size_t>(function)].entry);
  pc_ = pc;
  if (flow == Flow::kDone) return true;
  flow_ = flow;
  return false;
}

Flow Interpreter::RunRules(Rule::When when) {
  const int entries[] = {program_.begin, program_.end, program_.begin_file, program_.end_file,
                         program_.record};
  const int entry = entries[static_cast<int>(when)];
  if (entry < 0) return Flow::kDone;
  const size_t values = stack_.size(), frames = frames_.size(), walks = walks_.size();
  const int pc = pc_;
  const Rule::When outer = std::exchange(when_, when);
  const Flow flow = Execute(entry);
  last_pc_ = std::exchange(pc_, pc);
  when_ = outer;
  stack_.Shrink(values);
  frames_.resize(frames);
  walks_.resize(walks);
  return flow;
}

bool Interpreter::CheckNext(bool is_file) {
  if (when_ == Rule::When::kRecord || (is_file && when_ == Rule::When::kBeginFile)) return true;
  static constexpr const char* kNames[] = {"BEGIN", "END", "BEGINFILE", "ENDFILE"};
  return Fatal(std::string("`") + (is_file ? "nextfile" : "next") + "' cannot be called from a `" +
               kNames[static_cast<int>(when_)] + "' rule");
}

// --- the instruction loop

// Ends the loop when what was tried has failed: flow_ then says how.
#define AWK_TRY(expression) \
  if (!(expression)) [[unlikely]] return flow_

Flow Interpreter::Execute(int entry) {
  const Instruction* const code = program_.code.data();
  stack_.Reserve(stack_margin_);
  int pc = entry;
  const auto locals = [this] { return frames_.empty() ? nullptr : stack_.data() + frames_.back().base; };
  Value* local = locals();
  for (;;) {
    const Instruction& instruction = code[pc];
    pc_ = pc++;
    const int b = instruction.b;
    switch (instruction.op) {
      case Op::kPushConstant: stack_.Push(program_.constants[static_cast<size_t>(b)]); break;
      case Op::kPushGlobal: {
        Value& variable = global(b);
        if (IsScalar(variable)) [[likely]] {
          stack_.Push(variable);
        } else {
          AWK_TRY(PushScalar(variable, [&] { return program_.globals[static_cast<size_t>(b)]; }));
        }
        break;
      }
      case Op::kPushLocal:
        if (IsScalar(local[b])) [[likely]] {
          stack_.Push(local[b]);
        } else {
          AWK_TRY(PushScalar(local[b], [&] { return LocalName(b); }));
        }
        break;
      case Op::kPushCounter: PushCounter(b); break;
      case Op::kPushGlobalRef: PushRef(global(b)); break;
      case Op::kPushLocalRef: PushRef(local[b]); break;
      case Op::kPushElementRef: {
        Value* const element = stack_.At(1).array()->FindOrInsert(Key(stack_.At(0)), budget_);
        const Value holder = stack_.At(1);
        stack_.Pop(2);
        PushRef(*element);
        break;
      }
      case Op::kPop: stack_.Pop(); break;

      case Op::kPushFieldAt: stack_.Push(record_.Field(static_cast<size_t>(b))); break;
      case Op::kPushFieldNumber:
        if (options_.reads_non_decimal) [[unlikely]] {
          const Value field = record_.Field(static_cast<size_t>(b));
          stack_.PushNumber(field.is_text() ? ParseNonDecimal(field.view()) : field.ToNumber());
        } else {
          stack_.PushNumber(record_.FieldNumber(static_cast<size_t>(b)));
        }
        break;
      case Op::kPushField: {
        size_t index = 0;
        AWK_TRY(FieldIndex(stack_.At(0), index));
        stack_.At(0) = record_.Field(index);
        break;
      }
      case Op::kKeepField: {
        size_t index = 0;
        AWK_TRY(FieldIndex(stack_.At(0), index));
        stack_.Push(record_.Field(index));
        break;
      }

      case Op::kPushArray: {
        Value& variable = global(b);
        Array* array = variable.array();
        if (variable.kind() != Kind::kArray) [[unlikely]] {
          array = ArrayIn(variable, [&] { return program_.globals[static_cast<size_t>(b)]; });
          AWK_TRY(array != nullptr);
        }
        if (symtab_ != nullptr && array == symtab_) RefreshSymtab();
        ++array->refs;
        stack_.Push(Value::FromArray(array));
        break;
      }
      case Op::kPushLocalArray: {
        Array* array = local[b].array();
        if (local[b].kind() != Kind::kArray) [[unlikely]] {
          array = ArrayIn(local[b], [&] { return LocalName(b); });
          AWK_TRY(array != nullptr);
        }
        ++array->refs;
        stack_.Push(Value::FromArray(array));
        break;
      }
      case Op::kPushSubarray: {
        if (guards_tables_) AWK_TRY(CheckSymbol(*stack_.At(1).array(), stack_.At(0)));
        Value& element = *stack_.At(1).array()->FindOrInsert(Key(stack_.At(0)), budget_);
        Array* const array = ArrayIn(element, [&] {
          return ElementName(stack_.At(0));
        });
        AWK_TRY(array != nullptr);
        ++array->refs;
        Return(2, Value::FromArray(array));
        break;
      }
      case Op::kPushElement:
      case Op::kKeepElement: {
        if (guards_tables_) AWK_TRY(CheckSymbol(*stack_.At(1).array(), stack_.At(0)));
        Value& element = *stack_.At(1).array()->FindOrInsert(Key(stack_.At(0)), budget_);
        if (element.array() != nullptr) {
          AWK_TRY(Fatal("attempt to use array `" + ElementName(stack_.At(0)) +
                        "' in a scalar context"));
        }
        Value copy = element.kind() == Kind::kCell ? Value::Unassigned() : element;
        if (instruction.op == Op::kPushElement) stack_.Pop(2);
        stack_.Push(std::move(copy));
        break;
      }
      case Op::kJoin: JoinSubscripts(static_cast<size_t>(b)); break;

      case Op::kStoreGlobal:
      case Op::kStoreLocal: {
        const bool is_local = instruction.op == Op::kStoreLocal;
        Value& variable = is_local ? local[b] : global(b);
        if (!IsScalar(variable)) {
          AWK_TRY(CheckAssignable(variable, [&] {
            return is_local ? LocalName(b) : program_.globals[static_cast<size_t>(b)];
          }));
        }
        Value& top = stack_.At(0);
        if (top.kind() == Kind::kUntyped) top.SetKind(Kind::kUnassigned);
        if (instruction.a == 0) {
          variable = top;
        } else {
          variable = std::move(top);
          stack_.Pop();
        }
        break;
      }
      case Op::kStoreHooked:
        AWK_TRY(StoreHooked(b, stack_.At(0)));
        if (instruction.a != 0) stack_.Pop();
        break;
      case Op::kStoreField: {
        size_t index = 0;
        AWK_TRY(FieldIndex(stack_.At(0), index));
        stack_.Pop();
        AWK_TRY(StoreField(index, stack_.At(0)));
        if (instruction.a != 0) stack_.Pop();
        break;
      }
      case Op::kStoreElement: {
        Value& element = *stack_.At(1).array()->FindOrInsert(Key(stack_.At(0)), budget_);
        if (!IsScalar(element)) {
          AWK_TRY(CheckAssignable(element, [&] { return ElementName(stack_.At(0)); }));
        }
        if (stack_.At(2).kind() == Kind::kUntyped) stack_.At(2).SetKind(Kind::kUnassigned);
        element = stack_.At(2);
        if (guards_tables_) AWK_TRY(StoreSymbol(*stack_.At(1).array(), stack_.At(0)));
        stack_.Pop(2 + (instruction.a != 0 ? 1 : 0));
        break;
      }

      case Op::kUpdateGlobal:
      case Op::kUpdateLocal: {
        const bool is_local = instruction.op == Op::kUpdateLocal;
        Value& variable = is_local ? local[b] : global(b);
        if (!IsScalar(variable)) {
          AWK_TRY(CheckAssignable(variable, [&] {
            return is_local ? LocalName(b) : program_.globals[static_cast<size_t>(b)];
          }));
        }
        AWK_TRY(UpdateValue(static_cast<Op>(instruction.a & 0xff), variable, stack_.At(0),
                            (instruction.a & 0x100) != 0));
        break;
      }
      case Op::kUpdateHooked: {
        PushCounter(b);
        double result = 0;
        AWK_TRY(Arithmetic(static_cast<Op>(instruction.a & 0xff), stack_.At(0).ToNumber(),
                           stack_.At(1).ToNumber(), result));
        Return(2, Value::Number(result));
        AWK_TRY(StoreHooked(b, stack_.At(0)));
        if ((instruction.a & 0x100) != 0) stack_.Pop();
        break;
      }
      case Op::kUpdateField: {
        size_t index = 0;
        AWK_TRY(FieldIndex(stack_.At(0), index));
        double result = 0;
        AWK_TRY(Arithmetic(static_cast<Op>(instruction.a & 0xff), record_.FieldNumber(index),
                           stack_.At(1).ToNumber(), result));
        Return(2, Value::Number(result));
        AWK_TRY(StoreField(index, stack_.At(0)));
        if ((instruction.a & 0x100) != 0) stack_.Pop();
        break;
      }
      case Op::kUpdateElement: {
        Value& element = *stack_.At(1).array()->FindOrInsert(Key(stack_.At(0)), budget_);
        if (!IsScalar(element)) {
          AWK_TRY(CheckAssignable(element, [&] { return ElementName(stack_.At(0)); }));
        }
        double result = 0;
        AWK_TRY(Arithmetic(static_cast<Op>(instruction.a & 0xff), element.ToNumber(),
                           stack_.At(2).ToNumber(), result));
        element.SetNumber(result);
        if (guards_tables_) AWK_TRY(StoreSymbol(*stack_.At(1).array(), stack_.At(0)));
        stack_.Pop(3);
        if ((instruction.a & 0x100) == 0) stack_.PushNumber(result);
        break;
      }
      case Op::kIncrementGlobal:
      case Op::kIncrementLocal: {
        const bool is_local = instruction.op == Op::kIncrementLocal;
        Value& variable = is_local ? local[b] : global(b);
        if (!IsScalar(variable)) {
          AWK_TRY(CheckAssignable(variable, [&] {
            return is_local ? LocalName(b) : program_.globals[static_cast<size_t>(b)];
          }));
        }
        IncrementValue(variable, instruction.a);
        break;
      }
      case Op::kIncrementHooked: {
        PushCounter(b);
        Value value = stack_.Take();
        IncrementValue(value, instruction.a);
        AWK_TRY(StoreHooked(b, value));
        break;
      }
      case Op::kIncrementField: {
        size_t index = 0;
        AWK_TRY(FieldIndex(stack_.At(0), index));
        stack_.Pop();
        Value value = Value::Number(record_.FieldNumber(index));
        IncrementValue(value, instruction.a);
        AWK_TRY(StoreField(index, std::move(value)));
        break;
      }
      case Op::kIncrementElement:
      case Op::kIncrementElementByField: {
        const bool by_field = instruction.op == Op::kIncrementElementByField;
        if (by_field) {
          // The usual `count[$1]++` needs no value for a key that is there already.
          const auto index = static_cast<size_t>(b);
          const ArrayKey key(record_.FieldText(index, convfmt_));
          if (Value* const known = stack_.At(0).array()->Find(key);
              known != nullptr && known->is_number()) [[likely]] {
            const Value holder = stack_.Take();
            IncrementValue(*known, instruction.a);
            break;
          }
          stack_.Push(record_.Field(index));
        }
        Value& element = *stack_.At(1).array()->FindOrInsert(Key(stack_.At(0)), budget_);
        if (!IsScalar(element)) {
          AWK_TRY(CheckAssignable(element, [&] { return ElementName(stack_.At(0)); }));
        }
        const Value holder = stack_.At(1);
        const Value key = stack_.Take();
        stack_.Pop();
        IncrementValue(element, instruction.a);
        if (guards_tables_) AWK_TRY(StoreSymbol(*holder.array(), key));
        break;
      }

      case Op::kStoreAsideGlobal:
      case Op::kStoreAsideLocal: {
        if (!has_aside_) break;
        has_aside_ = false;
        const bool is_local = instruction.op == Op::kStoreAsideLocal;
        Value& variable = is_local ? local[b] : global(b);
        if (!IsScalar(variable)) {
          AWK_TRY(CheckAssignable(variable, [&] {
            return is_local ? LocalName(b) : program_.globals[static_cast<size_t>(b)];
          }));
        }
        variable = std::move(aside_);
        break;
      }
      case Op::kStoreAsideHooked:
        if (!has_aside_) break;
        has_aside_ = false;
        AWK_TRY(StoreHooked(b, aside_));
        break;
      case Op::kStoreAsideField: {
        Value status = stack_.Take();
        size_t index = 0;
        AWK_TRY(FieldIndex(stack_.At(0), index));
        stack_.At(0) = std::move(status);
        if (!has_aside_) break;
        has_aside_ = false;
        AWK_TRY(StoreField(index, std::move(aside_)));
        break;
      }
      case Op::kStoreAsideElement: {
        if (has_aside_) {
          has_aside_ = false;
          Value& element = *stack_.At(2).array()->FindOrInsert(Key(stack_.At(1)), budget_);
          if (!IsScalar(element)) {
            AWK_TRY(CheckAssignable(element, [&] { return ElementName(stack_.At(1)); }));
          }
          element = std::move(aside_);
          if (guards_tables_) AWK_TRY(StoreSymbol(*stack_.At(2).array(), stack_.At(1)));
        }
        Value status = stack_.Take();
        Return(2, std::move(status));
        break;
      }

      case Op::kDeleteElement: {
        const Value holder = stack_.At(1);
        holder.array()->Remove(Key(stack_.At(0)));
        stack_.Pop(2);
        break;
      }
      case Op::kDeleteAll: {
        const Value holder = stack_.Take();
        budget_.Step(static_cast<int64_t>(holder.array()->size() / 8));
        holder.array()->Clear();
        break;
      }
      case Op::kIn: {
        const bool is_there = stack_.At(0).array()->Find(Key(stack_.At(1))) != nullptr;
        ReturnNumber(2, is_there ? 1 : 0);
        break;
      }

      case Op::kAdd: {
        const double right = stack_.At(0).ToNumber();
        stack_.Pop();
        stack_.At(0).SetNumber(stack_.At(0).ToNumber() + right);
        break;
      }
      case Op::kSubtract: {
        const double right = stack_.At(0).ToNumber();
        stack_.Pop();
        stack_.At(0).SetNumber(stack_.At(0).ToNumber() - right);
        break;
      }
      case Op::kMultiply: {
        const double right = stack_.At(0).ToNumber();
        stack_.Pop();
        stack_.At(0).SetNumber(stack_.At(0).ToNumber() * right);
        break;
      }
      case Op::kDivide:
      case Op::kModulo:
      case Op::kPower: {
        const double right = stack_.At(0).ToNumber();
        stack_.Pop();
        double result = 0;
        AWK_TRY(Arithmetic(instruction.op, stack_.At(0).ToNumber(), right, result));
        stack_.At(0).SetNumber(result);
        break;
      }
      case Op::kNegate: stack_.At(0).SetNumber(-stack_.At(0).ToNumber()); break;
      case Op::kPlus: stack_.At(0).SetNumber(stack_.At(0).ToNumber()); break;
      case Op::kNot: stack_.At(0).SetNumber(stack_.At(0).ToBool() ? 0 : 1); break;
      case Op::kToBool: stack_.At(0).SetNumber(stack_.At(0).ToBool() ? 1 : 0); break;
      case Op::kConcat: {
        const Instruction& next = code[pc];
        const bool is_stored = next.a != 0 && (next.op == Op::kStoreGlobal || next.op == Op::kStoreLocal);
        Value* const to = !is_stored ? nullptr : next.op == Op::kStoreLocal ? &local[next.b] : &global(next.b);
        if (to == nullptr || !AppendInPlace(*to, static_cast<size_t>(b))) {
          Concat(static_cast<size_t>(b));
          break;
        }
        ++pc;
        break;
      }
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kGreater:
      case Op::kGreaterEqual: {
        const bool is_true = Compare(instruction.op, stack_.At(1), stack_.At(0));
        stack_.Pop();
        stack_.At(0).SetNumber(is_true ? 1 : 0);
        break;
      }
      case Op::kMatch: {
        bool matches = false;
        {
          const TextOf text(stack_.At(1), convfmt_);
          AWK_TRY(MatchText(text.view(), stack_.At(0), matches));
        }
        stack_.Pop();
        stack_.At(0).SetNumber(matches != (instruction.a != 0) ? 1 : 0);
        break;
      }
      case Op::kMatchRegex: {
        bool matches = false;
        {
          const TextOf text(stack_.At(0), convfmt_);
          AWK_TRY(MatchText(text.view(), program_.constants[static_cast<size_t>(b)], matches));
        }
        stack_.At(0).SetNumber(matches != (instruction.a != 0) ? 1 : 0);
        break;
      }
      case Op::kMatchRecord: {
        bool matches = false;
        AWK_TRY(MatchText(record_.text(), program_.constants[static_cast<size_t>(b)], matches));
        stack_.PushNumber(matches ? 1 : 0);
        break;
      }

      case Op::kJump:
        if (b < pc) budget_.Step(1 + (pc - b) / 4);
        pc = b;
        break;
      case Op::kJumpIfFalse: {
        const bool is_true = stack_.At(0).ToBool();
        stack_.Pop();
        if (!is_true) pc = b;
        break;
      }
      case Op::kJumpIfTrue: {
        const bool is_true = stack_.At(0).ToBool();
        stack_.Pop();
        if (is_true) {
          if (b < pc) budget_.Step(1 + (pc - b) / 4);
          pc = b;
        }
        break;
      }
      case Op::kAndJump:
      case Op::kOrJump: {
        const bool ends_with = instruction.op == Op::kOrJump;
        if (stack_.At(0).ToBool() == ends_with) {
          stack_.At(0).SetNumber(ends_with ? 1 : 0);
          pc = b;
        } else {
          stack_.Pop();
        }
        break;
      }
      case Op::kCaseJump: {
        bool matches = false;
        AWK_TRY(CaseMatches(stack_.At(1), stack_.At(0), matches));
        stack_.Pop();
        if (matches) {
          stack_.Pop();
          pc = b;
        }
        break;
      }
      case Op::kForIn: {
        const Value holder = stack_.Take();
        walks_.emplace_back();
        AWK_TRY(KeysInOrder(*holder.array(), walks_.back().keys));
        break;
      }
      case Op::kForInNext: {
        Walk& walk = walks_.back();
        if (walk.next == walk.keys.size()) {
          walks_.pop_back();
          pc = b;
          break;
        }
        stack_.Push(KeyToText(walk.keys[walk.next++]));
        break;
      }
      case Op::kEndForIn: walks_.pop_back(); break;

      case Op::kCall:
        if (program_.functions[static_cast<size_t>(b)].entry < 0) {
          AWK_TRY(Fatal("function `" + program_.functions[static_cast<size_t>(b)].name + "' not defined"));
        }
        if (instruction.a > program_.functions[static_cast<size_t>(b)].parameters.size()) [[unlikely]] {
          Warn("function `" + program_.functions[static_cast<size_t>(b)].name +
               "' called with more arguments than declared");
        }
        Call(b, instruction.a, pc);
        pc = program_.functions[static_cast<size_t>(b)].entry;
        local = locals();
        break;
      case Op::kCallIndirect: {
        const size_t depth = frames_.size();
        AWK_TRY(CallIndirect(instruction.a, pc));
        if (frames_.size() > depth) {
          pc = program_.functions[static_cast<size_t>(frames_.back().function)].entry;
        }
        local = locals();
        break;
      }
      case Op::kReturn: {
        Value result = stack_.Take();
        const Frame frame = frames_.back();
        frames_.pop_back();
        stack_.Shrink(frame.base);
        walks_.resize(frame.walks);
        if (frame.return_to >= 0 &&
            code[frame.return_to - 1].op == Op::kCallIndirect) {
          stack_.Pop();  // the name
        }
        if (result.kind() == Kind::kUntyped) result.SetKind(Kind::kUnassigned);
        stack_.Push(std::move(result));
        if (frame.return_to < 0) return Flow::kDone;
        pc = frame.return_to;
        local = locals();
        break;
      }
      case Op::kBuiltin:
        AWK_TRY(CallBuiltin(static_cast<Builtin>(b), instruction.a));
        local = locals();
        break;

      case Op::kPrint: AWK_TRY(Print(static_cast<Redirect>(b), instruction.a)); break;
      case Op::kPrintf: AWK_TRY(Printf(static_cast<Redirect>(b), instruction.a)); break;
      case Op::kPrintRecord: {
        Output& output = streams_.standard_output();
        output.Write(record_.text());
        output.Write(ors_);
        if (!output.status()) AWK_TRY(CheckWritten(output, "standard output", "print"));
        break;
      }
      case Op::kEmitField:
        streams_.standard_output().Write(record_.FieldText(static_cast<size_t>(b), ofmt_));
        break;
      case Op::kEmitConstant:
        streams_.standard_output().Write(program_.constants[static_cast<size_t>(b)].view());
        break;
      case Op::kEmitCounter: {
        PushCounter(b);
        const TextOf text(stack_.At(0), ofmt_);
        streams_.standard_output().Write(text.view());
        stack_.Pop();
        break;
      }
      case Op::kEmitSeparator: streams_.standard_output().Write(ofs_); break;
      case Op::kEmitEnd: {
        Output& output = streams_.standard_output();
        output.Write(ors_);
        if (!output.status()) AWK_TRY(CheckWritten(output, "standard output", "print"));
        break;
      }
      case Op::kGetline:
        AWK_TRY(Getline(static_cast<Redirect>(b), instruction.a != 0));
        local = locals();
        break;

      case Op::kNext: AWK_TRY(CheckNext(false)); return Flow::kNext;
      case Op::kNextFile: AWK_TRY(CheckNext(true)); return Flow::kNextFile;
      case Op::kExit:
        if (instruction.a != 0) {
          exit_status_ = static_cast<int>(
              static_cast<int64_t>(std::fmod(stack_.At(0).ToNumber(), 4294967296.0)) & 0xff);
        }
        return Flow::kExit;
      case Op::kRangeEnter:
        if (range_active_[instruction.a]) pc = b;
        break;
      case Op::kRangeSet:
        range_active_[instruction.a] = !stack_.At(0).ToBool();
        stack_.Pop();
        break;
      case Op::kWork: budget_.Step(b); break;
      case Op::kLint: AWK_TRY(CheckLint(static_cast<LintCheck>(instruction.a), b)); break;
      case Op::kCount: ++counts_[static_cast<size_t>(b)]; break;
      case Op::kEnd: return Flow::kDone;
    }
  }
}

#undef AWK_TRY

}  // namespace paddock::awk
