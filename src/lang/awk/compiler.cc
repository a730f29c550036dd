#include "lang/awk/compiler.h"

#include <cmath>
#include <map>
#include <utility>

#include "base/budget.h"
#include "base/check.h"
#include "lang/awk/number.h"

namespace paddock::awk {
namespace {

// Jumps that wait for their target.
using Jumps = std::vector<int>;

struct Loop {
  Jumps breaks;
  Jumps continues;
  bool is_switch = false;
};

class Compiler {
 public:
  Compiler(const SyntaxTree& tree, std::vector<Source> sources, Budget& budget)
      : tree_(tree), budget_(budget) {
    program_.sources = std::move(sources);
    program_.globals = tree.globals;
    program_.escapes = tree.escapes;
  }

  Program Run() {
    for (const FunctionDefinition& function : tree_.functions) {
      Function compiled;
      compiled.name = function.name;
      compiled.parameters = function.parameters;
      if (function.is_defined) {
        compiled.entry = Here();
        Statement(function.body);
        PushConstant(Value::Unassigned());
        Emit(Op::kReturn);
      }
      program_.functions.push_back(std::move(compiled));
    }
    program_.begin = Rules(Rule::When::kBegin);
    program_.begin_file = Rules(Rule::When::kBeginFile);
    program_.record = Rules(Rule::When::kRecord);
    program_.end_file = Rules(Rule::When::kEndFile);
    program_.end = Rules(Rule::When::kEnd);
    return std::move(program_);
  }

 private:
  // --- instructions

  int Here() const { return static_cast<int>(program_.code.size()); }
  int Emit(Op op, int b = 0, uint32_t a = 0) {
    budget_.Step();
    program_.code.push_back({op, a & 0xffffff, b});
    program_.places.push_back(place_);
    return Here() - 1;
  }
  void Patch(const Jumps& jumps, int target) {
    for (const int jump : jumps) program_.code[static_cast<size_t>(jump)].b = target;
  }
  int AddConstant(Value value) {
    program_.constants.push_back(std::move(value));
    return static_cast<int>(program_.constants.size() - 1);
  }
  int NumberConstant(double number) {
    if (std::isnan(number) || (number == 0 && std::signbit(number))) {
      return AddConstant(Value::Number(number));
    }
    const auto [entry, is_new] = numbers_.try_emplace(number, 0);
    if (is_new) entry->second = AddConstant(Value::Number(number));
    return entry->second;
  }
  int TextConstant(const std::string& text, Kind kind) {
    const auto [entry, is_new] = texts_.try_emplace({kind, text}, 0);
    if (is_new) entry->second = AddConstant(Value::FromText(Text::Make(text), kind));
    return entry->second;
  }
  void PushConstant(Value value) { Emit(Op::kPushConstant, AddConstant(std::move(value))); }

  // --- rules

  int Rules(Rule::When when) {
    int start = -1;
    for (const Rule& rule : tree_.rules) {
      if (rule.when != when) continue;
      if (start < 0) start = Emit(Op::kWork);
      place_ = rule.place;
      Jumps skip;
      if (rule.range_end != nullptr) {
        const auto range = static_cast<uint32_t>(program_.range_count++);
        const Jumps enter = {Emit(Op::kRangeEnter, 0, range)};
        JumpUnless(rule.pattern, skip);
        Patch(enter, Here());
        Expression(rule.range_end);
        Emit(Op::kRangeSet, 0, range);
      } else if (rule.pattern != nullptr) {
        JumpUnless(rule.pattern, skip);
      }
      if (rule.action != nullptr) {
        Statement(rule.action);
      } else {
        Emit(Op::kPrintRecord);
      }
      Patch(skip, Here());
    }
    if (start >= 0) {
      Emit(Op::kEnd);
      program_.code[static_cast<size_t>(start)].b = (Here() - start) / 8 + 1;
    }
    return start;
  }

  // --- statements

