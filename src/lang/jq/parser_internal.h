// The parser's own class; parser.cc holds expressions, definitions and directives, parser_terms.cc what stands in them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/jq/lexer.h"
#include "lang/jq/parser.h"

namespace paddock::jq {

// Functions return null or false after the first complaint.
class Parser {
 public:
  Parser(std::string_view source, Budget& budget, std::vector<Complaint>& complaints)
      : source_(source), lexer_(source), budget_(budget), complaints_(complaints), tree_(std::make_unique<Tree>()) {}

  std::unique_ptr<Tree> Parse(bool is_module);

 private:
  void Advance();
  bool Is(std::string_view text) const {
    return (token_.word == Word::kSymbol || token_.word == Word::kKeyword) && token_.text == text;
  }
  bool Expect(std::string_view symbol);
  bool Unexpected();
  bool Fail(std::string message, Span span);
  Node* Make(NodeKind kind, size_t begin, std::vector<Node*> children = {});
  Node* Constant(Value value, size_t begin);
  Value ConstantOf(const Node* node);

  Node* ParsePipe();
  Node* ParseExpression(int level);
  Node* ParseOperand(int level);
  Node* ParseTry(size_t begin);
  Node* ParseFunction();
  bool ParsePatterns(std::vector<Pattern*>& patterns);
  Pattern* ParsePattern();
  bool ParsePatternMember(Pattern::Member& member);
  bool ParseDirectives();
  bool ParseMetadata(Value& metadata, const char* what);

  Node* ParseTerm();
  Node* ParsePrimary();
  Node* ParseNumber();
  Node* ParseFormat();
  Node* ParseName();
  Node* ParseDot();
  Node* ParseString(std::string_view format);
  Node* ParseIf(size_t begin);
  Node* ParseIfParts(size_t begin);
  Node* ParseLoop(size_t begin, NodeKind kind);
  Node* ParseArray(size_t begin);
  Node* ParseObject(size_t begin);
  bool ParseObjectMember(Node* object);
  Node* ParseObjectValue();
  Node* ParseBrackets(Node* target, size_t begin);
  Node* Optional(Node* access);

  std::string_view source_;
  Lexer lexer_;
  Budget& budget_;
  std::vector<Complaint>& complaints_;
  std::unique_ptr<Tree> tree_;
  LexToken token_;
  size_t last_end_ = 0;
};

}  // namespace paddock::jq
