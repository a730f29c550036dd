#include "text/regex.h"

#include <algorithm>
#include <bitset>
#include <cstring>

#include "base/budget.h"
#include "text/regex_analysis.h"
#include "text/regex_backtrack.h"
#include "text/regex_parser.h"
#include "text/regex_perl.h"
#include "text/regex_re2.h"
#include "text/regex_tree.h"
#include "text/text_finder.h"

namespace paddock {
namespace {

constexpr size_t kNone = std::string_view::npos;
// Expanded instructions beyond which a pattern is refused.
constexpr size_t kMaxSize = 200'000;
// Text up to here is looked through for bytes from 128 on, to use the smaller automaton.
constexpr size_t kShortText = 4096;

void FillWhole(std::vector<RegexGroup>* groups, size_t begin, size_t end) {
  if (groups == nullptr || groups->empty()) return;
  std::fill(groups->begin(), groups->end(), RegexGroup());
  groups->front() = {begin, end};
}

}  // namespace

RegexText ExamineText(std::string_view text) {
  if (IsAscii(text)) return RegexText::kAscii;
  return IsValidUtf8(text) ? RegexText::kUtf8 : RegexText::kUnknown;
}

// A matcher is made when text first needs it.
struct Regex::Impl {
  enum class State { kUnknown, kReady, kAbsent };
  struct Automaton {
    State state = State::kUnknown;
    std::unique_ptr<Re2Matcher> matcher;
  };

  Status Prepare(const RegexFlags& flags, bool may_have_groups);
  Result<bool> Search(std::string_view text, size_t from, std::vector<RegexGroup>* groups, Budget& budget,
                      bool is_line_start, bool is_ascii) const;
  bool SearchPlain(std::string_view text, size_t from, std::vector<RegexGroup>* groups, bool is_line_start) const;
  bool SearchRun(std::string_view text, size_t from, std::vector<RegexGroup>* groups, bool is_line_start) const;
  const Re2Matcher* AutomatonFor(std::string_view text, size_t from, bool is_line_start, bool is_ascii) const;
  const BacktrackMatcher& Backtracker() const {
    if (backtracker == nullptr) backtracker = std::make_unique<BacktrackMatcher>(tree);
    return *backtracker;
  }

