// Reads bc one complete input line (which a block may make longer) at a time.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "lang/bc/ast.h"
#include "lang/bc/bc.h"

namespace paddock::bc {

// What one reading brought.
struct Unit {
  enum Kind { kStatements, kFunction, kError, kQuit, kEnd } kind = kStatements;
  StatementList statements;
  std::string name;              // of the function
  Function function;
};

class Parser {
 public:
  // `next` gives the bytes of the program, -1 at the end. `name` is for messages.
  Parser(std::function<int()> next, std::string name, const BcOptions& options, Host& host);
  Unit Next();
  // Functions that are void must be known: a call of one is no expression.
  std::set<std::string> void_functions;

 private:
  enum class Token { kEnd, kNewline, kNumber, kString, kName, kKeyword, kSign };

  int Byte();
  int PeekByte();
  void Take();                                // the next token, into token_ and text_
  void Advance() { has_token_ = false; }
  bool Look();                                // makes token_ valid
  bool IsSign(std::string_view sign);
  bool IsWord(std::string_view word);
  bool Accept(std::string_view sign);
  bool Expect(std::string_view sign);
  bool Complain(const std::string& message);
  bool SyntaxError();
  bool Nonstandard(const std::string& what);
  void SkipLine();
  void SkipNewlines();

  bool ReadDefinition(Unit& unit);
  bool ReadParameters(Function& function, std::vector<Parameter>& list, bool is_auto);
  bool ReadStatements(StatementList& list, bool in_block);
  bool ReadStatement(StatementPtr& out);
  bool ReadIf(Statement& s);
  bool ReadFor(Statement& s);
  bool ReadPrint(Statement& s);
  bool ReadReturn(Statement& s);
  bool ReadCondition(Statement& s);
  bool ReadBody(StatementList& list);
  bool ReadExpression(ExpressionPtr& out, int level);
  bool ReadOperand(ExpressionPtr& out);
  bool ReadName(ExpressionPtr& out);
  bool ReadBuiltin(ExpressionPtr& out);
  bool ReadAfterPlace(ExpressionPtr& out);
  bool IsVoid(const Expression& e) const;
  static bool IsComparison(const Expression& e);

  std::function<int()> next_;
  std::string name_;
  const BcOptions& options_;
  Host& host_;
  int line_ = 1;
  std::optional<int> byte_;
  bool has_token_ = false;
  Token token_ = Token::kEnd;
  std::string text_;
  bool quits_ = false;
  bool is_spoiled_ = false;   // a complaint was made about this line: it is read on, but not run
  int loops_ = 0;
  bool in_function_ = false, in_void_ = false;
};

}  // namespace paddock::bc
