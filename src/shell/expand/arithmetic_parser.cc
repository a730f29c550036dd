// Compiles arithmetic text: recursive descent straight to instructions.

#include <algorithm>

#include "shell/ast/ast.h"
#include "shell/expand/arithmetic.h"
#include "shell/expand/arithmetic_code.h"
#include "shell/expand/arithmetic_lexer.h"

namespace paddock::shell {
namespace {

using Token = ArithmeticToken;
using Op = ArithmeticOp;

constexpr uint32_t kUnpatched = UINT32_MAX;
constexpr int kMaxNesting = 1000;
constexpr int kPowerLevel = 11;

struct BinaryOperator {
  int level;   // 0: not a binary operator
  Op op;
};

BinaryOperator FindBinary(Token token) {
  switch (token) {
    case Token::kOrOr: return {1, Op::kOrElse};
    case Token::kAndAnd: return {2, Op::kAndElse};
    case Token::kOr: return {3, Op::kBitOr};
    case Token::kXor: return {4, Op::kBitXor};
    case Token::kAnd: return {5, Op::kBitAnd};
    case Token::kEqual: return {6, Op::kEqual};
    case Token::kNotEqual: return {6, Op::kNotEqual};
    case Token::kLess: return {7, Op::kLess};
    case Token::kLessEqual: return {7, Op::kLessEqual};
    case Token::kGreater: return {7, Op::kGreater};
    case Token::kGreaterEqual: return {7, Op::kGreaterEqual};
    case Token::kShiftLeft: return {8, Op::kShiftLeft};
    case Token::kShiftRight: return {8, Op::kShiftRight};
    case Token::kPlus: return {9, Op::kAdd};
    case Token::kMinus: return {9, Op::kSubtract};
    case Token::kStar: return {10, Op::kMultiply};
    case Token::kSlash: return {10, Op::kDivide};
    case Token::kPercent: return {10, Op::kRemainder};
    case Token::kPower: return {kPowerLevel, Op::kPower};
    default: return {0, Op::kEnd};
  }
}

// The operation of `op=`; kStore for plain '=', kEnd for any other token.
Op FindAssignment(Token token) {
  switch (token) {
    case Token::kAssign: return Op::kStore;
    case Token::kAssignMultiply: return Op::kMultiply;
    case Token::kAssignDivide: return Op::kDivide;
    case Token::kAssignRemainder: return Op::kRemainder;
    case Token::kAssignAdd: return Op::kAdd;
    case Token::kAssignSubtract: return Op::kSubtract;
    case Token::kAssignShiftLeft: return Op::kShiftLeft;
    case Token::kAssignShiftRight: return Op::kShiftRight;
    case Token::kAssignAnd: return Op::kBitAnd;
    case Token::kAssignXor: return Op::kBitXor;
    case Token::kAssignOr: return Op::kBitOr;
    default: return Op::kEnd;
  }
}

bool NeedsExpansion(std::string_view text) {
  return text.find_first_of("$`\"'\\") != std::string_view::npos;
}

class Compiler {
 public:
  Compiler(std::string_view text, int nesting)
      : result_(std::make_shared<Arithmetic>()), nesting_(nesting) {
    result_->text = text;
    lexer_ = ArithmeticLexer(result_->text);
  }

  std::shared_ptr<const Arithmetic> Compile() {
    if (lexer_.token() == Token::kEnd) {
      Emit(Op::kPush, 0, 1);
    } else {
      ParseComma();
      if (lexer_.token() != Token::kEnd) Fail("syntax error in expression");
    }
    const auto end = static_cast<uint32_t>(result_->code.size());
    result_->code.push_back({has_failed_ ? Op::kError : Op::kEnd});
    for (ArithmeticInstruction& instruction : result_->code) {
      if (IsJump(instruction.op) && instruction.argument == kUnpatched) instruction.argument = end;
    }
    return std::move(result_);
  }

 private:
  static bool IsJump(Op op) {
    return op == Op::kJump || op == Op::kJumpIfZero || op == Op::kAndElse || op == Op::kOrElse;
  }

  // Appends an instruction that changes the number of values on the stack by `growth`.
  size_t Emit(Op op, uint32_t argument, int growth, int64_t value = 0) {
    // A bad token is found when it is read, before what stands ahead of it is computed.
    if (lexer_.token() == Token::kError) Fail(lexer_.error());
    if (has_failed_) return 0;
    depth_ += growth;
    result_->stack_size = std::max(result_->stack_size, static_cast<size_t>(depth_) + 1);
    result_->code.push_back({op, argument, static_cast<uint32_t>(lexer_.start()), value});
    return result_->code.size() - 1;
  }
  void PatchToHere(size_t jump) {
    if (has_failed_) return;
    result_->code[jump].argument = static_cast<uint32_t>(result_->code.size());
  }

