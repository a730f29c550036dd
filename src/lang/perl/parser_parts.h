// The parser's class, whose parts are parser*.cc: for those alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/perl/tree.h"

namespace paddock::perl {

// Binary operators by how tight they bind; `right` for those that group from the right.
struct Operator {
  std::string_view text;
  int level;
};

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool IsWord(char c) { return IsDigit(c) || IsLetter(c); }
// What ends a quote that begins with `open`.
char Closing(char open);

inline NodePtr Make(Kind kind, std::string text = {}) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->text = std::move(text);
  return node;
}

class Parser {
 public:
  Parser(std::string_view code, Budget& budget, std::vector<Variable>& variables) : text_(code), budget_(budget), variables_(variables) {}
  void set_line(int line) { first_line_ = line; }
  Result<NodePtr> Program();
  // The parts of a string: variables, escapes and \U…\E. In a pattern only variables count.
  Result<NodePtr> Interpolated(bool is_pattern);
  // \L, \U or \Q: what follows goes into a node of its own, the last of `open`. `once`: \u or \l before it, or 0.
  Status ChangeCase(char next, std::vector<Node*>& open, char once);

 private:
  Error Fail(std::string message) const { return Error(Code::kSyntax, std::move(message) + " at line " + std::to_string(Line())); }
  Error Unknown(std::string_view what) const { return Fail("\"" + std::string(what) + "\" is not among the Perl that is known here"); }
  Error SyntaxError();
  int Line() const;
  void Skip();
  bool AtEnd();
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool Take(char c);
  std::string_view WordAhead();
  bool TakeWord(std::string_view word);
  Result<NodePtr> Statements();
  Result<NodePtr> Block();
  Result<NodePtr> Condition(bool is_negated);
  static NodePtr Not(NodePtr kid);
  Result<NodePtr> Statement();
  Result<NodePtr> If();
  // `use strict` and `use warnings` say what holds anyway.
  Result<NodePtr> Use();
  // or, and, not; then commas; then the rest.
  Result<NodePtr> Expression();
  Result<NodePtr> And();
  Result<NodePtr> NotWord();
  static NodePtr Binary(std::string text, NodePtr left, NodePtr right);
  bool TakeComma();
  // Whether no further argument can begin here.
  bool AtListEnd();
  Result<NodePtr> Commas();
  static bool IsAssignable(const Node& node);
  Result<NodePtr> Assignment();
  static std::string Describe(const Node& node);
  Result<NodePtr> Ternary();
  // The operator of at least this level that stands here.
  std::optional<Operator> OperatorAhead();
  Result<NodePtr> Level(int least);
  Result<NodePtr> Bind(NodePtr target, bool is_negated);
  Result<NodePtr> Unary();
  Result<NodePtr> Step(std::string op, NodePtr target, bool is_prefix);
  Result<NodePtr> FileTest();
  Result<NodePtr> Term();
  Result<NodePtr> Parenthesis();
  Result<NodePtr> Number();
  // What stands between the delimiters; `text` with the backslashes in front of them kept.
  Result<std::string_view> Delimited(char open, std::string_view complaint);
  static std::string Terminator(char open) { return std::string("Can't find string terminator ") + (open == '"' ? "'\"'" : "\"" + std::string(1, Closing(open)) + "\"") + " anywhere before EOF"; }
  static std::string Single(std::string_view raw, char open);
  // Another parser for text inside of this one.
  Result<NodePtr> Inside(std::string_view text, bool is_pattern, bool is_replacement = false);
  // Without the backslash in front of a delimiter that is no letter.
  static std::string Undelimited(std::string_view raw, char open);
  // The same in a pattern, where a delimiter that is special there stays escaped.
  static std::string PatternText(std::string_view raw, char open);
  Result<NodePtr> Quoted(char open);
  Result<std::string> Modifiers(std::string_view known);
  Result<NodePtr> Pattern(std::string_view what, char open);
  // The bytes of one side of tr///, ranges spread out.
  Result<std::string> Set(std::string_view raw, char delimiter);
  Result<NodePtr> Translate(char open);
  static int HexDigit(char c) { return IsDigit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1; }
  // The escape that stands here in a double-quoted string.
  Status Escape(std::string* out);
  // Whether the $ or @ here is a variable in a string.
  bool StartsVariable(bool is_pattern) const;
  // A variable in a string, perhaps with [index].
  Result<NodePtr> InString(bool is_pattern);
  Result<NodePtr> VariableTerm();
  // $x, ${x}, $1, $&, $_, $x[…], @x; at_ stands on the sigil.
  Result<NodePtr> Name(bool is_pattern);
  Result<size_t> Slot(const std::string& name);
  size_t Declare(const std::string& name, bool is_ours);
  // my $x, my ($x, @y), our $x. A new variable is seen from the next statement on; here from its name on.
  Result<NodePtr> Declaration(bool is_ours);
  Result<NodePtr> Word(std::string_view word);
  // m//, s///, tr///, y///, q(), qq(), qw(), qr//; nothing when the word is none.
  std::optional<Result<NodePtr>> QuoteLike(std::string_view word);
  Result<NodePtr> Call(const Function& function);

  std::string_view text_;
  size_t at_ = 0;
  int first_line_ = 1;
  bool is_replacement_ = false;   // \1 is $1
  Budget& budget_;
  std::vector<Variable>& variables_;
};

}  // namespace paddock::perl
