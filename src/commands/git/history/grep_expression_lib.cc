#include "commands/git/history/grep.h"

#include <algorithm>

#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr int kDeepest = 100;
using Kind = GrepTerm::Kind;

}  // namespace

Result<GrepExpression> GrepExpression::Parse(Invocation& in, const GrepOptions& options) {
  GrepExpression expression;
  expression.flags_.dialect = options.dialect.value_or(RegexDialect::kGrepBasic);
  expression.flags_.ignore_case = options.ignores_case;
  expression.flags_.is_literal = options.fixed;
  expression.flags_.newline_is_text = false;
  expression.flags_.is_utf8 = in.locale.is_utf8;
  if (options.words) expression.flags_.extent = RegexExtent::kWholeWords;
  std::vector<GrepTerm> terms;
  for (const GrepTerm& term : options.terms) {
    in.budget.Step();
    if (term.kind != Kind::kFile) {
      terms.push_back(term);
      continue;
    }
    const auto text = term.text == "-" ? Result<std::string>(in.in.ReadAll()) : vfs::ReadFile(in.fs, term.text, 16 << 20);
    if (!text) return Error(text.error().code, "cannot open '" + term.text + "': " + std::string(text.error().Text()));
    for (std::string_view line : SplitLines(*text)) {
      in.budget.WillAllocate(line.size() + 100);
      if (line.ends_with('\n')) line.remove_suffix(1);
      if (!line.empty()) terms.push_back({Kind::kPattern, std::string(line)});
    }
  }
  size_t at = 0;
  PADDOCK_ASSIGN(expression.root_, expression.ParseOr(terms, at, 0));
  if (at < terms.size()) return Error(Code::kSyntax, "incomplete pattern expression group: " + terms[at].text);
  return expression;
}

Result<std::unique_ptr<GrepExpression::Node>> GrepExpression::ParseOr(const std::vector<GrepTerm>& terms, size_t& at, int depth) {
  PADDOCK_ASSIGN(std::unique_ptr<Node> left, ParseAnd(terms, at, depth));
  std::vector<std::unique_ptr<Node>> parts;
  parts.push_back(std::move(left));
  while (at < terms.size() && terms[at].kind != Kind::kClose) {
    if (terms[at].kind == Kind::kOr) ++at;
    PADDOCK_ASSIGN(std::unique_ptr<Node> part, ParseAnd(terms, at, depth));
    parts.push_back(std::move(part));
  }
  std::unique_ptr<Node> all = std::move(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    auto node = std::make_unique<Node>();
    node->kind = Node::Kind::kOr;
    // Few levels for many patterns: the new part hangs on the left.
    node->left = std::move(parts[i]);
    node->right = std::move(all);
    all = std::move(node);
  }
  return all;
}

Result<std::unique_ptr<GrepExpression::Node>> GrepExpression::ParseAnd(const std::vector<GrepTerm>& terms, size_t& at, int depth) {
  PADDOCK_ASSIGN(std::unique_ptr<Node> left, ParseNot(terms, at, depth));
  while (at < terms.size() && terms[at].kind == Kind::kAnd) {
    ++at;
    if (at >= terms.size()) return Error(Code::kSyntax, "--and not followed by pattern expression");
    PADDOCK_ASSIGN(std::unique_ptr<Node> right, ParseNot(terms, at, depth));
    auto node = std::make_unique<Node>();
    node->kind = Node::Kind::kAnd;
    node->left = std::move(left);
    node->right = std::move(right);
    left = std::move(node);
  }
  return left;
}