  void Fail(const char* message) {
    if (has_failed_) return;
    has_failed_ = true;
    result_->error = message;
    result_->error_token = lexer_.start();
    result_->error_end = result_->text.size();
    if (lexer_.token() != Token::kError) return;
    result_->error = lexer_.error();
    result_->error_end = lexer_.error_end();
  }

  // True when the descent must stop here.
  bool IsTooDeep() {
    if (nesting_ < kMaxNesting) return false;
    result_->is_too_deep = true;
    Fail("expression recursion level exceeded");
    return true;
  }

  // The number of the name or element that the lexer is at.
  uint32_t NoteName() {
    const std::string name(lexer_.name());
    auto& names = result_->names;
    for (size_t i = 0; i < names.size() && i < 16; ++i) {
      if (names[i].text == name) return static_cast<uint32_t>(i);
    }
    names.emplace_back(name);
    return static_cast<uint32_t>(names.size() - 1);
  }
  uint32_t NoteElement() {
    Arithmetic::Element element;
    element.name = Name(std::string(lexer_.name()));
    element.subscript = lexer_.subscript();
    element.source = element.name.text + "[" + element.subscript + "]";
    if (!NeedsExpansion(element.subscript)) {
      element.compiled = Compiler(element.subscript, nesting_ + 1).Compile();
      if (element.compiled->is_too_deep) {
        result_->is_too_deep = true;
        Fail("expression recursion level exceeded");
      }
    }
    result_->elements.push_back(std::move(element));
    return static_cast<uint32_t>(result_->elements.size() - 1);
  }

  void ParseComma() {
    ParseAssignment();
    while (!has_failed_ && lexer_.token() == Token::kComma) {
      lexer_.Advance();
      Emit(Op::kDrop, 0, -1);
      ParseAssignment();
    }
  }

  void ParseAssignment() {
    if (IsTooDeep()) return;
    ++nesting_;
    const Token token = lexer_.token();
    if (token != Token::kName && token != Token::kElement) {
      ParseConditional();
    } else {
      ArithmeticLexer ahead = lexer_;
      ahead.Advance();
      const Op op = FindAssignment(ahead.token());
      if (op == Op::kEnd) {
        ParseConditional();
      } else if (token == Token::kName) {
        AssignVariable(op, ahead);
      } else {
        AssignElement(op, ahead);
      }
    }
    if (FindAssignment(lexer_.token()) != Op::kEnd) Fail("attempted assignment to non-variable");
    --nesting_;
  }

  void AssignVariable(Op op, const ArithmeticLexer& at_operator) {
    const uint32_t name = NoteName();
    if (op != Op::kStore) Emit(Op::kLoad, name, 1);
    lexer_ = at_operator;
    lexer_.Advance();
    ParseAssignment();
    if (op != Op::kStore) Emit(op, 0, -1);
    Emit(Op::kStore, name, 0);
  }

  void AssignElement(Op op, const ArithmeticLexer& at_operator) {
    const uint32_t element = NoteElement();
    if (op != Op::kStore) {
      Emit(Op::kResolve, element, 0);
      Emit(Op::kLoadPlace, element, 1);
    }
    lexer_ = at_operator;
    lexer_.Advance();
    ParseAssignment();
    if (op != Op::kStore) Emit(op, 0, -1);
    Emit(op == Op::kStore ? Op::kStoreElement : Op::kStorePlace, element, 0);
  }

  void ParseConditional() {
    ParseBinary(1);
    if (has_failed_ || lexer_.token() != Token::kQuestion) return;
    if (IsTooDeep()) return;
    ++nesting_;
    lexer_.Advance();
    if (lexer_.token() == Token::kEnd || lexer_.token() == Token::kColon) Fail("expression expected");
    const size_t to_else = Emit(Op::kJumpIfZero, kUnpatched, -1);
    ParseComma();
    if (lexer_.token() != Token::kColon) Fail("`:' expected for conditional expression");
    const size_t to_end = Emit(Op::kJump, kUnpatched, -1);
    lexer_.Advance();
    if (lexer_.token() == Token::kEnd) Fail("expression expected");
    PatchToHere(to_else);
    ParseConditional();
    PatchToHere(to_end);
    --nesting_;
  }

