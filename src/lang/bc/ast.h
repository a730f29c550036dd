// Programs of bc as trees.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lang/bc/number.h"

namespace paddock::bc {

enum class Word {
  // What a node does; the operators carry the same names as tokens.
  kNumber, kString, kName, kArray, kWholeArray, kSpecial, kCall,
  kAssign, kIncrementBefore, kDecrementBefore, kIncrementAfter, kDecrementAfter,
  kAdd, kSubtract, kMultiply, kDivide, kModulo, kPower, kNegate, kGroup,
  kAnd, kOr, kNot, kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kUnequal,
  kLength, kSquareRoot, kScale, kRead, kRandom,
};
enum class Special { kInputBase, kOutputBase, kScale, kLast };

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;
struct Expression {
  Word kind;
  Word operation = Word::kAssign;    // of kAssign: what is done before (kAssign itself: nothing)
  Special special = Special::kLast;
  std::string text;                  // of numbers and names
  std::vector<ExpressionPtr> parts;
  // What `text` stands for, once it was needed: a number's value in a base, a name's variable in the machine that runs this.
  mutable Number value;
  mutable int value_base = 0;
  mutable Number* variable = nullptr;

  // A long sum leans to the left, as deep as it has terms: it is taken apart in a loop. To the right the parser bounds the depth.
  ~Expression() {
    if (parts.empty()) return;
    ExpressionPtr left = std::move(parts[0]);
    while (left && !left->parts.empty()) {
      ExpressionPtr next = std::move(left->parts[0]);
      left = std::move(next);
    }
  }
};

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;
using StatementList = std::vector<StatementPtr>;
struct Statement {
  enum Kind { kExpression, kText, kPrint, kIf, kWhile, kFor, kBlock, kBreak, kContinue, kReturn, kHalt, kWarranty, kLimits } kind;
  std::string text;
  std::vector<ExpressionPtr> expressions;   // kFor: three, absent ones null
  StatementList body, otherwise;
};

struct Parameter {
  std::string name;
  bool is_array = false, is_reference = false;
};
struct Function {
  bool is_void = false;
  std::vector<Parameter> parameters;
  std::vector<Parameter> locals;
  StatementList body;
};

}  // namespace paddock::bc