Result<std::unique_ptr<GrepExpression::Node>> GrepExpression::ParseNot(const std::vector<GrepTerm>& terms, size_t& at, int depth) {
  if (depth > kDeepest) return Error(Code::kLimit, "pattern expression is nested too deeply");
  if (at >= terms.size()) return Error(Code::kSyntax, "--not not followed by pattern expression");
  const GrepTerm& term = terms[at++];
  auto node = std::make_unique<Node>();
  switch (term.kind) {
    case Kind::kNot: {
      node->kind = Node::Kind::kNot;
      PADDOCK_ASSIGN(node->left, ParseNot(terms, at, depth + 1));
      return node;
    }
    case Kind::kOpen: {
      PADDOCK_ASSIGN(std::unique_ptr<Node> inner, ParseOr(terms, at, depth + 1));
      if (at >= terms.size() || terms[at].kind != Kind::kClose) return Error(Code::kSyntax, "unmatched parenthesis");
      ++at;
      return inner;
    }
    case Kind::kPattern: {
      node->kind = Node::Kind::kPattern;
      auto regex = Regex::Compile(term.text, flags_);
      if (!regex) return Error(Code::kInvalid, "command line, '" + term.text + "': " + std::string(regex.error().Text()));
      node->regex.emplace(std::move(*regex));
      return node;
    }
    default: return Error(Code::kSyntax, "not a pattern expression");
  }
}

Result<bool> GrepExpression::Evaluate(const Node& node, std::string_view line, size_t* column, Budget& budget) const {
  budget.CheckStack();
  switch (node.kind) {
    case Node::Kind::kPattern: {
      if (column == nullptr) return node.regex->Search(line, 0, nullptr, budget);
      std::vector<RegexGroup> groups(1);
      PADDOCK_ASSIGN(const bool found, node.regex->Search(line, 0, &groups, budget));
      if (found) *column = groups[0].begin;
      return found;
    }
    case Node::Kind::kAnd: {
      PADDOCK_ASSIGN(const bool left, Evaluate(*node.left, line, column, budget));
      if (!left) return false;
      return Evaluate(*node.right, line, nullptr, budget);
    }
    case Node::Kind::kOr: {
      size_t first = std::string_view::npos, second = first;
      PADDOCK_ASSIGN(const bool left, Evaluate(*node.left, line, column == nullptr ? nullptr : &first, budget));
      if (left && column == nullptr) return true;
      PADDOCK_ASSIGN(const bool right, Evaluate(*node.right, line, column == nullptr ? nullptr : &second, budget));
      if (column != nullptr && (left || right)) *column = std::min(left ? first : std::string_view::npos, right ? second : std::string_view::npos);
      return left || right;
    }
    case Node::Kind::kNot: {
      PADDOCK_ASSIGN(const bool inner, Evaluate(*node.left, line, nullptr, budget));
      return !inner;
    }
  }
  return false;
}

Result<bool> GrepExpression::AllMatch(const std::vector<std::string_view>& lines, Budget& budget) const {
  for (const Node* at = root_.get(); at != nullptr;) {
    const Node* part = at->kind == Node::Kind::kOr ? at->left.get() : at;
    at = at->kind == Node::Kind::kOr ? at->right.get() : nullptr;
    bool found = false;
    for (std::string_view line : lines) {
      if (line.ends_with('\n')) line.remove_suffix(1);
      PADDOCK_ASSIGN(found, Evaluate(*part, line, nullptr, budget));
      if (found) break;
    }
    if (!found) return false;
  }
  return true;
}

Result<RegexGroup> GrepExpression::FindIn(const Node& node, std::string_view line, size_t from, Budget& budget) const {
  budget.CheckStack();
  if (node.kind == Node::Kind::kNot) return FindIn(*node.left, line, from, budget);
  if (node.kind == Node::Kind::kPattern) {
    std::vector<RegexGroup> groups(1);
    PADDOCK_ASSIGN(const bool found, node.regex->Search(line, from, &groups, budget));
    return found ? groups[0] : RegexGroup{};
  }
  PADDOCK_ASSIGN(const RegexGroup left, FindIn(*node.left, line, from, budget));
  PADDOCK_ASSIGN(const RegexGroup right, FindIn(*node.right, line, from, budget));
  if (!left.is_set()) return right;
  if (!right.is_set()) return left;
  return left.begin < right.begin || (left.begin == right.begin && left.end >= right.end) ? left : right;
}

Result<RegexGroup> GrepExpression::Find(std::string_view line, size_t from, Budget& budget) const { return FindIn(*root_, line, from, budget); }

}  // namespace paddock::git