  void ParseBinary(int level) {
    ParseUnary();
    while (!has_failed_) {
      const BinaryOperator binary = FindBinary(lexer_.token());
      if (binary.level < level || binary.level == 0) return;
      lexer_.Advance();
      if (binary.level <= 2) {
        const size_t jump = Emit(binary.op, kUnpatched, -1);
        ParseBinary(binary.level + 1);
        Emit(Op::kToBool, 0, 0);
        PatchToHere(jump);
        continue;
      }
      const size_t operand = lexer_.start();
      if (binary.level == kPowerLevel) {
        if (IsTooDeep()) return;
        ++nesting_;
        ParseBinary(kPowerLevel);
        --nesting_;
      } else {
        ParseBinary(binary.level + 1);
      }
      const size_t at = Emit(binary.op, 0, -1);
      if (binary.level == 10 && !has_failed_) result_->code[at].token = static_cast<uint32_t>(operand);
    }
  }

  void ParseUnary() {
    Op op;
    switch (lexer_.token()) {
      case Token::kNot: op = Op::kNot; break;
      case Token::kTilde: op = Op::kComplement; break;
      case Token::kMinus: op = Op::kNegate; break;
      case Token::kPlus: op = Op::kEnd; break;
      default: return ParsePrimary();
    }
    if (IsTooDeep()) return;
    ++nesting_;
    lexer_.Advance();
    ParseUnary();
    if (op != Op::kEnd) Emit(op, 0, 0);
    --nesting_;
  }

  void ParsePrimary() {
    switch (lexer_.token()) {
      case Token::kNumber:
        Emit(Op::kPush, 0, 1, lexer_.number());
        lexer_.Advance();
        return;
      case Token::kLeft:
        lexer_.Advance();
        ParseComma();
        if (lexer_.token() != Token::kRight) return Fail("missing `)'");
        lexer_.Advance();
        return;
      case Token::kName:
      case Token::kElement:
        return ParseVariable();
      case Token::kPreIncrement:
      case Token::kPreDecrement:
        return ParsePrefix();
      default:
        Fail("syntax error: operand expected");
    }
  }

  void ParseVariable() {
    const bool is_element = lexer_.token() == Token::kElement;
    const uint32_t index = is_element ? NoteElement() : NoteName();
    ArithmeticLexer ahead = lexer_;
    ahead.Advance();
    const bool is_increment = ahead.token() == Token::kPostIncrement;
    if (ahead.token() == Token::kAssign) {
      Emit(Op::kPush, 0, 1);   // a misplaced assignment: its left side is not read
      lexer_ = ahead;
      return;
    }
    if (!is_increment && ahead.token() != Token::kPostDecrement) {
      Emit(is_element ? Op::kLoadElement : Op::kLoad, index, 1);
      lexer_ = ahead;
      return;
    }
    if (is_element) Emit(Op::kResolve, index, 0);
    Emit(is_element ? Op::kPlacePostAdd : Op::kPostAdd, index, 1, is_increment ? 1 : -1);
    lexer_ = ahead;
    lexer_.Advance();
  }

  void ParsePrefix() {
    const bool is_increment = lexer_.token() == Token::kPreIncrement;
    lexer_.Advance();
    const bool is_element = lexer_.token() == Token::kElement;
    const uint32_t index = is_element ? NoteElement() : NoteName();
    if (is_element) Emit(Op::kResolve, index, 0);
    Emit(is_element ? Op::kPlacePreAdd : Op::kPreAdd, index, 1, is_increment ? 1 : -1);
    lexer_.Advance();
    if (lexer_.token() == Token::kPostIncrement) Fail("++: assignment requires lvalue");
    if (lexer_.token() == Token::kPostDecrement) Fail("--: assignment requires lvalue");
  }

  std::shared_ptr<Arithmetic> result_;
  ArithmeticLexer lexer_{{}};
  int nesting_;
  int depth_ = 0;
  bool has_failed_ = false;
};

}  // namespace

std::shared_ptr<const Arithmetic> CompileAny(std::string_view text) { return Compiler(text, 0).Compile(); }

std::shared_ptr<const Arithmetic> CompileArithmetic(std::string_view text) {
  if (NeedsExpansion(text)) return nullptr;
  auto compiled = CompileAny(text);
  if (compiled->error != nullptr) return nullptr;
  return compiled;
}

std::shared_ptr<const Arithmetic> CompileArithmetic(const Word& word) {
  return word.is_plain ? CompileArithmetic(word.plain) : nullptr;
}

std::shared_ptr<const Arithmetic> ArithmeticCache::Get(std::string_view text) {
  if (text.size() > kMaxText) return CompileAny(text);
  if (slots_.empty()) slots_.resize(kSlots);
  std::shared_ptr<const Arithmetic>& slot = slots_[HashName(text) % kSlots];
  if (!slot || slot->text != text) slot = CompileAny(text);
  return slot;
}

}  // namespace paddock::shell
