// Fuzz target of regular expressions, in every dialect: a pattern compiles or is refused, a search ends within
// the budget, and where two matchers can do a pattern they find the same.
// The input is two bytes of flags, the pattern, a newline and the text.
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "bounded_run.h"
#include "text/regex.h"
#include "text/regex_analysis.h"
#include "text/regex_backtrack.h"
#include "text/regex_parser.h"
#include "text/regex_re2.h"
#include "text/utf8.h"

namespace paddock {
namespace {

using Groups = std::vector<RegexGroup>;

bool IsSame(const RegexGroup& a, const RegexGroup& b) { return a.begin == b.begin && a.end == b.end; }

void CheckRanges(const Groups& groups, size_t text_size) {
  PADDOCK_CHECK(groups[0].is_set());
  for (const RegexGroup& group : groups) {
    PADDOCK_CHECK(!group.is_set() || (group.begin <= group.end && group.end <= text_size));
  }
}

// What every matcher of the pattern finds must agree, also with what the caller asks for.
void CheckSearches(const Regex& regex, const RegexFlags& flags, std::string_view text, Budget& budget) {
  Groups groups(regex.group_count() + 1), whole(1);
  const auto found = regex.Search(text, 0, &groups, budget);
  if (!found) return;
  if (const auto again = regex.Search(text, 0, nullptr, budget)) PADDOCK_CHECK(*again == *found);
  if (const auto again = regex.Search(text, 0, &whole, budget)) {
    PADDOCK_CHECK(*again == *found);
    if (*found) PADDOCK_CHECK(IsSame(whole[0], groups[0]));
  }
  if (!*found) return;
  CheckRanges(groups, text.size());
  const std::string_view required = regex.required_literal();
  PADDOCK_CHECK(flags.ignore_case || text.find(required) != std::string_view::npos);
  if (flags.dialect == RegexDialect::kPerl) return;   // \G and \K may tell where the search began
  // The leftmost match is also the first one from where it begins.
  if (const auto again = regex.Search(text, groups[0].begin, &whole, budget)) {
    PADDOCK_CHECK(*again && IsSame(whole[0], groups[0]));
  }
}

void CheckAutomaton(const RegexTree& tree, Re2Matcher::Text kind, bool is_line_start, std::string_view text,
                    Budget& budget) {
  const RegexAnalysis analysis = AnalyzeRegex(tree);
  if (analysis.has_back_references || analysis.size > 10'000) return;
  const auto automaton = Re2Matcher::Make(tree, kind, is_line_start, tree.group_count > 0);
  if (automaton == nullptr) return;
  Groups fast(tree.group_count + 1), slow(tree.group_count + 1);
  const auto found = BacktrackMatcher(tree).Search(text, 0, is_line_start, &slow, budget);
  if (!found) return;
  PADDOCK_CHECK(automaton->Search(text, 0, fast.data(), fast.size()) == *found);
  if (!*found) return;
  PADDOCK_CHECK(IsSame(fast[0], slow[0]));
  if (analysis.has_subtle_groups) return;
  for (size_t i = 1; i < fast.size(); ++i) PADDOCK_CHECK(IsSame(fast[i], slow[i]));
}

void CheckAutomata(std::string_view pattern, const RegexFlags& flags, std::string_view text, Budget& budget) {
  if (flags.dialect == RegexDialect::kPerl || flags.extent == RegexExtent::kWholeWords) return;
  const auto tree = ParseRegex(pattern, flags);
  if (!tree) return;
  for (const bool is_line_start : {true, false}) {
    CheckAutomaton(*tree, flags.is_utf8 ? Re2Matcher::Text::kUtf8 : Re2Matcher::Text::kBytes, is_line_start, text, budget);
    if (IsAscii(text)) CheckAutomaton(*tree, Re2Matcher::Text::kAscii, is_line_start, text, budget);
  }
}

// A list of patterns matches what one of them matches.
void CheckAny(const Regex& regex, const std::string& pattern, const RegexFlags& flags, std::string_view text,
              Budget& budget) {
  if (flags.dialect == RegexDialect::kPerl) return;
  const std::vector<std::string> both = {pattern, "b+c"};
  const auto any = Regex::CompileAny(both, flags);
  const auto second = Regex::Compile(both[1], flags);
  if (!any || !second) return;
  const auto a = regex.Search(text, 0, nullptr, budget);
  const auto b = second->Search(text, 0, nullptr, budget);
  const auto found = any->Search(text, 0, nullptr, budget);
  if (a && b && found) PADDOCK_CHECK(*found == (*a || *b));
}

void RunOne(std::string_view data, Budget& budget) {
  const auto first = static_cast<unsigned char>(data[0]);
  const auto second = static_cast<unsigned char>(data[1]);
  data.remove_prefix(2);
  const size_t newline = data.find('\n');
  const std::string pattern(data.substr(0, newline));
  const std::string text(newline == std::string_view::npos ? "" : data.substr(newline + 1));

  RegexFlags flags;
  flags.dialect = static_cast<RegexDialect>(first % 8);
  flags.ignore_case = (first & 8) != 0;
  flags.is_utf8 = (first & 16) == 0;
  flags.multiline = (first & 32) != 0;
  flags.newline_is_text = (first & 64) == 0;
  flags.is_literal = (first & 128) != 0;
  flags.extent = static_cast<RegexExtent>(second % 3);
  const auto regex = Regex::Compile(pattern, flags);
  if (!regex) return;
  CheckSearches(*regex, flags, text, budget);
  if ((second & 4) != 0) (void)regex->Search(text, 0, nullptr, budget, false);
  if (const auto literal = Regex::Compile(EscapeRegex(text), {.is_utf8 = flags.is_utf8})) {
    const auto found = literal->Search(text, 0, nullptr, budget);
    PADDOCK_CHECK(found && *found);
  }
  CheckAutomata(pattern, flags, text, budget);
  CheckAny(*regex, pattern, flags, text, budget);
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    paddock::RunOne({reinterpret_cast<const char*>(data), size}, budget);
  });
  return 0;
}
