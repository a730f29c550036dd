// The compiler's class, whose parts are compiler*.cc: for those alone.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lang/awk/compiler.h"
#include "lang/awk/lint.h"

namespace paddock::awk {

// Jumps that wait for their target.
using Jumps = std::vector<int>;

struct Loop {
  Jumps breaks;
  Jumps continues;
  bool is_switch = false;
};

class Compiler {
 public:
  Compiler(const SyntaxTree& tree, std::vector<Source> sources, const CompileOptions& options, Budget& budget);
  Program Run();

 private:
  // Instructions.
  int Here() const { return static_cast<int>(program_.code.size()); }
  int Emit(Op op, int b = 0, uint32_t a = 0);
  void Count(const Node* node) {
    if (program_.counter_count > 0) Emit(Op::kCount, node->id);
  }
  void Lint(LintCheck check, int operand = 0) {
    if (lints_) Emit(Op::kLint, operand, static_cast<uint32_t>(check));
  }
  void LintVariable(const Node* node) {
    if (node->is_local) Lint(LintCheck::kLocal, node->slot);
    else if (node->slot >= kSpecialCount) Lint(LintCheck::kGlobal, node->slot);
  }
  void LintCondition(const Node* node) {
    if (node->kind == NodeKind::kAssign && node->op == Tok::kAssign && !node->in_parens) Lint(LintCheck::kCondition);
  }
  void Patch(const Jumps& jumps, int target);
  int AddConstant(Value value);
  int NumberConstant(double number);
  int NumberConstant(const Node* node);
  int TextConstant(const std::string& text, Kind kind);
  void PushConstant(Value value) { Emit(Op::kPushConstant, AddConstant(std::move(value))); }

  // Rules.
  int Rules(Rule::When when);

  // Statements.
  void Statement(const Node* node);
  void If(const Node* node);
  // Compiles a loop's body; returns the jumps of `break`. `continue` goes to where the body ends.
  Jumps Body(const Node* body);
  void Continue();
  // The condition is at the end, where each turn meets one jump.
  void While(const Node* node);
  void Do(const Node* node);
  void For(const Node* node);
  void JumpBack(const Node* condition, int top);
  void ForIn(const Node* node);
  void Switch(const Node* node);
  void Delete(const Node* target);
  void Print(const Node* node);
  // True for what can go to the output piece by piece: it cannot fail and nothing can change it.
  static bool CanEmit(const Node* node);
  void EmitPiece(const Node* node);
  void PrintGeneral(const Node* node, Op op);

  // Conditions.
  void JumpUnless(const Node* node, Jumps& jumps);
  void JumpWhen(const Node* node, Jumps& jumps);

  // Expressions.

  // The number of a field with a constant index, or -1.
  static int FieldNumber(const Node* node);
  static bool IsHooked(const Node* node) { return !node->is_local && node->slot <= kLastHooked; }
  static bool IsCounter(const Node* node) { return !node->is_local && node->slot <= kSlotFnr; }
  void NoteSlot(const Node* node);
  // Evaluates for its effects alone.
  void Discard(const Node* node);
  // An operand of which only the number counts.
  void Number(const Node* node);
  void Expression(const Node* node);
  void Variable(const Node* node);
  void Field(const Node* node);
  void Conditional(const Node* node);
  void Logical(const Node* node);
  void Match(const Node* node);
  static Op ArithmeticOp(Tok tok);
  static Op CompareOp(Tok tok);
  // The subscript of an element or of `in`, joined when there are several.
  void Subscript(const Node* node);
  // Pushes the array that a variable or an element is (or becomes).
  void ArrayOf(const Node* node);
  void Argument(const Node* node);
  void StoreVariable(const Node* node, bool drop);
  void Assign(const Node* node, bool drop);
  void Increment(const Node* node, bool drop);

  // What sets a variable on the side.

  // Pushes what is needed to find the place again; `keep_value` also pushes its value.
  void PrepareAside(const Node* to, bool keep_value);
  void StoreAside(const Node* to);
  void Getline(const Node* node);

  // Built-in functions.
  void Pattern(const Node* node);
  void ArrayArgument(const Node* node);
  void Substitute(const Node* node);
  void BuiltinCall(const Node* node);

  const SyntaxTree& tree_;
  Budget& budget_;
  const bool lints_;
  const bool reads_non_decimal_;
  const BigMath* math_;
  Program program_;
  Place place_;
  std::vector<Loop> loops_;
  std::map<double, int> numbers_;
  std::map<std::pair<Kind, std::string>, int> texts_;
};

}  // namespace paddock::awk
