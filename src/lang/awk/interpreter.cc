#include "lang/awk/interpreter.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>

#include "lang/awk/arithmetic.h"

namespace paddock::awk {

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

// --- rules

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

// --- what the loop does most, in line there

inline bool Interpreter::PushVariable(Value& variable, int slot, Scope scope) {
  if (!variable.is_scalar()) [[unlikely]] return PushScalar(variable, [&] { return VariableName(slot, scope); });
  stack_.Push(variable);
  return true;
}

inline bool Interpreter::StoreVariable(Value& variable, int slot, Scope scope, bool drops) {
  if (!variable.is_scalar() && !CheckVariable(variable, slot, scope)) return false;
  Value& top = stack_.At(0);
  if (top.kind() == Kind::kUntyped) top.SetKind(Kind::kUnassigned);
  if (!drops) {
    variable = top;
    return true;
  }
  variable = std::move(top);
  stack_.Pop();
  return true;
}

inline bool Interpreter::UpdateValue(Op op, Value& target, const Value& operand, bool drop) {
  if (math_ != nullptr) [[unlikely]] {
    Value result;
    if (!CalculateBig(op, target, operand, result)) return false;
    target = std::move(result);
    stack_.Pop();
    if (!drop) stack_.Push(target);
    return true;
  }
  double result = 0;
  if (!Arithmetic(op, target.ToNumber(), operand.ToNumber(), result)) return false;
  target.SetNumber(result);
  stack_.Pop();
  if (!drop) stack_.PushNumber(result);
  return true;
}

inline bool Interpreter::UpdateVariable(Value& variable, int slot, Scope scope, uint32_t a) {
  if (!variable.is_scalar() && !CheckVariable(variable, slot, scope)) return false;
  return UpdateValue(UpdateOperation(a), variable, stack_.At(0), (a & kDropsUpdated) != 0);
}

inline bool Interpreter::IncrementVariable(Value& variable, int slot, Scope scope, uint32_t flags) {
  if (!variable.is_scalar() && !CheckVariable(variable, slot, scope)) return false;
  IncrementValue(variable, flags);
  return true;
}

inline bool Interpreter::EndPrint() {
  Output& output = streams_.standard_output();
  output.Write(ors_);
  return output.status() || CheckWritten(output, "standard output", "print");
}

// --- the instruction loop

// Ends the loop when what was tried has failed: flow_ then says how.
#define AWK_TRY(expression) \
  if (!(expression)) [[unlikely]] return flow_

// One case an instruction. What most programs spend their time on is written out here, the rest stands in instructions.cc.
Flow Interpreter::Execute(int entry) {
  const Instruction* const code = program_.code.data();
  stack_.Reserve(stack_margin_);
  int pc = entry;
  const auto locals = [this] { return frames_.empty() ? nullptr : stack_.data() + frames_.back().base; };
  Value* local = locals();
  const auto constant = [this](int number) -> const Value& { return program_.constants[static_cast<size_t>(number)]; };
  // x y → x op y
  const auto combine = [this](auto operation) {
    const double right = stack_.At(0).ToNumber();
    stack_.Pop();
    stack_.At(0).SetNumber(operation(stack_.At(0).ToNumber(), right));
  };
  const auto take_bool = [this] {
    const bool is_true = stack_.At(0).ToBool();
    stack_.Pop();
    return is_true;
  };
  const auto jump = [&](int to) {
    if (to < pc) budget_.Step(1 + (pc - to) / 4);
    pc = to;
  };
  for (;;) {
    const Instruction& instruction = code[pc];
    pc_ = pc++;
    const int b = instruction.b;
    switch (instruction.op) {
      case Op::kPushConstant: stack_.Push(constant(b)); break;
      case Op::kPushGlobal: AWK_TRY(PushVariable(global(b), b, Scope::kGlobal)); break;
      case Op::kPushLocal: AWK_TRY(PushVariable(local[b], b, Scope::kLocal)); break;
      case Op::kPushCounter: PushCounter(b); break;
      case Op::kPushGlobalRef: PushRef(global(b)); break;
      case Op::kPushLocalRef: PushRef(local[b]); break;
      case Op::kPushElementRef: PushElementRef(); break;
      case Op::kPop: stack_.Pop(); break;

      case Op::kPushFieldAt: stack_.Push(record_.Field(static_cast<size_t>(b))); break;
      case Op::kPushFieldNumber:
        if (options_.reads_non_decimal) [[unlikely]] {
          stack_.PushNumber(record_.Field(static_cast<size_t>(b)).ToNumber());
        } else {
          stack_.PushNumber(record_.FieldNumber(static_cast<size_t>(b)));
        }
        break;
      case Op::kPushField: AWK_TRY(PushField(false)); break;
      case Op::kKeepField: AWK_TRY(PushField(true)); break;

      case Op::kPushArray: AWK_TRY(PushArray(global(b), b, Scope::kGlobal)); break;
      case Op::kPushLocalArray: AWK_TRY(PushArray(local[b], b, Scope::kLocal)); break;
      case Op::kPushSubarray: AWK_TRY(PushSubarray()); break;
      case Op::kPushElement: AWK_TRY(PushElement(false)); break;
      case Op::kKeepElement: AWK_TRY(PushElement(true)); break;
      case Op::kJoin: JoinSubscripts(static_cast<size_t>(b)); break;

      case Op::kStoreGlobal: AWK_TRY(StoreVariable(global(b), b, Scope::kGlobal, instruction.a != 0)); break;
      case Op::kStoreLocal: AWK_TRY(StoreVariable(local[b], b, Scope::kLocal, instruction.a != 0)); break;
      case Op::kStoreHooked:
        AWK_TRY(StoreHooked(b, stack_.At(0)));
        if (instruction.a != 0) stack_.Pop();
        break;
      case Op::kStoreField: AWK_TRY(StoreFieldAt(instruction.a != 0)); break;
      case Op::kStoreElement: AWK_TRY(StoreElement(instruction.a != 0)); break;

      case Op::kUpdateGlobal: AWK_TRY(UpdateVariable(global(b), b, Scope::kGlobal, instruction.a)); break;
      case Op::kUpdateLocal: AWK_TRY(UpdateVariable(local[b], b, Scope::kLocal, instruction.a)); break;
      case Op::kUpdateHooked: AWK_TRY(UpdateHooked(b, instruction.a)); break;
      case Op::kUpdateField: AWK_TRY(UpdateField(instruction.a)); break;
      case Op::kUpdateElement: AWK_TRY(UpdateElement(instruction.a)); break;
      case Op::kIncrementGlobal: AWK_TRY(IncrementVariable(global(b), b, Scope::kGlobal, instruction.a)); break;
      case Op::kIncrementLocal: AWK_TRY(IncrementVariable(local[b], b, Scope::kLocal, instruction.a)); break;
      case Op::kIncrementHooked: AWK_TRY(IncrementHooked(b, instruction.a)); break;
      case Op::kIncrementField: AWK_TRY(IncrementField(instruction.a)); break;
      case Op::kIncrementElement: AWK_TRY(IncrementElement(instruction.a)); break;
      case Op::kIncrementElementByField: AWK_TRY(IncrementElementByField(static_cast<size_t>(b), instruction.a)); break;

      case Op::kStoreAsideGlobal: AWK_TRY(StoreAsideIn(global(b), b, Scope::kGlobal)); break;
      case Op::kStoreAsideLocal: AWK_TRY(StoreAsideIn(local[b], b, Scope::kLocal)); break;
      case Op::kStoreAsideHooked: AWK_TRY(!std::exchange(has_aside_, false) || StoreHooked(b, aside_)); break;
      case Op::kStoreAsideField: AWK_TRY(StoreAsideField()); break;
      case Op::kStoreAsideElement: AWK_TRY(StoreAsideElement()); break;

      case Op::kDeleteElement: DeleteElement(); break;
      case Op::kDeleteAll: DeleteAll(); break;
      case Op::kIn: ReturnNumber(2, stack_.At(0).array()->Find(Key(stack_.At(1))) != nullptr ? 1 : 0); break;

      case Op::kAdd: combine(std::plus<>()); break;
      case Op::kSubtract: combine(std::minus<>()); break;
      case Op::kMultiply: combine(std::multiplies<>()); break;
      case Op::kDivide:
      case Op::kModulo:
      case Op::kPower: {
        double result = 0;
        AWK_TRY(Arithmetic(instruction.op, stack_.At(1).ToNumber(), stack_.At(0).ToNumber(), result));
        stack_.Pop();
        stack_.At(0).SetNumber(result);
        break;
      }
      case Op::kBigArithmetic: {
        Value result;
        AWK_TRY(CalculateBig(static_cast<Op>(instruction.a), stack_.At(1), stack_.At(0), result));
        Return(2, std::move(result));
        break;
      }
      case Op::kBigNegate: Return(1, math_->Negate(stack_.At(0))); break;
      case Op::kBigPlus: Return(1, math_->Plus(stack_.At(0))); break;
      case Op::kNegate: stack_.At(0).SetNumber(-stack_.At(0).ToNumber()); break;
      case Op::kPlus: stack_.At(0).SetNumber(stack_.At(0).ToNumber()); break;
      case Op::kNot: stack_.At(0).SetNumber(stack_.At(0).ToBool() ? 0 : 1); break;
      case Op::kToBool: stack_.At(0).SetNumber(stack_.At(0).ToBool() ? 1 : 0); break;
      case Op::kConcat:
        if (ConcatInto(code[pc], local, static_cast<size_t>(b))) ++pc;
        break;
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kGreater:
      case Op::kGreaterEqual: {
        const Value &left = stack_.At(1), &right = stack_.At(0);
        const bool are_numbers = math_ == nullptr && left.is_number() && right.is_number();
        const bool is_true = are_numbers ? CompareNumbers(instruction.op, left.number(), right.number()) : Compare(instruction.op, left, right);
        stack_.Pop();
        stack_.At(0).SetNumber(is_true ? 1 : 0);
        break;
      }
      case Op::kMatch: AWK_TRY(Match(instruction.a != 0)); break;
      case Op::kMatchRegex: AWK_TRY(MatchConstant(constant(b), instruction.a != 0)); break;
      case Op::kMatchRecord: {
        bool matches = false;
        AWK_TRY(MatchText(record_.text(), constant(b), matches));
        stack_.PushNumber(matches ? 1 : 0);
        break;
      }

      case Op::kJump: jump(b); break;
      case Op::kJumpIfFalse:
        if (!take_bool()) pc = b;
        break;
      case Op::kJumpIfTrue:
        if (take_bool()) jump(b);
        break;
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
        AWK_TRY(CheckCall(b, instruction.a));
        Call(b, instruction.a, pc);
        pc = program_.functions[static_cast<size_t>(b)].entry;
        local = locals();
        break;
      case Op::kCallIndirect: {
        const size_t depth = frames_.size();
        AWK_TRY(CallIndirect(instruction.a, pc));
        if (frames_.size() > depth) pc = program_.functions[static_cast<size_t>(frames_.back().function)].entry;
        local = locals();
        break;
      }
      case Op::kReturn:
        pc = LeaveFunction();
        if (pc < 0) return Flow::kDone;
        local = locals();
        break;
      case Op::kBuiltin:
        AWK_TRY(CallBuiltin(static_cast<Builtin>(b), instruction.a));
        local = locals();
        break;
      case Op::kExtension: AWK_TRY(CallExtension(static_cast<Extension>(b), instruction.a)); break;

      case Op::kPrint: AWK_TRY(Print(static_cast<Redirect>(b), instruction.a)); break;
      case Op::kPrintf: AWK_TRY(Printf(static_cast<Redirect>(b), instruction.a)); break;
      case Op::kPrintRecord:
        streams_.standard_output().Write(record_.text());
        AWK_TRY(EndPrint());
        break;
      case Op::kEmitField: streams_.standard_output().Write(record_.FieldText(static_cast<size_t>(b), ofmt_)); break;
      case Op::kEmitConstant: streams_.standard_output().Write(constant(b).view()); break;
      case Op::kEmitCounter: {
        PushCounter(b);
        const TextOf text(stack_.At(0), ofmt_);
        streams_.standard_output().Write(text.view());
        stack_.Pop();
        break;
      }
      case Op::kEmitSeparator: streams_.standard_output().Write(ofs_); break;
      case Op::kEmitEnd: AWK_TRY(EndPrint()); break;
      case Op::kGetline:
        AWK_TRY(Getline(static_cast<Redirect>(b), instruction.a != 0));
        local = locals();
        break;

      case Op::kNext: AWK_TRY(CheckNext(false)); return Flow::kNext;
      case Op::kNextFile: AWK_TRY(CheckNext(true)); return Flow::kNextFile;
      case Op::kExit:
        if (instruction.a != 0) SetExitStatus();
        return Flow::kExit;
      case Op::kRangeEnter:
        if (range_active_[instruction.a]) pc = b;
        break;
      case Op::kRangeSet: range_active_[instruction.a] = !take_bool(); break;
      case Op::kWork: budget_.Step(b); break;
      case Op::kLint: AWK_TRY(CheckLint(static_cast<LintCheck>(instruction.a), b)); break;
      case Op::kCount: ++counts_[static_cast<size_t>(b)]; break;
      case Op::kEnd: return Flow::kDone;
    }
  }
}

#undef AWK_TRY

}  // namespace paddock::awk
