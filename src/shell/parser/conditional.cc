// The grammar inside [[ ]].
#include "shell/parser/characters.h"
#include "shell/parser/grammar.h"

namespace paddock::shell {
namespace {

bool IsUnaryOperator(std::string_view text) {
  return text.size() == 2 && text[0] == '-' &&
         std::string_view("abcdefghknoprstuvwxzGLNORS").find(text[1]) != std::string_view::npos;
}

bool IsBinaryOperator(std::string_view text) {
  for (const std::string_view op : {"=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt",
                                    "-ot", "-ef"}) {
    if (text == op) return true;
  }
  return false;
}

// The token as bash names it in complaints; empty for words.
std::string TokenText(const Token& token, const Source& source) {
  if (token.kind == TokenKind::kNewline) return "newline";
  if (token.kind == TokenKind::kWord) {
    return token.reserved == Reserved::kRightBrackets ? std::string("]]") : std::string();
  }
  if (token.kind == TokenKind::kEnd) return {};
  return std::string(source.Slice(token.begin, token.end));
}

bool IsOperand(const Token& token) {
  return token.kind == TokenKind::kWord && token.reserved != Reserved::kRightBrackets;
}

}  // namespace

std::nullptr_t Grammar::FailCondition(std::string message) {
  if (lexer_.has_error()) return nullptr;
  const Token& token = Peek();
  const size_t at = token.kind == TokenKind::kNewline ? token.begin : token.end;
  lexer_.Fail(std::move(message), lexer_.source().LineAt(at));
  if (token.kind == TokenKind::kEnd) lexer_.error()->is_incomplete = true;
  lexer_.error()->is_conditional = token.kind != TokenKind::kEnd;
  lexer_.error()->is_cut_off = token.kind == TokenKind::kNewline && lexer_.source().AtEnd();
  return nullptr;
}

Grammar::StatementPtr Grammar::ParseConditionCommand() {
  const int begin_line = LineOf(Peek());
  Drop();
  SkipNewlines(TokenMode::kArgument);
  auto statement = Make(Statement::Kind::kCondition, begin_line);
  statement->test = ParseConditionOr();
  if (lexer_.has_error() || statement->test == nullptr) return nullptr;
  const Token& token = Peek(TokenMode::kArgument);
  if (token.kind == TokenKind::kWord && token.reserved == Reserved::kRightBrackets) {
    statement->line = lexer_.source().LineAt(token.end);
    Drop();
    return statement;
  }
  if (lexer_.has_error()) return nullptr;
  if (token.kind == TokenKind::kEnd) {
    lexer_.Fail("unexpected EOF while looking for `]]'", begin_line);
    lexer_.error()->is_incomplete = true;
    return nullptr;
  }
  const std::string text = TokenText(token, lexer_.source());
  lexer_.Fail(text.empty() ? "syntax error in conditional expression"
                           : "syntax error in conditional expression: unexpected token `" + text + "'",
              begin_line);
  lexer_.error()->is_conditional = true;
  return nullptr;
}

Grammar::ConditionPtr Grammar::ParseConditionOr() {
  const Lexer::Depth depth(lexer_);
  ConditionPtr left = ParseConditionAnd();
  if (left == nullptr || !PeekIs(TokenKind::kOrOr, TokenMode::kArgument)) return left;
  Drop();
  SkipNewlines(TokenMode::kArgument);
  auto both = std::make_unique<Condition>();
  both->kind = Condition::Kind::kOr;
  both->left = std::move(left);
  both->right = ParseConditionOr();
  return both->right == nullptr ? nullptr : std::move(both);
}

Grammar::ConditionPtr Grammar::ParseConditionAnd() {
  const Lexer::Depth depth(lexer_);
  ConditionPtr left = ParseConditionTerm();
  if (left == nullptr || !PeekIs(TokenKind::kAndAnd, TokenMode::kArgument)) return left;
  Drop();
  SkipNewlines(TokenMode::kArgument);
  auto both = std::make_unique<Condition>();
  both->kind = Condition::Kind::kAnd;
  both->left = std::move(left);
  both->right = ParseConditionAnd();
  return both->right == nullptr ? nullptr : std::move(both);
}

Grammar::ConditionPtr Grammar::ParseConditionTerm() {
  const Lexer::Depth depth(lexer_);
  SkipNewlines(TokenMode::kArgument);
  Token& token = Peek(TokenMode::kArgument);
  if (lexer_.has_error()) return nullptr;
  if (token.kind == TokenKind::kLeftParen) {
    Drop();
    ConditionPtr inside = ParseConditionOr();
    if (lexer_.has_error() || inside == nullptr) {
      SyntaxError* error = lexer_.has_error() ? &*lexer_.error() : nullptr;
      if (error != nullptr && !error->is_incomplete && (error->is_conditional || lexer_.source().AtEnd())) {
        (error->message.empty() ? error->message : error->source_line) = "expected `)'";
      }
      return nullptr;
    }
    if (!PeekIs(TokenKind::kRightParen, TokenMode::kArgument)) {
      const std::string text = TokenText(Peek(), lexer_.source());
      return FailCondition(text.empty() ? "expected `)'" : "unexpected token `" + text + "', expected `)'");
    }
    Drop();
    ++inside->parentheses;
    SkipNewlines(TokenMode::kArgument);
    return inside;
  }
  if (token.kind != TokenKind::kWord) {
    const std::string text = token.kind == TokenKind::kEnd ? "EOF" : TokenText(token, lexer_.source());
    return FailCondition("unexpected token `" + text + "' in conditional command");
  }
  if (token.reserved == Reserved::kRightBrackets) return FailCondition({});   // bash ends without a word
  if (token.reserved == Reserved::kBang) {
    Drop();
    auto negation = std::make_unique<Condition>();
    negation->kind = Condition::Kind::kNot;
    negation->left = ParseConditionTerm();
    return negation->left == nullptr ? nullptr : std::move(negation);
  }
  Token left = Take();
  return ParseConditionBinary(std::move(left));
}

// A unary test, a binary one, or a word alone.
Grammar::ConditionPtr Grammar::ParseConditionBinary(Token left) {
  auto test = std::make_unique<Condition>();
  Token& next = Peek(TokenMode::kArgument);
  if (lexer_.has_error()) return nullptr;
  if (!left.word.has_quotes && IsUnaryOperator(left.word.source)) {
    if (!IsOperand(next)) {
      const std::string text = TokenText(next, lexer_.source());
      return FailCondition(text.empty() ? "unexpected argument to conditional unary operator"
                                        : "unexpected argument `" + text + "' to conditional unary operator");
    }
    test->kind = Condition::Kind::kUnary;
    test->op = left.word.source;
    test->word = Take().word;
    SkipNewlines(TokenMode::kArgument);
    return test;
  }
  test->word = std::move(left.word);
  const bool is_symbol = next.kind == TokenKind::kLess || next.kind == TokenKind::kGreat;
  if (!is_symbol && !(next.kind == TokenKind::kWord && IsBinaryOperator(next.word.source))) {
    const bool is_end = next.kind == TokenKind::kAndAnd || next.kind == TokenKind::kOrOr ||
                        next.kind == TokenKind::kRightParen ||
                        (next.kind == TokenKind::kWord && next.reserved == Reserved::kRightBrackets);
    if (is_end) {
      test->kind = Condition::Kind::kWord;
      return test;
    }
    const std::string text = TokenText(next, lexer_.source());
    return FailCondition(text.empty() ? "conditional binary operator expected"
                                      : "unexpected token `" + text + "', conditional binary operator expected");
  }
  test->kind = Condition::Kind::kBinary;
  test->op = is_symbol ? (next.kind == TokenKind::kLess ? "<" : ">") : next.word.source;
  Drop();
  const TokenMode mode = test->op == "=~"                                         ? TokenMode::kRegex
                         : test->op == "=" || test->op == "==" || test->op == "!=" ? TokenMode::kPattern
                                                                                  : TokenMode::kArgument;
  Token& right = Peek(mode);
  if (!IsOperand(right)) {
    if (lexer_.has_error()) return nullptr;
    if (mode == TokenMode::kRegex && right.kind == TokenKind::kRightParen) {
      return FailCondition("syntax error in conditional expression: unexpected token `)'");
    }
    const std::string text = TokenText(right, lexer_.source());
    return FailCondition(text.empty() ? "unexpected argument to conditional binary operator"
                                      : "unexpected argument `" + text + "' to conditional binary operator");
  }
  test->word2 = Take().word;
  SkipNewlines(TokenMode::kArgument);
  return test;
}

}  // namespace paddock::shell