  void Statement(const Node* node) {
    budget_.CheckStack();
    place_ = node->place;
    switch (node->kind) {
      case NodeKind::kBlock:
        for (const Node* statement : node->list) Statement(statement);
        return;
      case NodeKind::kExpression: Discard(node->a); return;
      case NodeKind::kPrint: Print(node); return;
      case NodeKind::kPrintf: PrintGeneral(node, Op::kPrintf); return;
      case NodeKind::kIf: If(node); return;
      case NodeKind::kWhile: While(node); return;
      case NodeKind::kDo: Do(node); return;
      case NodeKind::kFor: For(node); return;
      case NodeKind::kForIn: ForIn(node); return;
      case NodeKind::kSwitch: Switch(node); return;
      case NodeKind::kBreak: loops_.back().breaks.push_back(Emit(Op::kJump)); return;
      case NodeKind::kContinue: Continue(); return;
      case NodeKind::kNext: Emit(Op::kNext); return;
      case NodeKind::kNextFile: Emit(Op::kNextFile); return;
      case NodeKind::kExit:
        if (node->a != nullptr) Expression(node->a);
        Emit(Op::kExit, 0, node->a != nullptr);
        return;
      case NodeKind::kReturn:
        if (node->a != nullptr) {
          Expression(node->a);
        } else {
          PushConstant(Value::Unassigned());
        }
        Emit(Op::kReturn);
        return;
      case NodeKind::kDelete: Delete(node->a); return;
      default: PADDOCK_CHECK(false);
    }
  }

  void If(const Node* node) {
    Jumps otherwise;
    JumpUnless(node->a, otherwise);
    Statement(node->b);
    if (node->c == nullptr) {
      Patch(otherwise, Here());
      return;
    }
    const Jumps end = {Emit(Op::kJump)};
    Patch(otherwise, Here());
    Statement(node->c);
    Patch(end, Here());
  }

  // Compiles a loop's body; returns the jumps of `break`. `continue` goes to where the body ends.
  Jumps Body(const Node* body) {
    loops_.emplace_back();
    Statement(body);
    const Loop loop = std::move(loops_.back());
    loops_.pop_back();
    Patch(loop.continues, Here());
    return loop.breaks;
  }

  void Continue() {
    for (size_t i = loops_.size(); i-- > 0;) {
      if (loops_[i].is_switch) continue;
      loops_[i].continues.push_back(Emit(Op::kJump));
      return;
    }
  }

  // The condition is at the end, where each turn meets one jump.
  void While(const Node* node) {
    const Jumps enter = {Emit(Op::kJump)};
    const int top = Here();
    const Jumps breaks = Body(node->b);
    Patch(enter, Here());
    place_ = node->place;
    JumpBack(node->a, top);
    Patch(breaks, Here());
  }

  void Do(const Node* node) {
    const int top = Here();
    const Jumps breaks = Body(node->b);
    JumpBack(node->a, top);
    Patch(breaks, Here());
  }

  void For(const Node* node) {
    if (node->list[0] != nullptr) Statement(node->list[0]);
    const Jumps enter = {Emit(Op::kJump)};
    const int top = Here();
    const Jumps breaks = Body(node->b);
    if (node->list[1] != nullptr) Statement(node->list[1]);
    Patch(enter, Here());
    JumpBack(node->a, top);
    Patch(breaks, Here());
  }

  void JumpBack(const Node* condition, int top) {
    if (condition == nullptr) {
      Emit(Op::kJump, top);
      return;
    }
    Jumps jumps;
    JumpWhen(condition, jumps);
    Patch(jumps, top);
  }

  void ForIn(const Node* node) {
    ArrayOf(node->b);
    Emit(Op::kForIn);
    const int top = Here();
    const Jumps end = {Emit(Op::kForInNext)};
    StoreVariable(node->a, true);
    const Jumps breaks = Body(node->c);
    Emit(Op::kJump, top);
    Patch(breaks, Here());
    Emit(Op::kEndForIn);
    Patch(end, Here());
  }

