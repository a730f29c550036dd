// The parser's class, whose parts are parser*.cc: for those alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "lang/awk/lexer.h"
#include "lang/awk/parser.h"

namespace paddock::awk {

class Parser {
 public:
  Parser(const ParseInput& input, Budget& budget);
  Result<SyntaxTree> Run();

 private:
  // Tokens.
  void Advance();
  // A parameter may have the name of a built-in function that POSIX does not know.
  void LetParameterShadow();
  // The namespace at the token, "" for awk's own. @namespace holds to the end of its source.
  const std::string& Namespace();
  // The name that the token stands for. Special variables and names in capitals belong to everyone.
  std::string QualifiedName();
  const Token& PeekAhead();
  bool Is(Tok kind) const { return token_.kind == kind; }
  bool Accept(Tok kind);
  void Expect(Tok kind);
  void SkipNewlines();
  std::string PlaceOf(Place place) const;

  // Complaints: the first one, but of Complain(), ends the parse by making every further token the end.
  void Stop(Code code, std::string complaint);
  void SyntaxError();
  void SyntaxError(const std::string& message);
  void Complain(Place place, const std::string& message);

  // Nodes and names.
  Node* New(NodeKind kind);
  Node* New(NodeKind kind, Node* a, Node* b = nullptr, Node* c = nullptr);
  int GlobalSlot(std::string_view name);
  int FunctionSlot(const std::string& name);
  int FindParameter(std::string_view name) const;
  // The variable that the token names.
  Node* NewVariable();
  void CheckFunctions();

  // Rules and functions.
  void ParseProgram();
  void ParseItem();
  void ParseSpecialRule(Rule::When when);
  void AddRule(Rule rule);
  void ParseFunction();
  std::vector<std::string> ParseParameters(const std::string& function);
  void CheckParameter(const std::string& function, const std::string& name,
                      const std::vector<std::string>& earlier);
  // @namespace "name"
  void StopIncomplete(uint32_t source);
  void ParseNamespace();
  // @load "library"
  void ParseLoad();
  // @include "file", @load and @namespace.
  void ParseDirective();

  // Statements.
  Node* ParseBlock();
  // The end of a simple statement. A closing brace ends one too, and stays.
  void EndStatement();
  Node* ParseStatement();
  Node* ParseCondition();
  Node* ParseIf();
  Node* ParseBody();
  Node* ParseWhile();
  Node* ParseDo();
  Node* ParseFor();
  // Turns `for (name in array)` around when `init` is just that.
  static bool MakeForIn(Node* node, const Node* init);
  Node* ParseSwitch();
  Node* ParseCaseValue();
  void CheckDuplicate(const Node* node, const Node* label);
  Node* ParseSimple();
  Node* NewAndAdvance(NodeKind kind);
  Node* ParseNext();
  bool AtStatementEnd() const;
  Node* ParseWithValue(NodeKind kind);
  Node* ParseDelete();
  Node* ParsePrint(NodeKind kind);
  bool AtRedirect() const;

  // Expressions, from the loosest operator to the tightest.
  std::vector<Node*> ParseList();
  void SkipNewlinesInGnuMode();
  Node* ParseExpression();
  Node* ParseOr();
  Node* ParseAnd();
  Node* ParseIn();
  Node* ParseInArray(std::vector<Node*> subscripts);
  Node* ParseMatch(Node* left);
  bool AtComparison() const;
  Node* ParseCompare(Node* left);
  bool AtOperand() const;
  Node* ParseConcat();
  Node* ParseAssignment(Node* left);
  Node* NewArithmetic(Tok op, Node* left, Node* right);
  // `left` is an operand that was read already, or null.
  Node* ParseAdditive(Node* left);
  Node* ParseMultiplicative(Node* left);
  Node* ParseUnary();
  // Signs and negations in front of a power.
  Node* ParseSigned();
  Node* ParsePower(Node* base);
  Node* ParsePostfix();
  Node* ParsePrimary();
  Node* ParseRegex(NodeKind kind);
  Node* ParseField();
  // A variable, or an element of it.
  Node* ParseName();
  std::vector<Node*> ParseArguments();
  Node* ParseCall();
  Node* ParseBuiltin();
  Node* ParseGroup();
  Node* ParseOptionalLvalue();
  Node* ParseGetline();
  Node* ParseAt();

  ParseInput input_;
  Budget& budget_;
  Lexer lexer_;
  SyntaxTree tree_;
  Token token_;
  Token ahead_;
  bool has_ahead_ = false;

  bool has_failed_ = false;
  Code error_code_ = Code::kSyntax;
  std::string complaint_;
  std::string errors_;   // lines about what does not end the parse, but fails in the end

  const std::vector<std::string>* parameters_ = nullptr;
  bool in_function_ = false;
  static constexpr uint32_t kNoSource = UINT32_MAX;
  Place last_brace_;                          // of the block that ended last
  std::map<std::string, Place> name_uses_;    // where a global variable was named first
  std::vector<std::string> namespaces_;  // by source
  bool in_parameters_ = false;  // between the parentheses of a function's head
  Rule::When when_ = Rule::When::kRecord;
  int loop_depth_ = 0;
  int switch_depth_ = 0;
  bool greater_is_redirect_ = false;
  bool group_allowed_ = false;
};

}  // namespace paddock::awk
