#include "lang/awk/parser_parts.h"

#include <cmath>
#include <utility>

#include "lang/awk/number.h"

namespace paddock::awk {
namespace {

bool IsLvalue(const Node* node) {
  return !node->in_parens && (node->kind == NodeKind::kVariable || node->kind == NodeKind::kField ||
                              node->kind == NodeKind::kElement);
}

bool IsAssignment(Tok tok) { return tok >= Tok::kAssign && tok <= Tok::kPowerAssign; }

}  // namespace

std::vector<Node*> Parser::ParseList() {
  std::vector<Node*> list = {ParseExpression()};
  while (Accept(Tok::kComma)) {
    SkipNewlines();
    list.push_back(ParseExpression());
  }
  return list;
}

void Parser::SkipNewlinesInGnuMode() {
  if (input_.strictness == Strictness::kGnu) SkipNewlines();
}

Node* Parser::ParseExpression() {
  budget_.CheckStack();
  Node* const condition = ParseOr();
  if (!Is(Tok::kQuestion)) return condition;
  Node* const node = New(NodeKind::kConditional, condition);
  Advance();
  SkipNewlinesInGnuMode();
  node->b = ParseExpression();
  SkipNewlinesInGnuMode();
  Expect(Tok::kColon);
  SkipNewlinesInGnuMode();
  node->c = ParseExpression();
  return node;
}

Node* Parser::ParseOr() {
  Node* left = ParseAnd();
  while (Is(Tok::kOr)) {
    Node* const node = New(NodeKind::kOr, left);
    Advance();
    SkipNewlines();
    node->b = ParseAnd();
    left = node;
  }
  return left;
}

Node* Parser::ParseAnd() {
  Node* left = ParseIn();
  while (Is(Tok::kAnd)) {
    Node* const node = New(NodeKind::kAnd, left);
    Advance();
    SkipNewlines();
    node->b = ParseIn();
    left = node;
  }
  return left;
}

Node* Parser::ParseIn() {
  Node* left = ParseMatch(nullptr);
  while (Is(Tok::kIn)) {
    left = ParseInArray({left});
    left = ParseMatch(left);  // `i in a == 0` compares the answer
  }
  return left;
}

Node* Parser::ParseInArray(std::vector<Node*> subscripts) {
  Node* const node = NewAndAdvance(NodeKind::kIn);
  node->list = std::move(subscripts);
  if (!Is(Tok::kName)) {
    SyntaxError();
    return node;
  }
  node->a = ParseName();
  return node;
}

Node* Parser::ParseMatch(Node* left) {
  left = ParseCompare(left);
  while (Is(Tok::kMatch) || Is(Tok::kNoMatch)) {
    if (left->kind == NodeKind::kRegex && !left->in_parens) {
      input_.warnings.push_back(PlaceOf(token_.place) +
                                ": warning: regular expression on left of `~' or `!~' operator");
    }
    Node* const node = New(NodeKind::kMatch, left);
    node->is_negative = Is(Tok::kNoMatch);
    Advance();
    node->b = ParseCompare(nullptr);
    left = node;
  }
  return left;
}

bool Parser::AtComparison() const {
  switch (token_.kind) {
    case Tok::kLess:
    case Tok::kLessEqual:
    case Tok::kGreaterEqual:
    case Tok::kEqual:
    case Tok::kNotEqual: return true;
    case Tok::kGreater: return !greater_is_redirect_;
    default: return false;
  }
}

Node* Parser::ParseCompare(Node* left) {
  if (left == nullptr) left = ParseConcat();
  if (!AtComparison()) return left;
  Node* const node = New(NodeKind::kCompare, left);
  node->op = token_.kind;
  Advance();
  node->b = ParseConcat();
  return node;
}

bool Parser::AtOperand() const {
  switch (token_.kind) {
    case Tok::kNumber:
    case Tok::kString:
    case Tok::kName:
    case Tok::kCallName:
    case Tok::kBuiltin:
    case Tok::kDollar:
    case Tok::kNot:
    case Tok::kLeftParen:
    case Tok::kIncrement:
    case Tok::kDecrement:
    case Tok::kGetline:
    case Tok::kAt: return true;
    default: return false;
  }
}

Node* Parser::ParseConcat() {
  Node* left = ParseAdditive(nullptr);
  if (IsAssignment(token_.kind) && IsLvalue(left)) return ParseAssignment(left);
  for (;;) {
    if ((Is(Tok::kPipe) || Is(Tok::kPipeBoth)) && PeekAhead().kind == Tok::kGetline) {
      const bool is_coprocess = Is(Tok::kPipeBoth);
      Advance();
      Node* const getline = NewAndAdvance(NodeKind::kGetline);
      getline->redirect = is_coprocess ? Redirect::kCoprocess : Redirect::kPipe;
      getline->a = ParseOptionalLvalue();
      getline->b = left;
      left = ParseAdditive(getline);
    } else if (AtOperand() || Is(Tok::kDivideAssign)) {  // nothing to assign to: a pattern that starts with =
      Node* const right = ParseAdditive(nullptr);
      if (left->kind != NodeKind::kConcat || left->in_parens) {
        Node* const node = New(NodeKind::kConcat);
        node->list = {left};
        left = node;
      }
      left->list.push_back(right);
    } else {
      return left;
    }
  }
}

Node* Parser::ParseAssignment(Node* left) {
  budget_.CheckStack();
  Node* const node = New(NodeKind::kAssign, left);
  node->op = token_.kind;
  if (input_.keeps_form) node->literal = token_.literal;
  Advance();
  SkipNewlinesInGnuMode();
  node->b = ParseExpression();
  return node;
}

Node* Parser::NewArithmetic(Tok op, Node* left, Node* right) {
  if (left->kind == NodeKind::kNumber && right->kind == NodeKind::kNumber && !input_.keeps_form) {
    const double a = left->number, b = right->number;
    if ((op == Tok::kSlash || op == Tok::kPercent) && b == 0) {
      Complain(left->place, op == Tok::kSlash ? "division by zero attempted"
                                              : "division by zero attempted in `%'");
      return left;
    }
    Node* const folded = New(NodeKind::kNumber);
    switch (op) {
      case Tok::kPlus: folded->number = a + b; break;
      case Tok::kMinus: folded->number = a - b; break;
      case Tok::kStar: folded->number = a * b; break;
      case Tok::kSlash: folded->number = a / b; break;
      case Tok::kPercent: folded->number = std::fmod(a, b); break;
      default: folded->number = Power(a, b); break;
    }
    return folded;
  }
  Node* const node = New(NodeKind::kArithmetic, left, right);
  node->op = op;
  return node;
}

Node* Parser::ParseAdditive(Node* left) {
  left = ParseMultiplicative(left);
  while (Is(Tok::kPlus) || Is(Tok::kMinus)) {
    const Tok op = token_.kind;
    Advance();
    left = NewArithmetic(op, left, ParseMultiplicative(nullptr));
  }
  return left;
}

Node* Parser::ParseMultiplicative(Node* left) {
  left = left != nullptr ? ParsePower(left) : ParseUnary();
  while (Is(Tok::kStar) || Is(Tok::kSlash) || Is(Tok::kPercent)) {
    const Tok op = token_.kind;
    Advance();
    left = NewArithmetic(op, left, ParseUnary());
  }
  return left;
}

Node* Parser::ParseUnary() {
  budget_.CheckStack();
  return ParseSigned();
}

Node* Parser::ParseSigned() {
  NodeKind kind;
  switch (token_.kind) {
    case Tok::kNot: kind = NodeKind::kNot; break;
    case Tok::kMinus: kind = NodeKind::kNegate; break;
    case Tok::kPlus: kind = NodeKind::kPlus; break;
    default: return ParsePower(nullptr);
  }
  budget_.CheckStack();
  Node* const node = NewAndAdvance(kind);
  Node* const operand = ParseSigned();
  const bool is_literal = !input_.keeps_form || operand->paren_count == 0;
  if (operand->kind == NodeKind::kNumber && kind != NodeKind::kNot && is_literal) {
    Node* const folded = New(NodeKind::kNumber);
    folded->number = kind == NodeKind::kNegate ? -operand->number : operand->number;
    folded->literal = (kind == NodeKind::kNegate ? "-" : "+") + operand->literal;
    return folded;
  }
  node->a = operand;
  return node;
}

Node* Parser::ParsePower(Node* base) {
  if (base == nullptr) base = ParsePostfix();
  if (!Is(Tok::kCaret)) return base;
  budget_.CheckStack();
  const std::string sign = token_.literal;
  Advance();
  Node* const exponent = ParseSigned();
  Node* const node = NewArithmetic(Tok::kCaret, base, exponent);
  if (node->kind == NodeKind::kArithmetic && input_.keeps_form) node->literal = sign;
  return node;
}

Node* Parser::ParsePostfix() {
  Node* const operand = ParsePrimary();
  if (!IsLvalue(operand) || (!Is(Tok::kIncrement) && !Is(Tok::kDecrement))) return operand;
  Node* const node = New(NodeKind::kIncrement, operand);
  node->is_negative = Is(Tok::kDecrement);
  Advance();
  if (operand->kind == NodeKind::kField && IsAssignment(token_.kind)) {
    Advance();
    SkipNewlinesInGnuMode();
    ParseExpression();
    SyntaxError("cannot assign a value to the result of a field post-increment expression");
  }
  return node;
}

Node* Parser::ParsePrimary() {
  switch (token_.kind) {
    case Tok::kNumber:
    case Tok::kString: {
      Node* const node = New(Is(Tok::kNumber) ? NodeKind::kNumber : NodeKind::kString);
      node->number = token_.number;
      node->is_translatable = token_.is_translatable;
      node->text = std::move(token_.text);
      if (input_.keeps_form) node->literal = std::move(token_.literal);
      Advance();
      return node;
    }
    case Tok::kSlash:
    case Tok::kDivideAssign: return ParseRegex(NodeKind::kRegex);
    case Tok::kName: return ParseName();
    case Tok::kCallName: return ParseCall();
    case Tok::kBuiltin: return ParseBuiltin();
    case Tok::kLeftParen: return ParseGroup();
    case Tok::kDollar: return ParseField();
    case Tok::kGetline: return ParseGetline();
    case Tok::kAt: return ParseAt();
    case Tok::kIncrement:
    case Tok::kDecrement: {
      Node* const node = New(NodeKind::kIncrement);
      node->is_prefix = true;
      node->is_negative = Is(Tok::kDecrement);
      Advance();
      if (!Is(Tok::kDollar) && !Is(Tok::kName)) SyntaxError();
      node->a = ParsePrimary();
      return node;
    }
    default: break;
  }
  SyntaxError();
  return New(NodeKind::kNumber);
}

Node* Parser::ParseRegex(NodeKind kind) {
  Node* const node = New(kind);
  has_ahead_ = false;
  token_ = lexer_.ReadRegex(token_);
  if (Is(Tok::kError)) {
    SyntaxError(lexer_.error());
    return node;
  }
  node->text = std::move(token_.text);
  if (input_.keeps_form) node->literal = std::move(token_.literal);
  tree_.escapes.Report(node->text, [&](const std::string& message) {
    input_.warnings.push_back(PlaceOf(token_.place) + ": warning: " + message);
  });
  Advance();
  return node;
}

Node* Parser::ParseField() {
  budget_.CheckStack();
  Node* const node = NewAndAdvance(NodeKind::kField);
  // Behind a sign the index goes on to what binds tighter than signs: $-i++ is $(-(i++)).
  if (Is(Tok::kMinus) || Is(Tok::kPlus) || Is(Tok::kNot)) {
    node->a = ParseSigned();
    return node;
  }
  node->a = ParsePrimary();
  if (node->a->kind != NodeKind::kField || !IsLvalue(node->a)) return node;
  if (!Is(Tok::kIncrement) && !Is(Tok::kDecrement)) return node;
  Node* const step = New(NodeKind::kIncrement, node->a);  // the inner $ takes it: $$i++ is $($i++)
  step->is_negative = Is(Tok::kDecrement);
  node->a = step;
  Advance();
  return node;
}

Node* Parser::ParseName() {
  Node* node = NewVariable();
  Advance();
  while (Is(Tok::kLeftBracket)) {
    Node* const element = NewAndAdvance(NodeKind::kElement);
    element->a = node;
    if (node->kind == NodeKind::kElement && input_.strictness != Strictness::kGnu) {
      Stop(Code::kInvalid, PlaceOf(element->place) + ": fatal: multidimensional arrays are a gawk extension");
      return node;
    }
    element->list = ParseList();
    Expect(Tok::kRightBracket);
    node = element;
  }
  return node;
}

std::vector<Node*> Parser::ParseArguments() {
  const bool was_redirect = std::exchange(greater_is_redirect_, false);
  std::vector<Node*> list;
  Expect(Tok::kLeftParen);
  if (!Is(Tok::kRightParen)) list = ParseList();
  if (!Is(Tok::kRightParen)) SyntaxError();
  greater_is_redirect_ = was_redirect;
  return list;
}

Node* Parser::ParseCall() {
  Node* const node = New(NodeKind::kCall);
  node->text = QualifiedName();
  if (FindParameter(node->text) >= 0) {
    Complain(node->place, "attempt to use non-function `" + node->text + "' in function call");
  }
  node->slot = FunctionSlot(node->text);
  Advance();
  node->list = ParseArguments();
  Advance();
  return node;
}

Node* Parser::ParseBuiltin() {
  Node* const node = New(NodeKind::kBuiltin);
  node->builtin = token_.builtin;
  const BuiltinInfo& info = InfoOf(node->builtin);
  Advance();
  if (!Is(Tok::kLeftParen)) {
    if (node->builtin != Builtin::kLength) SyntaxError();
    node->is_bare = true;
    return node;
  }
  node->list = ParseArguments();
  const int count = static_cast<int>(node->list.size());
  if (count < info.min_arguments || (info.max_arguments >= 0 && count > info.max_arguments)) {
    SyntaxError(std::to_string(count) + " is invalid as number of arguments for " +
                std::string(info.name));
  }
  Advance();
  return node;
}

Node* Parser::ParseGroup() {
  budget_.CheckStack();
  const bool may_be_list = std::exchange(group_allowed_, false);
  const bool was_redirect = std::exchange(greater_is_redirect_, false);
  Node* const group = NewAndAdvance(NodeKind::kGroup);
  group->list = ParseList();
  greater_is_redirect_ = was_redirect;
  Expect(Tok::kRightParen);
  if (group->list.size() == 1) {
    Node* const inner = group->list[0];
    inner->in_parens = true;
    if (inner->paren_count < UINT8_MAX) ++inner->paren_count;
    return inner;
  }
  if (Is(Tok::kIn)) return ParseInArray(std::move(group->list));
  if (!may_be_list || (!AtStatementEnd() && !AtRedirect())) SyntaxError();
  return group;
}

Node* Parser::ParseOptionalLvalue() {
  if (Is(Tok::kName)) return ParseName();
  return Is(Tok::kDollar) ? ParseField() : nullptr;
}

Node* Parser::ParseGetline() {
  Node* const node = NewAndAdvance(NodeKind::kGetline);
  node->a = ParseOptionalLvalue();
  if (Is(Tok::kLess)) {
    Advance();
    node->redirect = Redirect::kFile;
    node->b = ParseAdditive(nullptr);
  } else if (!in_function_ &&
             (when_ == Rule::When::kBeginFile || when_ == Rule::When::kEndFile)) {
    const std::string rule = when_ == Rule::When::kBeginFile ? "BEGINFILE" : "ENDFILE";
    Complain(node->place, "non-redirected `getline' invalid inside `" + rule + "' rule");
  }
  return node;
}

Node* Parser::ParseAt() {
  Advance();
  if (Is(Tok::kSlash) || Is(Tok::kDivideAssign)) return ParseRegex(NodeKind::kTypedRegex);
  if (!Is(Tok::kCallName)) {
    SyntaxError();
    return New(NodeKind::kNumber);
  }
  Node* const node = New(NodeKind::kIndirectCall);
  node->a = NewVariable();
  Advance();
  node->list = ParseArguments();
  Advance();
  return node;
}

}  // namespace paddock::awk