  void Switch(const Node* node) {
    Expression(node->a);
    std::vector<Jumps> entries(node->list.size());
    for (size_t i = 0; i < node->list.size(); ++i) {
      const Node* const value = node->list[i]->a;
      if (value == nullptr) continue;
      if (value->kind == NodeKind::kRegex) {
        Emit(Op::kPushConstant, TextConstant(value->text, Kind::kRegex));
      } else {
        Expression(value);
      }
      entries[i].push_back(Emit(Op::kCaseJump));
    }
    Emit(Op::kPop);
    const int otherwise = Emit(Op::kJump);
    bool has_default = false;
    loops_.push_back({{}, {}, true});
    for (size_t i = 0; i < node->list.size(); ++i) {
      const Node* const label = node->list[i];
      if (label->a == nullptr) {
        has_default = true;
        entries[i].push_back(otherwise);
      }
      Patch(entries[i], Here());
      for (const Node* statement : label->list) Statement(statement);
    }
    Jumps breaks = std::move(loops_.back().breaks);
    loops_.pop_back();
    if (!has_default) breaks.push_back(otherwise);
    Patch(breaks, Here());
  }

  void Delete(const Node* target) {
    if (target->kind == NodeKind::kElement) {
      ArrayOf(target->a);
      Subscript(target);
      Emit(Op::kDeleteElement);
    } else {
      ArrayOf(target);
      Emit(Op::kDeleteAll);
    }
  }

  void Print(const Node* node) {
    if (node->redirect != Redirect::kNone) {
      PrintGeneral(node, Op::kPrint);
      return;
    }
    if (node->list.empty()) {
      Emit(Op::kPrintRecord);
      return;
    }
    for (const Node* argument : node->list) {
      if (!CanEmit(argument)) {
        PrintGeneral(node, Op::kPrint);
        return;
      }
    }
    for (size_t i = 0; i < node->list.size(); ++i) {
      if (i > 0) Emit(Op::kEmitSeparator);
      EmitPiece(node->list[i]);
    }
    Emit(Op::kEmitEnd);
  }

  // True for what can go to the output piece by piece: it cannot fail and nothing can change it.
  static bool CanEmit(const Node* node) {
    if (node->kind == NodeKind::kConcat) {
      for (const Node* part : node->list) {
        if (!CanEmit(part)) return false;
      }
      return true;
    }
    if (node->kind == NodeKind::kVariable) return !node->is_local && node->slot <= kSlotFnr;
    return node->kind == NodeKind::kString || FieldNumber(node) >= 0;
  }

  void EmitPiece(const Node* node) {
    if (node->kind == NodeKind::kConcat) {
      for (const Node* part : node->list) EmitPiece(part);
    } else if (node->kind == NodeKind::kVariable) {
      Emit(Op::kEmitCounter, node->slot);
    } else if (node->kind == NodeKind::kString) {
      Emit(Op::kEmitConstant, TextConstant(node->text, Kind::kString));
    } else {
      Emit(Op::kEmitField, FieldNumber(node));
    }
  }

  void PrintGeneral(const Node* node, Op op) {
    for (const Node* argument : node->list) Expression(argument);
    if (node->list.empty() && op == Op::kPrint) Emit(Op::kPushFieldAt, 0);
    if (node->b != nullptr) Expression(node->b);
    const bool is_record = node->list.empty() && op == Op::kPrint;
    Emit(op, static_cast<int>(node->redirect),
         is_record ? 1 : static_cast<uint32_t>(node->list.size()));
  }

  // --- conditions

