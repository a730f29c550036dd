// Compound commands, the function and coproc keywords.
#include <utility>

#include "shell/expand/arithmetic.h"
#include "shell/parser/grammar.h"

namespace paddock::shell {

bool Grammar::IsCompoundStart() {
  const Token& token = Peek();
  if (token.kind == TokenKind::kLeftParen) return true;
  if (token.kind != TokenKind::kWord) return false;
  switch (token.reserved) {
    case Reserved::kIf:
    case Reserved::kFor:
    case Reserved::kSelect:
    case Reserved::kWhile:
    case Reserved::kUntil:
    case Reserved::kCase:
    case Reserved::kLeftBrace:
    case Reserved::kLeftBrackets:
      return true;
    default:
      return false;
  }
}

// A compound command with its redirections.
Grammar::StatementPtr Grammar::ParseCompound() {
  const Lexer::Depth depth(lexer_);
  StatementPtr statement =
      PeekIs(TokenKind::kLeftParen) ? ParseParenthesis() : ParseReservedCommand(Peek().reserved);
  if (statement == nullptr) return nullptr;
  while (IsRedirect(Peek().kind)) {
    if (!ParseRedirect(*statement)) return nullptr;
  }
  return lexer_.has_error() ? nullptr : std::move(statement);
}

Grammar::StatementPtr Grammar::ParseReservedCommand(Reserved reserved) {
  switch (reserved) {
    case Reserved::kIf: return ParseIf();
    case Reserved::kFor: return ParseFor(Statement::Kind::kFor);
    case Reserved::kSelect: return ParseFor(Statement::Kind::kSelect);
    case Reserved::kWhile: return ParseLoop(Statement::Kind::kWhile);
    case Reserved::kUntil: return ParseLoop(Statement::Kind::kUntil);
    case Reserved::kCase: return ParseCase();
    case Reserved::kLeftBrace: return ParseGroup();
    case Reserved::kLeftBrackets: return ParseConditionCommand();
    default: return Unexpected();
  }
}

Grammar::StatementPtr Grammar::ParseGroup() {
  StatementPtr group = Make(Statement::Kind::kGroup, LineOf(Peek()));
  Drop();
  ++open_braces_;
  group->body = ParseCompoundList();
  if (group->body == nullptr || !Expect(Reserved::kRightBrace)) return nullptr;
  --open_braces_;
  return group;
}

// "((…))" or "( … )".
Grammar::StatementPtr Grammar::ParseParenthesis() {
  const int line = LineOf(Peek());
  Drop();
  if (lexer_.source().Peek() != '(') return ParseSubshell(line);
  Word expression;
  switch (lexer_.ReadArithmeticCommand(expression)) {
    case Lexer::Found::kError: return nullptr;
    case Lexer::Found::kNo: return ParseSubshell(line);
    case Lexer::Found::kYes: break;
  }
  StatementPtr arithmetic =
      Make(Statement::Kind::kArithmetic, lexer_.source().LineAt(lexer_.source().pos()));
  arithmetic->compiled.push_back(CompileArithmetic(expression));
  arithmetic->expressions.push_back(std::move(expression));
  return arithmetic;
}

// The opening parenthesis is taken. Like bash, the line is that of the closing one.
Grammar::StatementPtr Grammar::ParseSubshell(int line) {
  StatementPtr subshell = Make(Statement::Kind::kSubshell, line);
  subshell->body = ParseCompoundList();
  if (subshell->body == nullptr) return nullptr;
  subshell->line = LineOf(Peek());
  if (!Expect(TokenKind::kRightParen)) return nullptr;
  return subshell;
}

Grammar::StatementPtr Grammar::ParseIf() {
  StatementPtr statement = Make(Statement::Kind::kIf, LineOf(Peek()));
  bool is_condition = true;
  while (true) {
    Statement::Branch branch;
    branch.line = LineOf(Peek());
    Drop();
    if (is_condition) {
      branch.condition = ParseCompoundList();
      if (branch.condition == nullptr || !Expect(Reserved::kThen)) return nullptr;
    }
    branch.body = ParseCompoundList();
    if (branch.body == nullptr) return nullptr;
    statement->branches.push_back(std::move(branch));
    if (PeekIs(Reserved::kFi)) break;
    if (!is_condition || (!PeekIs(Reserved::kElif) && !PeekIs(Reserved::kElse))) return Unexpected();
    is_condition = PeekIs(Reserved::kElif);
  }
  Drop();
  return statement;
}

Grammar::StatementPtr Grammar::ParseLoop(Statement::Kind kind) {
  StatementPtr loop = Make(kind, LineOf(Peek()));
  Drop();
  loop->condition = ParseCompoundList();
  if (loop->condition == nullptr || !Expect(Reserved::kDo)) return nullptr;
  loop->body = ParseCompoundList();
  if (loop->body == nullptr || !Expect(Reserved::kDone)) return nullptr;
  return loop;
}

// do … done or { … }
bool Grammar::ParseLoopBody(Statement& loop) {
  Reserved closer = Reserved::kDone;
  if (PeekIs(Reserved::kLeftBrace)) {
    closer = Reserved::kRightBrace;
  } else if (!PeekIs(Reserved::kDo)) {
    Unexpected();
    return false;
  }
  Drop();
  loop.body = ParseCompoundList();
  return loop.body != nullptr && Expect(closer);
}

// for and select.
Grammar::StatementPtr Grammar::ParseFor(Statement::Kind kind) {
  const int line = LineOf(Peek());
  Drop();
  if (kind == Statement::Kind::kFor && PeekIs(TokenKind::kLeftParen, TokenMode::kArgument) &&
      lexer_.source().Peek() == '(') {
    return ParseArithmeticFor(line);
  }
  if (!PeekIs(TokenKind::kWord, TokenMode::kArgument)) return Unexpected();
  StatementPtr loop = Make(kind, line);
  loop->name = Name(Take().word.source);
  if (PeekIs(TokenKind::kSemicolon)) {
    Drop();
    SkipNewlines();
    return ParseLoopBody(*loop) ? std::move(loop) : nullptr;
  }
  if (PeekIs(Reserved::kLeftBrace)) return Unexpected();
  SkipNewlines();
  if (PeekIs(Reserved::kIn)) {
    Drop();
    loop->has_in = true;
    while (PeekIs(TokenKind::kWord, TokenMode::kArgument)) {
      loop->words.push_back(std::move(Peek().word));
      Drop();
    }
    if (!PeekIs(TokenKind::kSemicolon) && !PeekIs(TokenKind::kNewline)) return Unexpected();
    Drop();
    SkipNewlines();
  }
  return ParseLoopBody(*loop) ? std::move(loop) : nullptr;
}

// The first parenthesis is ahead as a token, the second is the next character.
Grammar::StatementPtr Grammar::ParseArithmeticFor(int line) {
  StatementPtr loop = Make(Statement::Kind::kArithmeticFor, line);
  const size_t begin = Peek().begin;
  Drop();
  Source& source = lexer_.source();
  source.Advance();
  while (true) {
    while (source.Peek() == ' ' || source.Peek() == '\t' || source.Peek() == '\n') source.Advance();
    Word part;
    switch (lexer_.ReadExpression(part, Lexer::ExpressionEnd::kForPart, begin)) {
      case Lexer::Found::kError: return nullptr;
      case Lexer::Found::kNo:
        lexer_.FailUnexpectedText("(", begin);
        return nullptr;
      case Lexer::Found::kYes: break;
    }
    loop->compiled.push_back(CompileArithmetic(part));
    loop->expressions.push_back(std::move(part));
    const bool is_end = source.Peek() == ')';
    source.Advance(is_end ? 2 : 1);
    if (is_end) break;
  }
  if (loop->expressions.size() != 3) {
    lexer_.Fail(loop->expressions.size() < 3 ? "syntax error: arithmetic expression required"
                                             : "syntax error: `;' unexpected",
                source.LineAt(source.pos()),
                "syntax error: `" + std::string(source.Slice(begin, source.pos())) + "'");
    return nullptr;
  }
  if (PeekIs(TokenKind::kSemicolon)) Drop();
  SkipNewlines();
  return ParseLoopBody(*loop) ? std::move(loop) : nullptr;
}

Grammar::StatementPtr Grammar::ParseCase() {
  StatementPtr statement = Make(Statement::Kind::kCase, LineOf(Peek()));
  Drop();
  if (!PeekIs(TokenKind::kWord, TokenMode::kArgument)) return Unexpected();
  statement->words.push_back(Take().word);
  SkipNewlines();
  if (!Expect(Reserved::kIn)) return nullptr;
  SkipNewlines(TokenMode::kArgument);
  while (!PeekIs(Reserved::kEsac)) {
    if (!ParseCaseClause(*statement)) return nullptr;
  }
  Drop();
  return statement;
}

// One clause with its terminator; the next pattern or esac is ahead afterwards.
bool Grammar::ParseCaseClause(Statement& statement) {
  if (PeekIs(TokenKind::kLeftParen, TokenMode::kArgument)) Drop();
  Statement::CaseClause clause;
  while (true) {
    if (!PeekIs(TokenKind::kWord, TokenMode::kArgument)) {
      Unexpected();
      return false;
    }
    // Like bash, takes a brace for the end of the group around it, but for the first pattern.
    const bool is_first = statement.clauses.empty() && clause.patterns.empty();
    if (!is_first && open_braces_ > 0 && PeekIs(Reserved::kRightBrace)) {
      Unexpected();
      return false;
    }
    clause.patterns.push_back(Take().word);
    if (!PeekIs(TokenKind::kPipe, TokenMode::kArgument)) break;
    Drop();
  }
  if (!Expect(TokenKind::kRightParen)) return false;
  clause.body = ParseCompoundList(true);
  if (clause.body == nullptr) return false;
  switch (Peek().kind) {
    case TokenKind::kDoubleSemicolon: clause.end = Statement::CaseEnd::kBreak; break;
    case TokenKind::kSemicolonAmpersand: clause.end = Statement::CaseEnd::kFallThrough; break;
    case TokenKind::kDoubleSemicolonAmpersand: clause.end = Statement::CaseEnd::kContinue; break;
    default:
      statement.clauses.push_back(std::move(clause));
      if (PeekIs(Reserved::kEsac)) return true;
      Unexpected();
      return false;
  }
  statement.clauses.push_back(std::move(clause));
  Drop();
  SkipNewlines(TokenMode::kArgument);
  return !lexer_.has_error();
}

// function name [()] body
Grammar::StatementPtr Grammar::ParseFunctionKeyword() {
  StatementPtr function = Make(Statement::Kind::kFunction, LineOf(Peek()));
  function->has_function_keyword = true;
  Drop();
  if (!PeekIs(TokenKind::kWord, TokenMode::kArgument)) return Unexpected();
  function->name = Name(Take().word.source);
  if (PeekIs(TokenKind::kLeftParen) && lexer_.source().Peek() != '(') {
    const int line = LineOf(Peek());
    Drop();
    if (!PeekIs(TokenKind::kRightParen)) {
      StatementPtr body = ParseSubshell(line);
      if (body == nullptr) return nullptr;
      while (IsRedirect(Peek().kind)) {
        if (!ParseRedirect(*body)) return nullptr;
      }
      function->definition = std::move(body);
      return lexer_.has_error() ? nullptr : std::move(function);
    }
    Drop();
  }
  return ParseFunction(std::move(function));
}

// coproc [name] compound, coproc simple
Grammar::StatementPtr Grammar::ParseCoprocess() {
  StatementPtr coprocess = Make(Statement::Kind::kCoprocess, LineOf(Peek()));
  Drop();
  coprocess->name = Name(std::string("COPROC"));
  StatementPtr command;
  if (IsCompoundStart()) {
    command = ParseCompound();
  } else if (PeekIs(TokenKind::kWord)) {
    Word word = Take().word;
    if (IsCompoundStart()) {
      coprocess->name = Name(word.source);
      command = ParseCompound();
    } else {
      command = Make(Statement::Kind::kSimple, coprocess->line);
      command->simple = std::make_unique<SimpleCommand>();
      command->simple->words.push_back({std::move(word), nullptr});
      command = ParseSimple(std::move(command));
    }
  } else if (PeekIs(TokenKind::kAssignment) || IsRedirect(Peek().kind)) {
    command = ParseSimple(nullptr);
  } else {
    return Unexpected();
  }
  if (command == nullptr) return nullptr;
  coprocess->definition = std::move(command);
  return coprocess;
}

}  // namespace paddock::shell
