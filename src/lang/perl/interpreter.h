// Walks the tree of a program. For lang/perl alone; its parts are interpreter*.cc.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/perl/perl.h"
#include "lang/perl/tree.h"
#include "lang/perl/value.h"
#include "text/regex.h"

namespace paddock::perl {

using Values = std::vector<Value>;

// Refuses code with a pattern that is known before it runs and cannot be compiled: nothing is renamed then.
Status CheckPatterns(const Node& node, Budget& budget);

class Interpreter {
 public:
  Interpreter(const perl::Tree& tree, Values& scalars, std::vector<Values>& arrays, std::map<std::string, Regex>& patterns, PerlHost& host, Budget& budget)
      : tree_(tree), scalars_(scalars), arrays_(arrays), patterns_(patterns), host_(host), budget_(budget) {}
  Status Run(std::string& topic);

 private:
  bool is_over() const { return is_returning_ || failure_.has_value(); }
  void Fail(Code code, std::string message);
  static std::string Where(const Node& node) { return " at (eval 25) line " + std::to_string(node.line + 1) + ".\n"; }
  Value Eval(const Node& node);
  // The values of a node where Perl wants a list.
  Values List(const Node& node);
  void Append(Values& to, Values more);
  Values& Array(const Node& node);
  Value Read(const Node& node);
  // Where an element is; nothing if there is none.
  std::optional<size_t> ElementIndex(const Node& node);
  // What a node that can be assigned to stands for; null after a failure.
  Value* Target(const Node& node);
  // The target of an assignment that was made just now: `my` does not make it anew.
  Value* Again(const Node& node) { return node.kind == Kind::kScalar ? &scalars_[node.slot] : node.kind == Kind::kList && node.kids.size() == 1 ? Again(*node.kids[0]) : Target(node); }
  Value Group(size_t number);
  Value Concat(const Node& node);
  void Charge(size_t bytes);
  std::string Joined(const std::string& separator, const Values& values, size_t from);
  static bool IsListTarget(const Node& node) { return node.kind == Kind::kList || node.kind == Kind::kArray; }
  Value Assign(const Node& node);
  Value AssignList(const Node& to, Values values);
  Value Binary(const Node& node);
  Value Operate(const std::string& op, const Value& left, const Value& right, const Node& node);
  Value Arithmetic(const std::string& op, double a, double b, const Node& node);
  Value Repeated(const std::string& text, double count);
  Value Unary(const Node& node);
  Value Step(const Node& node);
  Value If(const Node& node);
  // Null after a failure.
  const Regex* Pattern(const Node& node);
  bool Search(const Regex& regex, const std::string& text, size_t from, std::vector<RegexGroup>* groups);
  bool Match(const Node& node);
  Values MatchList(const Node& node);
  Value Substitute(const Node& node);
  Value Translate(const Node& node);
  Values Split(const Node& node);
  Values Ordered(const Node& node);
  // The range of substr() in `size` bytes; false when it is outside.
  static bool Range(double size, double offset, std::optional<double> length, size_t* begin, size_t* count);
  Value Substring(const Node& node);
  // substr(…) = …
  Value AssignSubstring(const Node& node, const Value& value);
  Value Find(const Node& node, bool from_end);
  static double Based(std::string text, int base);
  std::string Told(const Node& node, std::string_view otherwise);
  Value Call(const Node& node);
  Value OfOne(const std::string& name, const Value& value);
  Value Cut(const Node& node);
  Value ChangeArray(const Node& node);

  const perl::Tree& tree_;
  Values& scalars_;
  std::vector<Values>& arrays_;
  std::map<std::string, Regex>& patterns_;
  PerlHost& host_;
  Budget& budget_;
  Value topic_;
  std::string matched_;               // what the last match was made in
  std::vector<RegexGroup> groups_;
  bool is_returning_ = false;
  std::optional<Error> failure_;
};

}  // namespace paddock::perl
