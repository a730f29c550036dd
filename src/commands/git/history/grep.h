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

// What the parts of a line are painted with; all empty without colours.
struct GrepColours {
  bool is_on = false;
  std::string name, line_number, column, separator;
  std::string selected, context, function;           // lines: those that match, those around, those that begin a function
  std::string match_selected, match_context;
};
// As color.grep.* have it.
GrepColours ReadGrepColours(const Git& git);
// The text between a colour and its end; as it is where there is none.
std::string Painted(std::string_view text, const std::string& colour);

struct GrepOptions {
  std::vector<GrepTerm> terms;
  std::vector<std::string> pattern_files;
  bool cached = false, no_index = false, untracked = false, standard = false, with_ignored = false, inverts = false, ignores_case = false, words = false, as_text = false, skips_binary = false, fixed = false, numbers = false, columns = false, no_names = false, full_name = false;
  bool names = false, without = false, nul = false, only = false, count = false, breaks = false, heading = false, function = false, function_context = false, quiet = false, all_match = false, textconv = false, external = false;
  std::optional<RegexDialect> dialect;       // absent: what the configuration says
  std::optional<bool> colours;               // absent: likewise
  std::optional<bool> recursion;             // into submodules; absent: likewise
  std::optional<std::string> pager;          // of -O; empty: git's own
  int64_t threads = 0;
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