  RegexTree tree;
  RegexAnalysis analysis;
  TextFinder required{""};   // of the analysis
  bool has_groups = false;
  bool is_per_line = false;
  std::unique_ptr<PerlMatcher> perl;
  mutable Automaton automata[2][3];  // by is_line_start and kind of text
  mutable std::unique_ptr<BacktrackMatcher> backtracker;
};

Regex::Regex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::Compile(std::string_view pattern, const RegexFlags& flags) {
  auto impl = std::make_unique<Impl>();
  if (flags.dialect == RegexDialect::kPerl) {
    PADDOCK_ASSIGN(impl->perl, PerlMatcher::Make(pattern, flags));
    return Regex(std::move(impl));
  }
  PADDOCK_ASSIGN(impl->tree, ParseRegex(pattern, flags));
  PADDOCK_TRY(impl->Prepare(flags, flags.extent != RegexExtent::kWholeWords));
  return Regex(std::move(impl));
}

Result<Regex> Regex::CompileAny(std::span<const std::string> patterns, const RegexFlags& flags) {
  if (patterns.size() == 1) return Compile(patterns.front(), flags);
  auto impl = std::make_unique<Impl>();
  PADDOCK_ASSIGN(impl->tree, ParseAnyRegex(patterns, flags));
  PADDOCK_TRY(impl->Prepare(flags, false));
  return Regex(std::move(impl));
}

Status Regex::Impl::Prepare(const RegexFlags& flags, bool may_have_groups) {
  analysis = AnalyzeRegex(tree);
  required = TextFinder(analysis.required);
  has_groups = tree.group_count > 0 && may_have_groups;
  is_per_line = !flags.multiline || flags.newline_is_text;
  if (analysis.size > kMaxSize) return Error(Code::kSyntax, "Regular expression too big");
  return {};
}

Result<bool> Regex::Search(std::string_view text, size_t from, std::vector<RegexGroup>* groups, Budget& budget,
                           bool is_line_start, RegexText kind) const {
  if (impl_->perl != nullptr) return impl_->perl->Search(text, from, is_line_start, kind, groups, budget);
  return impl_->Search(text, from, groups, budget, is_line_start, kind == RegexText::kAscii);
}

bool Regex::Impl::SearchPlain(std::string_view text, size_t from, std::vector<RegexGroup>* groups,
                              bool is_line_start) const {
  const std::string_view literal = analysis.required;
  size_t begin = 0;
  if (analysis.plain_at_start) {
    if (from > 0 || !is_line_start || !text.starts_with(literal)) return false;
    if (analysis.plain_at_end && text.size() != literal.size()) return false;
  } else if (analysis.plain_at_end) {
    if (text.size() - from < literal.size() || !text.ends_with(literal)) return false;
    begin = text.size() - literal.size();
  } else {
    begin = required.Find(text, from);
    if (begin == kNone) return false;
  }
  FillWhole(groups, begin, begin + literal.size());
  return true;
}

// Only for text in which the set's characters are bytes.
bool Regex::Impl::SearchRun(std::string_view text, size_t from, std::vector<RegexGroup>* groups,
                            bool is_line_start) const {
  const std::bitset<256>& set = tree.sets[analysis.run_set].bytes();
  const auto is_member = [&](size_t at) { return set[static_cast<unsigned char>(text[at])]; };
  const auto min = static_cast<size_t>(analysis.run_min);
  size_t begin = from;
  if (analysis.plain_at_start) {
    if (from > 0 || !is_line_start) return false;
  } else if (analysis.plain_at_end) {
    begin = text.size();
    while (begin > from && is_member(begin - 1)) --begin;
    if (analysis.run_is_single) begin = std::max(begin, std::max(text.size(), size_t{1}) - 1);
  } else if (min > 0) {
    while (begin < text.size() && !is_member(begin)) ++begin;
  }
  for (;;) {
    size_t end = begin;
    const size_t limit = analysis.run_is_single ? std::min(text.size(), begin + 1) : text.size();
    while (end < limit && is_member(end)) ++end;
    if (end - begin >= min && (!analysis.plain_at_end || end == text.size())) {
      FillWhole(groups, begin, end);
      return true;
    }
    if (analysis.plain_at_start || end >= text.size()) return false;
    for (begin = end; begin < text.size() && !is_member(begin);) ++begin;
    if (begin == text.size()) return false;
  }
}

const Re2Matcher* Regex::Impl::AutomatonFor(std::string_view text, size_t from, bool is_line_start,
                                            bool is_ascii) const {
  auto kind = Re2Matcher::Text::kBytes;
  if (!analysis.is_byte_wise) {
    const bool is_short = text.size() - from <= kShortText;
    kind = is_ascii ? Re2Matcher::Text::kAscii : Re2Matcher::Text::kUtf8;
    if (is_ascii) {
      // Nothing to find out.
    } else if (is_short || (analysis.has_word_assertions && from == 0)) {
      // A word boundary at `from` looks at the character before.
      if (IsAscii(text.substr(from > 0 ? from - 1 : 0))) kind = Re2Matcher::Text::kAscii;
    }
  }
  Automaton& automaton = automata[is_line_start ? 1 : 0][static_cast<size_t>(kind)];
  if (automaton.state == State::kUnknown) {
    automaton.matcher = Re2Matcher::Make(tree, kind, is_line_start, has_groups);
    automaton.state = automaton.matcher == nullptr ? State::kAbsent : State::kReady;
  }
  return automaton.matcher.get();
}

Result<bool> Regex::Impl::Search(std::string_view text, size_t from, std::vector<RegexGroup>* groups,
                                 Budget& budget, bool is_line_start, bool is_ascii) const {
  budget.Step(1 + static_cast<int64_t>((text.size() - from) / 64));
  if (analysis.is_plain) return SearchPlain(text, from, groups, is_line_start);
  if (analysis.is_run && (is_ascii || tree.sets[analysis.run_set].is_byte_wise() || !tree.is_utf8 ||
                          (text.size() - from <= kShortText && IsAscii(text.substr(from))))) {
    return SearchRun(text, from, groups, is_line_start);
  }
  if (analysis.is_anchored && from > 0) return false;
  if (!analysis.required.empty() && required.Find(text, from) == kNone) return false;
  const Re2Matcher* automaton = analysis.has_back_references ? nullptr : AutomatonFor(text, from, is_line_start, is_ascii);
  if (automaton == nullptr) return Backtracker().Search(text, from, is_line_start, groups, budget);
  budget.Step(static_cast<int64_t>((text.size() - from) / 64));
  const size_t wanted = groups == nullptr ? 0 : groups->size();
  if (wanted > 1 && analysis.has_subtle_groups) {
    if (!automaton->Search(text, from, groups->data(), 1)) return false;
    return Backtracker().FillGroups(text, is_line_start, *groups, budget);
  }
  return automaton->Search(text, from, wanted == 0 ? nullptr : groups->data(), wanted);
}

size_t Regex::group_count() const {
  return impl_->perl != nullptr ? impl_->perl->group_count() : impl_->tree.group_count;
}

std::span<const std::string> Regex::warnings() const { return impl_->tree.warnings; }

std::string_view Regex::required_literal() const { return impl_->analysis.required; }

Regex::BlockSearch Regex::block_search() const {
  if (impl_->perl != nullptr || impl_->is_per_line || impl_->analysis.has_back_references) return BlockSearch::kNever;
  if (!impl_->tree.is_utf8 || !impl_->analysis.has_word_assertions) return BlockSearch::kAlways;
  return BlockSearch::kInAscii;
}

std::string EscapeRegex(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (c != '\0' && std::strchr("\\.[]{}()*+?^$|", c) != nullptr) escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

}  // namespace paddock
