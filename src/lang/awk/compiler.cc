#include "lang/awk/compiler_parts.h"

#include <cmath>

#include "base/budget.h"
#include "base/check.h"
#include "lang/awk/big_number.h"

namespace paddock::awk {

Compiler::Compiler(const SyntaxTree& tree, std::vector<Source> sources, const CompileOptions& options, Budget& budget)
    : tree_(tree), budget_(budget), lints_(options.lints), reads_non_decimal_(options.reads_non_decimal), math_(options.math) {
  program_.sources = std::move(sources);
  program_.globals = tree.globals;
  program_.escapes = tree.escapes;
  program_.libraries = tree.libraries;
  if (options.profiles) program_.counter_count = static_cast<int>(tree.nodes.size());
}

Program Compiler::Run() {
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

int Compiler::Emit(Op op, int b, uint32_t a) {
  budget_.Step();
  program_.code.push_back({op, a & 0xffffff, b});
  program_.places.push_back(place_);
  return Here() - 1;
}

void Compiler::Patch(const Jumps& jumps, int target) {
  for (const int jump : jumps) program_.code[static_cast<size_t>(jump)].b = target;
}

int Compiler::AddConstant(Value value) {
  program_.constants.push_back(std::move(value));
  return static_cast<int>(program_.constants.size() - 1);
}

int Compiler::NumberConstant(double number) {
  if (std::isnan(number) || (number == 0 && std::signbit(number))) {
    return AddConstant(Value::Number(number));
  }
  const auto [entry, is_new] = numbers_.try_emplace(number, 0);
  if (is_new) entry->second = AddConstant(Value::Number(number));
  return entry->second;
}

int Compiler::NumberConstant(const Node* node) {
  return math_ != nullptr && !node->literal.empty() ? AddConstant(math_->FromLiteral(node->literal)) : NumberConstant(node->number);
}

int Compiler::TextConstant(const std::string& text, Kind kind) {
  const auto [entry, is_new] = texts_.try_emplace({kind, text}, 0);
  if (!is_new) return entry->second;
  Value constant = Value::FromText(Text::Make(text), kind);
  if (reads_non_decimal_) constant.text()->LookNonDecimal();
  entry->second = AddConstant(std::move(constant));
  return entry->second;
}

int Compiler::Rules(Rule::When when) {
  int start = -1;
  for (const Rule& rule : tree_.rules) {
    if (rule.when != when) continue;
    if (start < 0) start = Emit(Op::kWork);
    place_ = rule.place;
    Jumps skip;
    if (rule.pattern != nullptr) Count(rule.pattern);
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

void Compiler::Statement(const Node* node) {
  budget_.CheckStack();
  place_ = node->place;
  Count(node);
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

void Compiler::If(const Node* node) {
  Jumps otherwise;
  LintCondition(node->a);
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

Jumps Compiler::Body(const Node* body) {
  loops_.emplace_back();
  Statement(body);
  const Loop loop = std::move(loops_.back());
  loops_.pop_back();
  Patch(loop.continues, Here());
  return loop.breaks;
}

void Compiler::Continue() {
  for (size_t i = loops_.size(); i-- > 0;) {
    if (loops_[i].is_switch) continue;
    loops_[i].continues.push_back(Emit(Op::kJump));
    return;
  }
}

void Compiler::While(const Node* node) {
  const Jumps enter = {Emit(Op::kJump)};
  const int top = Here();
  const Jumps breaks = Body(node->b);
  Patch(enter, Here());
  place_ = node->place;
  JumpBack(node->a, top);
  Patch(breaks, Here());
}

void Compiler::Do(const Node* node) {
  const int top = Here();
  const Jumps breaks = Body(node->b);
  JumpBack(node->a, top);
  Patch(breaks, Here());
}

void Compiler::For(const Node* node) {
  if (node->list[0] != nullptr) Statement(node->list[0]);
  const Jumps enter = {Emit(Op::kJump)};
  const int top = Here();
  const Jumps breaks = Body(node->b);
  if (node->list[1] != nullptr) Statement(node->list[1]);
  Patch(enter, Here());
  JumpBack(node->a, top);
  Patch(breaks, Here());
}

void Compiler::JumpBack(const Node* condition, int top) {
  if (condition == nullptr) {
    Emit(Op::kJump, top);
    return;
  }
  Jumps jumps;
  LintCondition(condition);
  JumpWhen(condition, jumps);
  Patch(jumps, top);
}

void Compiler::ForIn(const Node* node) {
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

void Compiler::Switch(const Node* node) {
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
    Count(label);
    for (const Node* statement : label->list) Statement(statement);
  }
  Jumps breaks = std::move(loops_.back().breaks);
  loops_.pop_back();
  if (!has_default) breaks.push_back(otherwise);
  Patch(breaks, Here());
}

void Compiler::Delete(const Node* target) {
  if (target->kind == NodeKind::kElement) {
    ArrayOf(target->a);
    Subscript(target);
    Lint(LintCheck::kDelete);
    Emit(Op::kDeleteElement);
  } else {
    ArrayOf(target);
    Emit(Op::kDeleteAll);
  }
}

void Compiler::Print(const Node* node) {
  if (node->redirect != Redirect::kNone) {
    PrintGeneral(node, Op::kPrint);
    return;
  }
  if (node->list.empty()) {
    if (lints_) {
      PrintGeneral(node, Op::kPrint);
    } else {
      Emit(Op::kPrintRecord);
    }
    return;
  }
  for (const Node* argument : node->list) {
    if (!CanEmit(argument) || lints_) {
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

bool Compiler::CanEmit(const Node* node) {
  if (node->kind == NodeKind::kConcat) {
    for (const Node* part : node->list) {
      if (!CanEmit(part)) return false;
    }
    return true;
  }
  if (node->kind == NodeKind::kVariable) return !node->is_local && node->slot <= kSlotFnr;
  return node->kind == NodeKind::kString || FieldNumber(node) >= 0;
}

void Compiler::EmitPiece(const Node* node) {
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

void Compiler::PrintGeneral(const Node* node, Op op) {
  for (const Node* argument : node->list) Expression(argument);
  if (node->list.empty() && op == Op::kPrint) {
    Emit(Op::kPushFieldAt, 0);
    Lint(LintCheck::kField, 0);
  }
  if (node->b != nullptr) Expression(node->b);
  const bool is_record = node->list.empty() && op == Op::kPrint;
  Emit(op, static_cast<int>(node->redirect),
       is_record ? 1 : static_cast<uint32_t>(node->list.size()));
}

Program Compile(const SyntaxTree& tree, std::vector<Source> sources, const CompileOptions& options, Budget& budget) {
  return Compiler(tree, std::move(sources), options, budget).Run();
}

}  // namespace paddock::awk
