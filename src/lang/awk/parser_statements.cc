#include "lang/awk/parser_parts.h"

#include <utility>

namespace paddock::awk {

Node* Parser::ParseBlock() {
  Node* const block = New(NodeKind::kBlock);
  Expect(Tok::kLeftBrace);
  SkipNewlines();
  while (!Is(Tok::kRightBrace)) {
    if (Is(Tok::kEnd)) {
      SyntaxError();
      return block;
    }
    block->list.push_back(ParseStatement());
  }
  last_brace_ = token_.place;
  block->end_line = token_.place.line;
  Advance();
  return block;
}

void Parser::EndStatement() {
  if (Is(Tok::kSemicolon) || Is(Tok::kNewline)) {
    Advance();
    SkipNewlines();
  } else if (!Is(Tok::kRightBrace)) {
    SyntaxError();
  }
}

Node* Parser::ParseStatement() {
  budget_.CheckStack();
  switch (token_.kind) {
    case Tok::kLeftBrace: {
      Node* const block = ParseBlock();
      SkipNewlines();
      return block;
    }
    case Tok::kSemicolon: {
      Node* const block = New(NodeKind::kBlock);
      Advance();
      SkipNewlines();
      return block;
    }
    case Tok::kIf: return ParseIf();
    case Tok::kWhile: return ParseWhile();
    case Tok::kDo: return ParseDo();
    case Tok::kFor: return ParseFor();
    case Tok::kSwitch: return ParseSwitch();
    default: break;
  }
  Node* const statement = ParseSimple();
  statement->end_line = token_.place.line;
  EndStatement();
  return statement;
}

Node* Parser::ParseCondition() {
  Expect(Tok::kLeftParen);
  Node* const condition = ParseExpression();
  Expect(Tok::kRightParen);
  return condition;
}

Node* Parser::ParseIf() {
  Node* const node = New(NodeKind::kIf);
  Advance();
  node->a = ParseCondition();
  SkipNewlines();
  node->b = ParseStatement();
  if (Accept(Tok::kElse)) {
    SkipNewlines();
    node->c = ParseStatement();
  }
  return node;
}

Node* Parser::ParseBody() {
  ++loop_depth_;
  SkipNewlines();
  Node* const body = ParseStatement();
  --loop_depth_;
  return body;
}

Node* Parser::ParseWhile() {
  Node* const node = New(NodeKind::kWhile);
  Advance();
  node->a = ParseCondition();
  node->b = ParseBody();
  return node;
}

Node* Parser::ParseDo() {
  Node* const node = New(NodeKind::kDo);
  Advance();
  node->b = ParseBody();
  Expect(Tok::kWhile);
  node->a = ParseCondition();
  node->end_line = token_.place.line;
  EndStatement();
  return node;
}

Node* Parser::ParseFor() {
  Node* const node = New(NodeKind::kFor);
  Advance();
  Expect(Tok::kLeftParen);
  Node* const init = Is(Tok::kSemicolon) ? nullptr : ParseSimple();
  if (init != nullptr && Is(Tok::kRightParen) && MakeForIn(node, init)) {
    Advance();
    node->c = ParseBody();
    return node;
  }
  node->list = {init, nullptr};
  Expect(Tok::kSemicolon);
  SkipNewlines();
  if (!Is(Tok::kSemicolon)) node->a = ParseExpression();
  Expect(Tok::kSemicolon);
  SkipNewlines();
  if (!Is(Tok::kRightParen)) node->list[1] = ParseSimple();
  Expect(Tok::kRightParen);
  node->b = ParseBody();
  return node;
}

bool Parser::MakeForIn(Node* node, const Node* init) {
  if (init->kind != NodeKind::kExpression) return false;
  const Node* const in = init->a;
  if (in->kind != NodeKind::kIn || in->in_parens || in->list.size() != 1) return false;
  Node* const variable = in->list[0];
  if (variable->kind != NodeKind::kVariable || variable->in_parens) return false;
  node->kind = NodeKind::kForIn;
  node->a = variable;
  node->b = in->a;
  return true;
}

Node* Parser::ParseSwitch() {
  Node* const node = New(NodeKind::kSwitch);
  Advance();
  node->a = ParseCondition();
  SkipNewlines();
  Expect(Tok::kLeftBrace);
  SkipNewlines();
  ++switch_depth_;
  bool has_default = false;
  while (!has_failed_ && !Is(Tok::kRightBrace)) {
    Node* const label = New(NodeKind::kCase);
    if (Accept(Tok::kDefault)) {
      if (has_default) Complain(label->place, "duplicate `default' detected in switch body");
      has_default = true;
    } else {
      Expect(Tok::kCase);
      label->a = ParseCaseValue();
      CheckDuplicate(node, label);
    }
    Expect(Tok::kColon);
    SkipNewlines();
    while (!has_failed_ && !Is(Tok::kCase) && !Is(Tok::kDefault) && !Is(Tok::kRightBrace)) {
      label->list.push_back(ParseStatement());
    }
    node->list.push_back(label);
  }
  --switch_depth_;
  node->end_line = token_.place.line;
  Expect(Tok::kRightBrace);
  SkipNewlines();
  return node;
}

Node* Parser::ParseCaseValue() {
  const bool is_negative = Is(Tok::kMinus);
  const bool has_sign = is_negative || Is(Tok::kPlus);
  if (has_sign) Advance();
  if (has_sign && !Is(Tok::kNumber)) SyntaxError();
  if (Is(Tok::kNumber) || Is(Tok::kString) || Is(Tok::kSlash) || Is(Tok::kDivideAssign) ||
      Is(Tok::kAt)) {
    Node* const value = ParsePrimary();
    if (is_negative) {
      value->number = -value->number;
      value->literal.insert(0, "-");
    }
    return value;
  }
  SyntaxError();
  return New(NodeKind::kNumber);
}

void Parser::CheckDuplicate(const Node* node, const Node* label) {
  for (const Node* other : node->list) {
    if (other->a == nullptr || other->a->kind != label->a->kind) continue;
    const bool is_number = label->a->kind == NodeKind::kNumber;
    if (is_number ? other->a->number != label->a->number : other->a->text != label->a->text) continue;
    std::string value = label->a->text;
    if (is_number) value = std::to_string(static_cast<int64_t>(label->a->number));
    Complain(label->place, "duplicate case values in switch body: " + value);
  }
}

Node* Parser::ParseSimple() {
  switch (token_.kind) {
    case Tok::kPrint: return ParsePrint(NodeKind::kPrint);
    case Tok::kPrintf: return ParsePrint(NodeKind::kPrintf);
    case Tok::kNext:
    case Tok::kNextFile: return ParseNext();
    case Tok::kExit: return ParseWithValue(NodeKind::kExit);
    case Tok::kDelete: return ParseDelete();
    case Tok::kReturn:
      if (!in_function_) SyntaxError("`return' used outside function context");
      return ParseWithValue(NodeKind::kReturn);
    case Tok::kBreak:
      if (loop_depth_ + switch_depth_ == 0) {
        Complain(token_.place, "`break' is not allowed outside a loop or switch");
      }
      return NewAndAdvance(NodeKind::kBreak);
    case Tok::kContinue:
      if (loop_depth_ == 0) Complain(token_.place, "`continue' is not allowed outside a loop");
      return NewAndAdvance(NodeKind::kContinue);
    default: break;
  }
  Node* const node = New(NodeKind::kExpression);
  node->a = ParseExpression();
  return node;
}

Node* Parser::NewAndAdvance(NodeKind kind) {
  Node* const node = New(kind);
  Advance();
  return node;
}

Node* Parser::ParseNext() {
  const std::string name = token_.text;
  const bool is_file = Is(Tok::kNextFile);
  if (!in_function_ && when_ != Rule::When::kRecord &&
      !(is_file && when_ == Rule::When::kBeginFile)) {
    static constexpr const char* kRules[] = {"BEGIN", "END", "BEGINFILE", "ENDFILE"};
    Complain(token_.place, "`" + name + "' used in " + kRules[static_cast<int>(when_)] + " action");
  }
  return NewAndAdvance(is_file ? NodeKind::kNextFile : NodeKind::kNext);
}

bool Parser::AtStatementEnd() const {
  return Is(Tok::kSemicolon) || Is(Tok::kNewline) || Is(Tok::kRightBrace) || Is(Tok::kEnd);
}

Node* Parser::ParseWithValue(NodeKind kind) {
  Node* const node = NewAndAdvance(kind);
  if (!AtStatementEnd()) node->a = ParseExpression();
  return node;
}

Node* Parser::ParseDelete() {
  Node* const node = NewAndAdvance(NodeKind::kDelete);
  const bool in_parens = Accept(Tok::kLeftParen);
  if (!Is(Tok::kName)) {
    SyntaxError();
    return node;
  }
  node->a = ParseName();
  const Node* base = node->a;
  while (base->kind == NodeKind::kElement) base = base->a;
  if (!base->is_local && (base->slot == kSlotSymtab || base->slot == kSlotFunctab)) {
        Place place = token_.place;   // gawk has read on
    if (Is(Tok::kNewline)) ++place.line;
    Stop(Code::kInvalid, PlaceOf(place) + ": fatal: `delete' is not allowed with " + base->text);
  }
  if (in_parens) Expect(Tok::kRightParen);
  return node;
}

Node* Parser::ParsePrint(NodeKind kind) {
  Node* const node = NewAndAdvance(kind);
  const bool was_redirect = std::exchange(greater_is_redirect_, true);
  group_allowed_ = Is(Tok::kLeftParen);
  if (!AtStatementEnd() && !AtRedirect()) {
    node->list = ParseList();
    if (node->list.size() == 1 && node->list[0]->kind == NodeKind::kGroup) {
      node->list = std::vector<Node*>(node->list[0]->list);
    }
  }
  group_allowed_ = false;
  switch (token_.kind) {
    case Tok::kGreater: node->redirect = Redirect::kFile; break;
    case Tok::kAppend: node->redirect = Redirect::kAppend; break;
    case Tok::kPipe: node->redirect = Redirect::kPipe; break;
    case Tok::kPipeBoth: node->redirect = Redirect::kCoprocess; break;
    default: break;
  }
  if (node->redirect != Redirect::kNone) {
    Advance();
    node->b = ParseConcat();
  }
  greater_is_redirect_ = was_redirect;
  return node;
}

bool Parser::AtRedirect() const {
  return Is(Tok::kGreater) || Is(Tok::kAppend) || Is(Tok::kPipe) || Is(Tok::kPipeBoth);
}

}  // namespace paddock::awk
