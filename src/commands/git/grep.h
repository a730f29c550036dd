// What git grep looks for: patterns, and how they are put together.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"
#include "text/regex.h"

namespace paddock::git {

struct GrepTerm {
  enum class Kind { kPattern, kFile, kAnd, kOr, kNot, kOpen, kClose } kind;
  std::string text;
};

struct GrepOptions {
  std::vector<GrepTerm> terms;
  std::vector<std::string> pattern_files;
  bool cached = false, no_index = false, untracked = false, standard = false, with_ignored = false, inverts = false, ignores_case = false, words = false, as_text = false, skips_binary = false, fixed = false, numbers = false, columns = false, no_names = false, full_name = false;
  bool names = false, without = false, nul = false, only = false, count = false, is_uncoloured = false, breaks = false, heading = false, function = false, function_context = false, quiet = false, all_match = false;
  RegexDialect dialect = RegexDialect::kGrepBasic;
  int64_t depth = -1, before = 0, after = 0;
  std::optional<int64_t> most;
};

// "a --and ( b --or --not c )".
class GrepExpression {
 public:
  static Result<GrepExpression> Parse(Invocation& in, const GrepOptions& options);
  // `column`: where the first pattern that matched did.
  Result<bool> Matches(std::string_view line, size_t* column, Budget& budget) const { return Evaluate(*root_, line, column, budget); }
  // Whether each of the patterns that stand beside each other matches some line.
  Result<bool> AllMatch(const std::vector<std::string_view>& lines, Budget& budget) const;
  // The first match of any pattern from an offset on.
  Result<RegexGroup> Find(std::string_view line, size_t from, Budget& budget) const;

 private:
  struct Node {
    enum class Kind { kPattern, kAnd, kOr, kNot } kind;
    std::optional<Regex> regex;
    std::unique_ptr<Node> left, right;
  };
  Result<std::unique_ptr<Node>> ParseOr(const std::vector<GrepTerm>& terms, size_t& at, int depth);
  Result<std::unique_ptr<Node>> ParseAnd(const std::vector<GrepTerm>& terms, size_t& at, int depth);
  Result<std::unique_ptr<Node>> ParseNot(const std::vector<GrepTerm>& terms, size_t& at, int depth);
  Result<bool> Evaluate(const Node& node, std::string_view line, size_t* column, Budget& budget) const;
  Result<RegexGroup> FindIn(const Node& node, std::string_view line, size_t from, Budget& budget) const;

  RegexFlags flags_;
  std::unique_ptr<Node> root_;
};

}  // namespace paddock::git