  void JumpUnless(const Node* node, Jumps& jumps) {
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

  void JumpWhen(const Node* node, Jumps& jumps) {
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

  // --- expressions

  // The number of a field with a constant index, or -1.
  static int FieldNumber(const Node* node) {
    if (node->kind != NodeKind::kField || node->a->kind != NodeKind::kNumber) return -1;
    const double number = node->a->number;
    return number >= 0 && number < 1e6 ? static_cast<int>(number) : -1;
  }

  static bool IsHooked(const Node* node) { return !node->is_local && node->slot <= kLastHooked; }
  static bool IsCounter(const Node* node) { return !node->is_local && node->slot <= kSlotFnr; }

  void NoteSlot(const Node* node) {
    if (node->is_local) return;
    program_.uses_rt |= node->slot == kSlotRt || node->slot == kSlotSymtab;
    program_.uses_symtab |= node->slot == kSlotSymtab;
    program_.uses_functab |= node->slot == kSlotFunctab;
    program_.uses_environ |= node->slot == kSlotEnviron || node->slot == kSlotSymtab;
  }

  // Evaluates for its effects alone.
  void Discard(const Node* node) {
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

  // An operand of which only the number counts.
  void Number(const Node* node) {
    const int field = FieldNumber(node);
    if (field >= 0) {
      Emit(Op::kPushFieldNumber, field);
    } else {
      Expression(node);
    }
  }

  void Expression(const Node* node) {
    budget_.CheckStack();
    place_ = node->place;
    switch (node->kind) {
      case NodeKind::kNumber: Emit(Op::kPushConstant, NumberConstant(node->number)); return;
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
        Emit(node->kind == NodeKind::kNegate ? Op::kNegate : Op::kPlus);
        return;
      case NodeKind::kArithmetic:
        Number(node->a);
        Number(node->b);
        place_ = node->place;
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

  void Variable(const Node* node) {
    NoteSlot(node);
    if (node->is_local) {
      Emit(Op::kPushLocal, node->slot);
    } else {
      Emit(IsCounter(node) ? Op::kPushCounter : Op::kPushGlobal, node->slot);
    }
  }

  void Field(const Node* node) {
    if (const int number = FieldNumber(node); number >= 0) {
      Emit(Op::kPushFieldAt, number);
      return;
    }
    Number(node->a);
    Emit(Op::kPushField);
  }

  void Conditional(const Node* node) {
    Jumps otherwise;
    JumpUnless(node->a, otherwise);
    Expression(node->b);
    const Jumps end = {Emit(Op::kJump)};
    Patch(otherwise, Here());
    Expression(node->c);
    Patch(end, Here());
  }

  void Logical(const Node* node) {
    Expression(node->a);
    const Jumps end = {Emit(node->kind == NodeKind::kAnd ? Op::kAndJump : Op::kOrJump)};
    Expression(node->b);
    Emit(Op::kToBool);
    Patch(end, Here());
  }

  void Match(const Node* node) {
    Expression(node->a);
    if (node->b->kind == NodeKind::kRegex) {
      Emit(Op::kMatchRegex, TextConstant(node->b->text, Kind::kRegex), node->is_negative);
      return;
    }
    Expression(node->b);
    Emit(Op::kMatch, 0, node->is_negative);
  }

  static Op ArithmeticOp(Tok tok) {
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

  static Op CompareOp(Tok tok) {
    switch (tok) {
      case Tok::kLess: return Op::kLess;
      case Tok::kLessEqual: return Op::kLessEqual;
      case Tok::kEqual: return Op::kEqual;
      case Tok::kNotEqual: return Op::kNotEqual;
      case Tok::kGreater: return Op::kGreater;
      default: return Op::kGreaterEqual;
    }
  }

  // The subscript of an element or of `in`, joined when there are several.
  void Subscript(const Node* node) {
    for (const Node* part : node->list) Expression(part);
    if (node->list.size() > 1) Emit(Op::kJoin, static_cast<int>(node->list.size()));
  }

  // Pushes the array that a variable or an element is (or becomes).
  void ArrayOf(const Node* node) {
    budget_.CheckStack();
    NoteSlot(node);
    if (node->kind == NodeKind::kElement) {
      ArrayOf(node->a);
      Subscript(node);
      Emit(Op::kPushSubarray);
    } else {
      Emit(node->is_local ? Op::kPushLocalArray : Op::kPushArray, node->slot);
    }
  }

  void Argument(const Node* node) {
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

  void StoreVariable(const Node* node, bool drop) {
    if (node->is_local) {
      Emit(Op::kStoreLocal, node->slot, drop);
    } else {
      Emit(IsHooked(node) ? Op::kStoreHooked : Op::kStoreGlobal, node->slot, drop);
    }
  }

  void Assign(const Node* node, bool drop) {
    const Node* const to = node->a;
    const bool is_update = node->op != Tok::kAssign;
    if (is_update) {
      Number(node->b);
    } else {
      Expression(node->b);
    }
    place_ = node->place;
    const uint32_t flags = is_update
                               ? static_cast<uint32_t>(ArithmeticOp(node->op)) | (drop ? 0x100u : 0u)
                               : drop;
    if (to->kind == NodeKind::kField) {
      Number(to->a);
      Emit(is_update ? Op::kUpdateField : Op::kStoreField, 0, flags);
    } else if (to->kind == NodeKind::kElement) {
      ArrayOf(to->a);
      Subscript(to);
      Emit(is_update ? Op::kUpdateElement : Op::kStoreElement, 0, flags);
    } else if (!is_update) {
      NoteSlot(to);
      StoreVariable(to, drop);
    } else {
      const Op global = IsHooked(to) ? Op::kUpdateHooked : Op::kUpdateGlobal;
      Emit(to->is_local ? Op::kUpdateLocal : global, to->slot, flags);
    }
  }

  void Increment(const Node* node, bool drop) {
    const Node* const to = node->a;
    const uint32_t flags = (node->is_negative ? kDecrement : 0) | (node->is_prefix ? 0 : kPostfix) |
                           (drop ? kDrop : 0);
    if (to->kind == NodeKind::kField) {
      Number(to->a);
      Emit(Op::kIncrementField, 0, flags);
    } else if (to->kind == NodeKind::kElement) {
      ArrayOf(to->a);
      const int field = to->list.size() == 1 ? FieldNumber(to->list[0]) : -1;
      if (field >= 0) {
        Emit(Op::kIncrementElementByField, field, flags);
        return;
      }
      Subscript(to);
      Emit(Op::kIncrementElement, 0, flags);
    } else {
      const Op global = IsHooked(to) ? Op::kIncrementHooked : Op::kIncrementGlobal;
      Emit(to->is_local ? Op::kIncrementLocal : global, to->slot, flags);
    }
  }

  // --- what sets a variable on the side

  // Pushes what is needed to find the place again; `keep_value` also pushes its value.
  void PrepareAside(const Node* to, bool keep_value) {
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

  void StoreAside(const Node* to) {
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

  void Getline(const Node* node) {
    if (node->a != nullptr) PrepareAside(node->a, false);
    if (node->b != nullptr) Expression(node->b);
    Emit(Op::kGetline, static_cast<int>(node->redirect), node->a != nullptr);
    if (node->a != nullptr) StoreAside(node->a);
  }

  // --- built-in functions

  void Pattern(const Node* node) {
    if (node->kind == NodeKind::kRegex) {
      Emit(Op::kPushConstant, TextConstant(node->text, Kind::kRegex));
    } else {
      Expression(node);
    }
  }

  void ArrayArgument(const Node* node) {
    if (node->kind == NodeKind::kVariable || node->kind == NodeKind::kElement) {
      ArrayOf(node);
    } else {
      Expression(node);  // the function complains when it runs
    }
  }

  void Substitute(const Node* node) {
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

  void BuiltinCall(const Node* node) {
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
    Emit(Op::kBuiltin, static_cast<int>(node->builtin), count);
  }

  const SyntaxTree& tree_;
  Budget& budget_;
  Program program_;
  Place place_;
  std::vector<Loop> loops_;
  std::map<double, int> numbers_;
  std::map<std::pair<Kind, std::string>, int> texts_;
};

}  // namespace

Program Compile(const SyntaxTree& tree, std::vector<Source> sources, Budget& budget) {
  return Compiler(tree, std::move(sources), budget).Run();
}

}  // namespace paddock::awk
