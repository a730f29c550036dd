// Calls of functions: by name, through a variable, and from sorting.
#include <utility>

#include "lang/awk/interpreter.h"

namespace paddock::awk {

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
  if (const ExtensionInfo* const info = FindExtension(name, program_.libraries)) {
    if (!CallExtension(info->id, argument_count)) return false;
    Value result = stack_.Take();
    Return(1, std::move(result));
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

bool Interpreter::CheckCall(int function, size_t argument_count) {
  const Function& callee = program_.functions[static_cast<size_t>(function)];
  if (callee.entry < 0) return Fatal("function `" + callee.name + "' not defined");
  if (argument_count > callee.parameters.size()) [[unlikely]] {
    Warn("function `" + callee.name + "' called with more arguments than declared");
  }
  return true;
}

int Interpreter::LeaveFunction() {
  Value result = stack_.Take();
  const Frame frame = frames_.back();
  frames_.pop_back();
  stack_.Shrink(frame.base);
  walks_.resize(frame.walks);
  if (frame.return_to >= 0 && program_.code[static_cast<size_t>(frame.return_to - 1)].op == Op::kCallIndirect) {
    stack_.Pop();  // the name
  }
  if (result.kind() == Kind::kUntyped) result.SetKind(Kind::kUnassigned);
  stack_.Push(std::move(result));
  return frame.return_to;
}

}  // namespace paddock::awk
