// Grammar: recursive descent from tokens to statements.
//
// One Grammar per nesting of substitutions, because each needs its own token of lookahead; all share the
// lexer. A function that meets an error records it in the lexer and returns null (or false).
//
// Source: POSIX.1-2017 XCU 2.10.2, Bash 5.2 manual "Shell Commands".
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "shell/ast/ast.h"
#include "shell/parser/lexer.h"

namespace paddock::shell {

class Grammar : public SubstitutionParser {
 public:
  explicit Grammar(Lexer& lexer, bool is_substitution = false)
      : lexer_(lexer), is_substitution_(is_substitution) {}

  // A list up to the end of its line; empty for a blank line, null at the end or after an error.
  StatementListPtr ParseCompleteCommand();
  StatementListPtr ParseSubstitution() override;
  // Forgets the token ahead after an error.
  void Reset() {
    has_token_ = false;
    open_braces_ = 0;
  }

 private:
  using StatementPtr = std::unique_ptr<Statement>;

  // The token ahead, read as `mode` asks unless it is known already. On a lexical error it is kEnd and
  // every caller fails with the error already recorded.
  Token& Peek(TokenMode mode = TokenMode::kCommand);
  Token Take();
  void Drop() { has_token_ = false; }
  bool PeekIs(TokenKind kind, TokenMode mode = TokenMode::kCommand) { return Peek(mode).kind == kind; }
  bool PeekIs(Reserved reserved) { return Peek().kind == TokenKind::kWord && Peek().reserved == reserved; }
  // Complains about the token ahead; always false, so that callers can return it as null too.
  std::nullptr_t Unexpected();
  bool Expect(Reserved reserved);
  bool Expect(TokenKind kind);
  void SkipNewlines(TokenMode mode = TokenMode::kCommand);
  int LineOf(const Token& token);
  StatementPtr Make(Statement::Kind kind, int line);

  // grammar.cc
  bool ParseItems(StatementList& list, bool is_line);
  StatementListPtr ParseCompoundList(bool may_be_empty = false);
  bool IsListEnd();
  StatementPtr ParseAndOr();
  StatementPtr ParsePipeline();
  void ParsePipelinePrefix(Statement& pipeline);
  StatementPtr ParseCommand();
  StatementPtr ParseReservedCommand(Reserved reserved);
  StatementPtr ParseSimple(StatementPtr statement);
  bool ParseRedirect(Statement& statement);
  bool IsRedirect(TokenKind kind) const;
  TokenMode ModeAfter(const Word& word, TokenMode mode, bool* is_prefix) const;
  StatementPtr ParseFunction(StatementPtr function);
  StatementPtr ParseFunctionBehindName(StatementPtr function);

  // compound.cc
  StatementPtr ParseCompound();
  bool IsCompoundStart();
  StatementPtr ParseGroup();
  StatementPtr ParseParenthesis();
  StatementPtr ParseSubshell(int line);
  StatementPtr ParseIf();
  StatementPtr ParseLoop(Statement::Kind kind);
  StatementPtr ParseFor(Statement::Kind kind);
  StatementPtr ParseArithmeticFor(int line);
  bool ParseLoopBody(Statement& loop);
  StatementPtr ParseCase();
  bool ParseCaseClause(Statement& statement);
  StatementPtr ParseFunctionKeyword();
  StatementPtr ParseCoprocess();

  // conditional.cc
  using ConditionPtr = std::unique_ptr<Condition>;
  StatementPtr ParseConditionCommand();
  ConditionPtr ParseConditionOr();
  ConditionPtr ParseConditionAnd();
  ConditionPtr ParseConditionTerm();
  ConditionPtr ParseConditionBinary(Token left);
  std::nullptr_t FailCondition(std::string message);

  Lexer& lexer_;
  const bool is_substitution_;
  Token token_;
  bool has_token_ = false;
  int open_braces_ = 0;   // groups that are being read
};

}  // namespace paddock::shell
