#include "lang/awk/compiler_parts.h"

#include <cmath>

#include "base/budget.h"
#include "base/check.h"
#include "lang/awk/number.h"

namespace paddock::awk {

void Compiler::JumpUnless(const Node* node, Jumps& jumps) {
  budget_.CheckStack();
  if (node->kind == NodeKind::kNot) {
    JumpWhen(node->a, jumps);
  } else if (node->kind == NodeKind::kAnd) {
    JumpUnless(node->a, jumps);
    JumpUnless(node->b, jumps);
  } else if (node->kind == NodeKind::kOr) {
    Jumps passed;
    JumpWhen(node->a, passed);
    JumpUnless(node->b, jumps);
    Patch(passed, Here());
  } else {
    Expression(node);
    jumps.push_back(Emit(Op::kJumpIfFalse));
  }
}

void Compiler::JumpWhen(const Node* node, Jumps& jumps) {
  budget_.CheckStack();
  if (node->kind == NodeKind::kNot) {
    JumpUnless(node->a, jumps);
  } else if (node->kind == NodeKind::kOr) {
    JumpWhen(node->a, jumps);
    JumpWhen(node->b, jumps);
  } else if (node->kind == NodeKind::kAnd) {
    Jumps failed;
    JumpUnless(node->a, failed);
    JumpWhen(node->b, jumps);
    Patch(failed, Here());
  } else {
    Expression(node);
    jumps.push_back(Emit(Op::kJumpIfTrue));
  }
}

int Compiler::FieldNumber(const Node* node) {
  if (node->kind != NodeKind::kField || node->a->kind != NodeKind::kNumber) return -1;
  const double number = node->a->number;
  return number >= 0 && number < 1e6 ? static_cast<int>(number) : -1;
}

void Compiler::NoteSlot(const Node* node) {
  if (node->is_local) return;
  program_.uses_rt |= node->slot == kSlotRt || node->slot == kSlotSymtab;
  program_.uses_symtab |= node->slot == kSlotSymtab;
  program_.uses_functab |= node->slot == kSlotFunctab;
  program_.uses_environ |= node->slot == kSlotEnviron || node->slot == kSlotSymtab;
}

void Compiler::Discard(const Node* node) {
  place_ = node->place;
  switch (node->kind) {
    case NodeKind::kAssign: Assign(node, true); return;
    case NodeKind::kIncrement: Increment(node, true); return;
    default:
      Expression(node);
      Emit(Op::kPop);
      return;
  }
}

void Compiler::Number(const Node* node) {
  const int field = FieldNumber(node);
  if (field >= 0 && math_ == nullptr) {
    Emit(Op::kPushFieldNumber, field);
  } else {
    Expression(node);
  }
}

void Compiler::Expression(const Node* node) {
  budget_.CheckStack();
  place_ = node->place;
  switch (node->kind) {
    case NodeKind::kNumber: Emit(Op::kPushConstant, NumberConstant(node)); return;
    case NodeKind::kString:
      Emit(Op::kPushConstant, TextConstant(node->text, Kind::kString));
      return;
    case NodeKind::kRegex: Emit(Op::kMatchRecord, TextConstant(node->text, Kind::kRegex)); return;
    case NodeKind::kTypedRegex:
      Emit(Op::kPushConstant, TextConstant(node->text, Kind::kRegex));
      return;
    case NodeKind::kVariable: Variable(node); return;
    case NodeKind::kField: Field(node); return;
    case NodeKind::kElement:
      ArrayOf(node->a);
      Subscript(node);
      Lint(LintCheck::kElement);
      Emit(Op::kPushElement);
      return;
    case NodeKind::kAssign: Assign(node, false); return;
    case NodeKind::kIncrement: Increment(node, false); return;
    case NodeKind::kConditional: Conditional(node); return;
    case NodeKind::kAnd:
    case NodeKind::kOr: Logical(node); return;
    case NodeKind::kNot:
      Expression(node->a);
      Emit(Op::kNot);
      return;
    case NodeKind::kNegate:
    case NodeKind::kPlus:
      Number(node->a);
      if (math_ != nullptr) {
        Emit(node->kind == NodeKind::kNegate ? Op::kBigNegate : Op::kBigPlus);
        return;
      }
      Emit(node->kind == NodeKind::kNegate ? Op::kNegate : Op::kPlus);
      return;
    case NodeKind::kArithmetic:
      Number(node->a);
      Number(node->b);
      place_ = node->place;
      if (node->op == Tok::kPlus) Lint(LintCheck::kAdd);
      if (math_ != nullptr) {
        Emit(Op::kBigArithmetic, 0, static_cast<uint32_t>(ArithmeticOp(node->op)));
        return;
      }
      Emit(ArithmeticOp(node->op));
      return;
    case NodeKind::kCompare:
      Expression(node->a);
      Expression(node->b);
      Emit(CompareOp(node->op));
      return;
    case NodeKind::kConcat:
      for (const Node* part : node->list) Expression(part);
      Emit(Op::kConcat, static_cast<int>(node->list.size()));
      return;
    case NodeKind::kMatch: Match(node); return;
    case NodeKind::kIn:
      Subscript(node);
      ArrayOf(node->a);
      Emit(Op::kIn);
      return;
    case NodeKind::kCall:
      for (const Node* argument : node->list) Argument(argument);
      place_ = node->place;
      if (const FunctionDefinition& function = tree_.functions[static_cast<size_t>(node->slot)]; !function.is_defined) {
        if (const ExtensionInfo* const info = FindExtension(function.name, tree_.libraries)) {
          Emit(Op::kExtension, static_cast<int>(info->id), static_cast<uint32_t>(node->list.size()));
          return;
        }
      }
      Emit(Op::kCall, node->slot, static_cast<uint32_t>(node->list.size()));
      return;
    case NodeKind::kIndirectCall:
      Expression(node->a);
      for (const Node* argument : node->list) Argument(argument);
      place_ = node->place;
      Emit(Op::kCallIndirect, 0, static_cast<uint32_t>(node->list.size()));
      return;
    case NodeKind::kBuiltin: BuiltinCall(node); return;
    case NodeKind::kGetline: Getline(node); return;
    default: PADDOCK_CHECK(false);
  }
}

void Compiler::Variable(const Node* node) {
  NoteSlot(node);
  if (node->is_local) {
    LintVariable(node);
    Emit(Op::kPushLocal, node->slot);
  } else {
    LintVariable(node);
    Emit(IsCounter(node) ? Op::kPushCounter : Op::kPushGlobal, node->slot);
  }
}

void Compiler::Field(const Node* node) {
  if (const int number = FieldNumber(node); number >= 0) {
    Emit(Op::kPushFieldAt, number);
    Lint(LintCheck::kField, number);
    return;
  }
  Number(node->a);
  Lint(LintCheck::kComputedField);
  Emit(Op::kPushField);
}

void Compiler::Conditional(const Node* node) {
  Jumps otherwise;
  JumpUnless(node->a, otherwise);
  Expression(node->b);
  const Jumps end = {Emit(Op::kJump)};
  Patch(otherwise, Here());
  Expression(node->c);
  Patch(end, Here());
}

void Compiler::Logical(const Node* node) {
  Expression(node->a);
  const Jumps end = {Emit(node->kind == NodeKind::kAnd ? Op::kAndJump : Op::kOrJump)};
  Expression(node->b);
  Emit(Op::kToBool);
  Patch(end, Here());
}

void Compiler::Match(const Node* node) {
  Expression(node->a);
  if (node->b->kind == NodeKind::kRegex) {
    Emit(Op::kMatchRegex, TextConstant(node->b->text, Kind::kRegex), node->is_negative);
    return;
  }
  Expression(node->b);
  Emit(Op::kMatch, 0, node->is_negative);
}

Op Compiler::ArithmeticOp(Tok tok) {
  switch (tok) {
    case Tok::kPlus:
    case Tok::kAddAssign: return Op::kAdd;
    case Tok::kMinus:
    case Tok::kSubtractAssign: return Op::kSubtract;
    case Tok::kStar:
    case Tok::kMultiplyAssign: return Op::kMultiply;
    case Tok::kSlash:
    case Tok::kDivideAssign: return Op::kDivide;
    case Tok::kPercent:
    case Tok::kModuloAssign: return Op::kModulo;
    default: return Op::kPower;
  }
}

Op Compiler::CompareOp(Tok tok) {
  switch (tok) {
    case Tok::kLess: return Op::kLess;
    case Tok::kLessEqual: return Op::kLessEqual;
    case Tok::kEqual: return Op::kEqual;
    case Tok::kNotEqual: return Op::kNotEqual;
    case Tok::kGreater: return Op::kGreater;
    default: return Op::kGreaterEqual;
  }
}

void Compiler::Subscript(const Node* node) {
  for (const Node* part : node->list) Expression(part);
  if (node->list.size() > 1) Emit(Op::kJoin, static_cast<int>(node->list.size()));
}

void Compiler::ArrayOf(const Node* node) {
  budget_.CheckStack();
  NoteSlot(node);
  if (node->kind == NodeKind::kElement) {
    ArrayOf(node->a);
    Subscript(node);
    Lint(LintCheck::kElement);
    Emit(Op::kPushSubarray);
  } else {
    Emit(node->is_local ? Op::kPushLocalArray : Op::kPushArray, node->slot);
  }
}

void Compiler::Argument(const Node* node) {
  if (node->kind == NodeKind::kElement) {
    ArrayOf(node->a);
    Subscript(node);
    Emit(Op::kPushElementRef);
  } else if (node->kind == NodeKind::kVariable && !IsCounter(node)) {
    NoteSlot(node);
    Emit(node->is_local ? Op::kPushLocalRef : Op::kPushGlobalRef, node->slot);
  } else {
    Expression(node);
  }
}

void Compiler::StoreVariable(const Node* node, bool drop) {
  if (node->is_local) {
    Emit(Op::kStoreLocal, node->slot, drop);
  } else {
    Emit(IsHooked(node) ? Op::kStoreHooked : Op::kStoreGlobal, node->slot, drop);
  }
}

void Compiler::Assign(const Node* node, bool drop) {
  const Node* const to = node->a;
  const bool is_update = node->op != Tok::kAssign;
  if (is_update) {
    Number(node->b);
  } else {
    Expression(node->b);
  }
  place_ = node->place;
  const uint32_t flags = is_update
                             ? static_cast<uint32_t>(ArithmeticOp(node->op)) | (drop ? kDropsUpdated : 0u)
                             : drop;
  if (to->kind == NodeKind::kField) {
    Number(to->a);
    Emit(is_update ? Op::kUpdateField : Op::kStoreField, 0, flags);
  } else if (to->kind == NodeKind::kElement) {
    ArrayOf(to->a);
    Subscript(to);
    if (is_update) Lint(LintCheck::kElement);
    Emit(is_update ? Op::kUpdateElement : Op::kStoreElement, 0, flags);
  } else if (!is_update) {
    NoteSlot(to);
    StoreVariable(to, drop);
  } else {
    LintVariable(to);
    const Op global = IsHooked(to) ? Op::kUpdateHooked : Op::kUpdateGlobal;
    Emit(to->is_local ? Op::kUpdateLocal : global, to->slot, flags);
  }
}

void Compiler::Increment(const Node* node, bool drop) {
  const Node* const to = node->a;
  const uint32_t flags = (node->is_negative ? kDecrement : 0) | (node->is_prefix ? 0 : kPostfix) |
                         (drop ? kDrop : 0);
  if (to->kind == NodeKind::kField) {
    Number(to->a);
    Emit(Op::kIncrementField, 0, flags);
  } else if (to->kind == NodeKind::kElement) {
    ArrayOf(to->a);
    const int field = to->list.size() == 1 ? FieldNumber(to->list[0]) : -1;
    if (field >= 0 && !lints_) {
      Emit(Op::kIncrementElementByField, field, flags);
      return;
    }
    Subscript(to);
    Lint(LintCheck::kElement);
    Emit(Op::kIncrementElement, 0, flags);
  } else {
    LintVariable(to);
    const Op global = IsHooked(to) ? Op::kIncrementHooked : Op::kIncrementGlobal;
    Emit(to->is_local ? Op::kIncrementLocal : global, to->slot, flags);
  }
}

void Compiler::PrepareAside(const Node* to, bool keep_value) {
  if (to->kind == NodeKind::kField) {
    Number(to->a);
    if (keep_value) Emit(Op::kKeepField);
  } else if (to->kind == NodeKind::kElement) {
    ArrayOf(to->a);
    Subscript(to);
    if (keep_value) Emit(Op::kKeepElement);
  } else if (keep_value) {
    Variable(to);
  }
}

void Compiler::StoreAside(const Node* to) {
  if (to->kind == NodeKind::kField) {
    Emit(Op::kStoreAsideField);
  } else if (to->kind == NodeKind::kElement) {
    Emit(Op::kStoreAsideElement);
  } else if (to->is_local) {
    Emit(Op::kStoreAsideLocal, to->slot);
  } else {
    Emit(IsHooked(to) ? Op::kStoreAsideHooked : Op::kStoreAsideGlobal, to->slot);
  }
}

void Compiler::Getline(const Node* node) {
  if (node->a != nullptr) PrepareAside(node->a, false);
  if (node->b != nullptr) Expression(node->b);
  Emit(Op::kGetline, static_cast<int>(node->redirect), node->a != nullptr);
  if (node->a != nullptr) StoreAside(node->a);
}

void Compiler::Pattern(const Node* node) {
  if (node->kind == NodeKind::kRegex) {
    Emit(Op::kPushConstant, TextConstant(node->text, Kind::kRegex));
  } else {
    Expression(node);
  }
}

void Compiler::ArrayArgument(const Node* node) {
  if (node->kind == NodeKind::kVariable || node->kind == NodeKind::kElement) {
    ArrayOf(node);
  } else {
    Expression(node);  // the function complains when it runs
  }
}

void Compiler::Substitute(const Node* node) {
  Node record;
  record.kind = NodeKind::kField;
  Node zero;
  zero.kind = NodeKind::kNumber;
  record.a = &zero;
  record.place = zero.place = node->place;
  const Node* const target = node->list.size() > 2 ? node->list[2] : &record;
  const bool is_lvalue = target->kind == NodeKind::kVariable ||
                         target->kind == NodeKind::kField || target->kind == NodeKind::kElement;
  if (is_lvalue) {
    PrepareAside(target, true);
  } else {
    Expression(target);
  }
  Pattern(node->list[0]);
  Expression(node->list[1]);
  place_ = node->place;
  Emit(Op::kBuiltin, static_cast<int>(node->builtin), 3);
  if (is_lvalue) StoreAside(target);
}

void Compiler::BuiltinCall(const Node* node) {
  const std::vector<Node*>& list = node->list;
  switch (node->builtin) {
    case Builtin::kSub:
    case Builtin::kGsub: Substitute(node); return;
    case Builtin::kLength:
    case Builtin::kIsarray:
    case Builtin::kTypeof:
      if (list.empty()) Emit(Op::kPushFieldAt, 0);
      for (size_t i = 0; i < list.size(); ++i) {
        if (i > 0) {
          ArrayArgument(list[i]);
        } else {
          if (node->builtin == Builtin::kLength && list[0]->kind == NodeKind::kVariable) LintVariable(list[0]);
          Argument(list[0]);
        }
      }
      break;
    case Builtin::kMatch:
      Expression(list[0]);
      Pattern(list[1]);
      if (list.size() > 2) ArrayArgument(list[2]);
      break;
    case Builtin::kSplit:
    case Builtin::kPatsplit:
      Expression(list[0]);
      ArrayArgument(list[1]);
      if (list.size() > 2) Pattern(list[2]);
      if (list.size() > 3) ArrayArgument(list[3]);
      break;
    case Builtin::kGensub:
      Pattern(list[0]);
      for (size_t i = 1; i < list.size(); ++i) Expression(list[i]);
      if (list.size() == 3) Emit(Op::kPushFieldAt, 0);
      break;
    case Builtin::kIndex:
      Expression(list[0]);
      Pattern(list[1]);
      break;
    case Builtin::kAsort:
    case Builtin::kAsorti:
      ArrayArgument(list[0]);
      if (list.size() > 1) ArrayArgument(list[1]);
      if (list.size() > 2) Expression(list[2]);
      break;
    default:
      for (const Node* argument : list) Expression(argument);
      break;
  }
  place_ = node->place;
  uint32_t count = static_cast<uint32_t>(list.size());
  if (node->builtin == Builtin::kLength) count = 1;
  if (node->builtin == Builtin::kGensub) count = 4;
  if (count > 0) Lint(LintCheck::kArguments, static_cast<int>(node->builtin) | static_cast<int>(count) << 8);
  Emit(Op::kBuiltin, static_cast<int>(node->builtin), count);
}

}  // namespace paddock::awk
