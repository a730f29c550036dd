// What each instruction does.
#include "base/budget.h"
#include "lang/jq/json_writer.h"
#include "lang/jq/machine.h"

namespace paddock::jq {

bool Machine::Run(const Instruction& instruction) {
  const uint32_t a = instruction.a;
  bool is_none = false;
  switch (instruction.op) {
    case Op::kConst: Replace(program_.constants[a]); return true;
    case Op::kDup: Push(Value(Top())); return true;
    case Op::kPop: Pop(); return true;
    case Op::kBegin:
      Push(Value(Top()));
      ++nesting_;
      return true;
    case Op::kEnd: {
      Value result = Pop(), input = Pop();
      Push(std::move(result));
      Push(std::move(input));
      --nesting_;
      return true;
    }
    case Op::kNest: ++nesting_; return true;
    case Op::kUnnest: --nesting_; return true;
    case Op::kUnderConst:
    case Op::kUnderVariable: {
      Value under = instruction.op == Op::kUnderConst ? program_.constants[a] : Variable(instruction.level, a);
      Value input = Pop();
      Push(std::move(under));
      Push(std::move(input));
      return true;
    }
    case Op::kIndex: {
      Value target = Pop();
      const Value key = Pop();
      Push(std::move(target));
      if (!DoIndex(key, is_none, instruction.flag != 0)) return false;
      return !is_none;
    }
    case Op::kIndexConst:
      if (!DoIndex(program_.constants[a], is_none, instruction.flag != 0)) return false;
      return !is_none;
    case Op::kSlice: return DoSlice(instruction.flag != 0, is_none) && !is_none;
    case Op::kEach:
      // An empty container left its fork's predecessor as the place to go on.
      return DoEach(instruction.flag != 0, is_none) && !is_none;
    case Op::kRange: return DoRange(is_none) && !is_none;
    case Op::kJump: pc_ = a; return true;
    case Op::kJumpFalse: {
      Value input = Pop();
      const bool is_true = Pop().is_truthy();
      Push(std::move(input));
      if (!is_true) pc_ = a;
      return true;
    }
    case Op::kJumpFalsy:
      if (!Top().is_truthy()) pc_ = a;
      return true;
    case Op::kJumpVariable:
      if (Local(instruction.b).is_truthy()) pc_ = a;
      return true;
    case Op::kFork: PushFork(ForkKind::kJump, a); return true;
    case Op::kForkAlternative: PushFork(ForkKind::kAlternative, a); return true;
    case Op::kTry:
      Local(instruction.b) = Value::Number(static_cast<double>(forks_.size()));
      PushFork(ForkKind::kTry, a);
      return true;
    case Op::kTryEnd: {
      const auto number = static_cast<size_t>(Local(instruction.b).number());
      if (forks_.size() == number + 1) {
        PopFork();   // nothing inside can give more
      } else {
        PushFork(ForkKind::kTryDone, static_cast<uint32_t>(number));
      }
      return true;
    }
    case Op::kLoad: Replace(Variable(instruction.level, a)); return true;
    case Op::kPush: Push(Local(a)); return true;
    case Op::kTake:
      Push(std::move(Local(a)));
      Local(a) = Value::Null();
      return true;
    case Op::kStore: {
      Value value = Pop();
      Local(a) = std::move(value);
      return true;
    }
    case Op::kStoreUnder: {
      Value input = Pop();
      Local(a) = Pop();
      Push(std::move(input));
      return true;
    }
    case Op::kSetConst: Local(a) = program_.constants[instruction.b]; return true;
    case Op::kAppend: {
      Value value = Pop();
      Local(a).Append(std::move(value));
      return true;
    }
    default: return RunCall(instruction);
  }
}

// Calls, operators and construction.
bool Machine::RunCall(const Instruction& instruction) {
  const uint32_t a = instruction.a;
  switch (instruction.op) {
    case Op::kCall: DoCall(instruction, false); return true;
    case Op::kTailCall: DoCall(instruction, true); return true;
    case Op::kCallClosure: DoCallClosure(instruction, false); return true;
    case Op::kTailCallClosure: DoCallClosure(instruction, true); return true;
    case Op::kReturn: DoReturn(); return true;
    case Op::kNative: return DoNative(instruction);
    case Op::kBinaryConst: {
      --nesting_;
      Value left = Pop();
      Value result = Binary(static_cast<Operator>(instruction.flag), std::move(left), program_.constants[a], context_);
      if (!result.is_valid()) return false;
      Push(std::move(result));
      return true;
    }
    case Op::kBinary:
    case Op::kBinaryUnder: {
      if (instruction.op == Op::kBinary) Pop();
      Value left = Pop();
      const Value right = Pop();
      Value result = Binary(static_cast<Operator>(instruction.flag), std::move(left), right, context_);
      if (!result.is_valid()) return false;
      Push(std::move(result));
      return true;
    }
    case Op::kObject: {
      Value input = Pop();
      Push(Value::Object());
      Push(std::move(input));
      return true;
    }
    case Op::kInsert: return DoInsert();
    case Op::kNot: Replace(Value::Bool(!Top().is_truthy())); return true;
    default: return RunRare(instruction);
  }
}

bool Machine::RunRare(const Instruction& instruction) {
  const uint32_t a = instruction.a;
  switch (instruction.op) {
    case Op::kMark: Local(a) = Value::Number(static_cast<double>(forks_.size())); return true;
    case Op::kCut: CutForks(static_cast<size_t>(Variable(instruction.level, a).number())); return true;
    case Op::kBreak:
      CutForks(static_cast<size_t>(Variable(instruction.level, a).number()));
      return false;
    case Op::kFound: {
      Local(a) = Value::Bool(true);
      const auto mark = static_cast<size_t>(Local(instruction.b).number());
      if (forks_.size() == mark + 1) PopFork();
      return true;
    }
    case Op::kNegate: {
      Value result = Negate(Top(), context_);
      if (!result.is_valid()) return false;
      Replace(std::move(result));
      return true;
    }
    case Op::kError: context_.error = Pop(); return false;
    case Op::kPathBegin: DoPathBegin(); return true;
    case Op::kPathEnd: return DoPathEnd();
    case Op::kGetPath: return DoGetPath();
    case Op::kTakePath: {
      Value taken = TakePath(Local(a), Local(instruction.b), context_);
      if (!taken.is_valid()) return false;
      Push(std::move(taken));
      return true;
    }
    case Op::kPutPath: {
      Value value = Pop();
      Value root = std::move(Local(a));
      root = SetPath(std::move(root), Local(instruction.b), 0, std::move(value), context_);
      if (!root.is_valid()) return false;
      Local(a) = std::move(root);
      return true;
    }
    case Op::kDeletePaths: {
      if (Local(a).array_size() == 0) return true;
      Value root = DeletePaths(Pop(), Local(a), context_);
      if (!root.is_valid()) return false;
      Push(std::move(root));
      return true;
    }
    case Op::kFormat: {
      Value result = Format(program_.constants[a].view(), Top(), context_);
      if (!result.is_valid()) return false;
      Replace(std::move(result));
      return true;
    }
    case Op::kConcat: DoConcat(a); return true;
    case Op::kInput: return DoInput();
    default: return true;
  }
}

bool Machine::DoInsert() {
  Value input = Pop(), value = Pop(), key = Pop();
  if (!key.is_string()) {
    context_.Fail("Cannot use " + Describe(key, budget_) + " as object key");
    return false;
  }
  if (top_ >= kept_cells_) {
    Top().Set(key.text(), std::move(value));
  } else {
    Value object = Pop();
    object.Set(key.text(), std::move(value));
    Push(std::move(object));
  }
  Push(std::move(input));
  return true;
}

bool Machine::DoNative(const Instruction& instruction) {
  Value arguments[8];
  for (size_t i = 0; i <= instruction.flag; ++i) arguments[i] = Pop();
  Value result = NativeAt(instruction.a).function(context_, arguments);
  if (!result.is_valid()) return false;
  Push(std::move(result));
  return true;
}

bool Machine::DoInput() {
  Pop();
  Value value;
  std::string error;
  switch (context_.host.NextInput(value, error)) {
    case Host::Got::kValue: Push(std::move(value)); return true;
    case Host::Got::kEnd: context_.Fail("break"); return false;
    default: context_.Fail(error); return false;
  }
}

void Machine::DoConcat(uint32_t count) {
  Pop();
  Value text = Pop();
  for (uint32_t i = 1; i < count; ++i) {
    const Value part = Pop();
    budget_.Step(static_cast<int64_t>(part.view().size() / 64));
    text.AppendText(part.view());
  }
  Push(std::move(text));
}

}  // namespace paddock::jq
