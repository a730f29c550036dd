// The instructions that are more than a line of the loop: those that read and change variables, fields and elements.
#include <cmath>
#include <utility>

#include "lang/awk/arithmetic.h"

namespace paddock::awk {

std::string Interpreter::VariableName(int slot, Scope scope) const {
  return scope == Scope::kLocal ? LocalName(slot) : program_.globals[static_cast<size_t>(slot)];
}

bool Interpreter::CheckVariable(Value& variable, int slot, Scope scope) {
  return CheckAssignable(variable, [&] { return VariableName(slot, scope); });
}

// --- arrays

bool Interpreter::PushArray(Value& variable, int slot, Scope scope) {
  Array* array = variable.array();
  if (variable.kind() != Kind::kArray) [[unlikely]] {
    array = ArrayIn(variable, [&] { return VariableName(slot, scope); });
    if (array == nullptr) return false;
  }
  if (scope == Scope::kGlobal && symtab_ != nullptr && array == symtab_) RefreshSymtab();
  ++array->refs;
  stack_.Push(Value::FromArray(array));
  return true;
}

bool Interpreter::PushSubarray() {
  if (guards_tables_ && !CheckSymbol(*stack_.At(1).array(), stack_.At(0))) return false;
  Value& element = ElementAt(0);
  Array* const array = ArrayIn(element, [&] { return ElementName(stack_.At(0)); });
  if (array == nullptr) return false;
  ++array->refs;
  return Return(2, Value::FromArray(array));
}

bool Interpreter::PushElement(bool keeps) {
  if (guards_tables_ && !CheckSymbol(*stack_.At(1).array(), stack_.At(0))) return false;
  Value& element = ElementAt(0);
  if (element.array() != nullptr) {
    return Fatal("attempt to use array `" + ElementName(stack_.At(0)) + "' in a scalar context");
  }
  Value copy = element.kind() == Kind::kCell ? Value::Unassigned() : element;
  if (!keeps) stack_.Pop(2);
  stack_.Push(std::move(copy));
  return true;
}

void Interpreter::PushElementRef() {
  Value* const element = &ElementAt(0);
  const Value holder = stack_.At(1);
  stack_.Pop(2);
  PushRef(*element);
}

// The element by the array and the key that lie `depth` below the top, to be stored into; null after a fatal error.
Value* Interpreter::AssignableElement(size_t depth) {
  Value& element = ElementAt(depth);
  if (!element.is_scalar() && !CheckAssignable(element, [&] { return ElementName(stack_.At(depth)); })) return nullptr;
  return &element;
}

bool Interpreter::StoreElement(bool drops) {
  Value* const element = AssignableElement(0);
  if (element == nullptr) return false;
  if (stack_.At(2).kind() == Kind::kUntyped) stack_.At(2).SetKind(Kind::kUnassigned);
  *element = stack_.At(2);
  if (guards_tables_ && !StoreSymbol(*stack_.At(1).array(), stack_.At(0))) return false;
  stack_.Pop(drops ? 3 : 2);
  return true;
}

bool Interpreter::UpdateElement(uint32_t a) {
  Value* const element = AssignableElement(0);
  if (element == nullptr) return false;
  Value result;
  if (!Calculate(UpdateOperation(a), *element, stack_.At(2), result)) return false;
  *element = result;
  if (guards_tables_ && !StoreSymbol(*stack_.At(1).array(), stack_.At(0))) return false;
  stack_.Pop(3);
  if ((a & kDropsUpdated) == 0) stack_.Push(std::move(result));
  return true;
}

bool Interpreter::IncrementElement(uint32_t flags) {
  Value* const element = AssignableElement(0);
  if (element == nullptr) return false;
  const Value holder = stack_.At(1);
  const Value key = stack_.Take();
  stack_.Pop();
  IncrementValue(*element, flags);
  return !guards_tables_ || StoreSymbol(*holder.array(), key);
}

bool Interpreter::IncrementElementByField(size_t field, uint32_t flags) {
  // The usual `count[$1]++` needs no value for a key that is there already.
  const ArrayKey key(record_.FieldText(field, convfmt_));
  Value* const known = stack_.At(0).array()->Find(key);
  if (known != nullptr && known->is_number()) [[likely]] {
    const Value holder = stack_.Take();
    IncrementValue(*known, flags);
    return true;
  }
  stack_.Push(record_.Field(field));
  return IncrementElement(flags);
}

void Interpreter::DeleteElement() {
  const Value holder = stack_.At(1);
  holder.array()->Remove(Key(stack_.At(0)));
  stack_.Pop(2);
}

void Interpreter::DeleteAll() {
  const Value holder = stack_.Take();
  budget_.Step(static_cast<int64_t>(holder.array()->size() / 8));
  holder.array()->Clear();
}

// --- fields

bool Interpreter::PushField(bool keeps) {
  size_t index = 0;
  if (!FieldIndex(stack_.At(0), index)) return false;
  if (keeps) stack_.Push(record_.Field(index));
  else stack_.At(0) = record_.Field(index);
  return true;
}

bool Interpreter::StoreFieldAt(bool drops) {
  size_t index = 0;
  if (!FieldIndex(stack_.At(0), index)) return false;
  stack_.Pop();
  if (!StoreField(index, stack_.At(0))) return false;
  if (drops) stack_.Pop();
  return true;
}

bool Interpreter::UpdateField(uint32_t a) {
  size_t index = 0;
  if (!FieldIndex(stack_.At(0), index)) return false;
  Value result;
  if (!Calculate(UpdateOperation(a), record_.Field(index), stack_.At(1), result)) return false;
  Return(2, std::move(result));
  if (!StoreField(index, stack_.At(0))) return false;
  if ((a & kDropsUpdated) != 0) stack_.Pop();
  return true;
}

bool Interpreter::IncrementField(uint32_t flags) {
  size_t index = 0;
  if (!FieldIndex(stack_.At(0), index)) return false;
  stack_.Pop();
  Value value = math_ != nullptr ? record_.Field(index) : Value::Number(record_.FieldNumber(index));
  IncrementValue(value, flags);
  return StoreField(index, std::move(value));
}

// --- special variables

bool Interpreter::UpdateHooked(int slot, uint32_t a) {
  PushCounter(slot);
  Value result;
  if (!Calculate(UpdateOperation(a), stack_.At(0), stack_.At(1), result)) return false;
  Return(2, std::move(result));
  if (!StoreHooked(slot, stack_.At(0))) return false;
  if ((a & kDropsUpdated) != 0) stack_.Pop();
  return true;
}

bool Interpreter::IncrementHooked(int slot, uint32_t flags) {
  PushCounter(slot);
  Value value = stack_.Take();
  IncrementValue(value, flags);
  return StoreHooked(slot, value);
}

// --- what getline, sub and gsub leave aside

bool Interpreter::StoreAsideIn(Value& variable, int slot, Scope scope) {
  if (!std::exchange(has_aside_, false)) return true;
  if (!variable.is_scalar() && !CheckVariable(variable, slot, scope)) return false;
  variable = std::move(aside_);
  return true;
}

bool Interpreter::StoreAsideField() {
  Value status = stack_.Take();
  size_t index = 0;
  if (!FieldIndex(stack_.At(0), index)) return false;
  stack_.At(0) = std::move(status);
  if (!std::exchange(has_aside_, false)) return true;
  return StoreField(index, std::move(aside_));
}

bool Interpreter::StoreAsideElement() {
  if (std::exchange(has_aside_, false)) {
    Value* const element = AssignableElement(1);
    if (element == nullptr) return false;
    *element = std::move(aside_);
    if (guards_tables_ && !StoreSymbol(*stack_.At(2).array(), stack_.At(1))) return false;
  }
  Value status = stack_.Take();
  return Return(2, std::move(status));
}

// --- the rest

bool Interpreter::Match(bool is_negated) {
  bool matches = false;
  {
    const TextOf text(stack_.At(1), convfmt_);
    if (!MatchText(text.view(), stack_.At(0), matches)) return false;
  }
  stack_.Pop();
  stack_.At(0).SetNumber(matches != is_negated ? 1 : 0);
  return true;
}

bool Interpreter::MatchConstant(const Value& pattern, bool is_negated) {
  bool matches = false;
  {
    const TextOf text(stack_.At(0), convfmt_);
    if (!MatchText(text.view(), pattern, matches)) return false;
  }
  stack_.At(0).SetNumber(matches != is_negated ? 1 : 0);
  return true;
}

bool Interpreter::ConcatInto(const Instruction& next, Value* local, size_t count) {
  const bool is_stored = next.a != 0 && (next.op == Op::kStoreGlobal || next.op == Op::kStoreLocal);
  Value* const to = !is_stored ? nullptr : next.op == Op::kStoreLocal ? &local[next.b] : &global(next.b);
  if (to != nullptr && AppendInPlace(*to, count)) return true;
  Concat(count);
  return false;
}

void Interpreter::SetExitStatus() {
  exit_status_ = static_cast<int>(static_cast<int64_t>(std::fmod(stack_.At(0).ToNumber(), 4294967296.0)) & 0xff);
}

}  // namespace paddock::awk
