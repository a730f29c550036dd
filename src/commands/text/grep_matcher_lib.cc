#include <algorithm>
#include <cstring>

#include "base/budget.h"
#include "commands/text/grep_matcher.h"
#include "commands/text/rg_search.h"   // LongestRequired
#include "text/utf8.h"

namespace paddock {
namespace {

constexpr size_t kNone = std::string_view::npos;
// A literal at least this long is rare enough to look for it first and at its line alone then.
constexpr size_t kRareLength = 3;
// Bytes that a search over many lines looks at before it takes more at once.
constexpr size_t kFirstWindow = 512;

RegexText KindOf(bool is_ascii) { return is_ascii ? RegexText::kAscii : RegexText::kUnknown; }

// Whether several patterns are just strings, so that they can be looked for at once.
bool AreStrings(const std::vector<std::string>& patterns, const RegexFlags& flags, char delimiter) {
  if (patterns.size() < 2 || flags.dialect == RegexDialect::kPerl) return false;
  return std::all_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    if (pattern.empty() || pattern.find(delimiter) != std::string::npos) return false;
    if (flags.ignore_case && !IsAscii(pattern)) return false;
    return flags.is_literal || pattern.find_first_of("\\.[]*^$+?{}|()") == std::string::npos;
  });
}

}  // namespace

GrepMatcher::GrepMatcher(Regex regex, const RegexFlags& flags, char delimiter)
    : regex_(std::move(regex)), extent_(flags.extent), is_utf8_(flags.is_utf8), delimiter_(delimiter),
      required_(regex_.required_literal()), groups_(1) {}

bool GrepMatcher::IsWhole(std::string_view text, size_t begin, size_t end) const {
  switch (extent_) {
    case RegexExtent::kAny: return true;
    case RegexExtent::kWholeWords:
      return !IsWordBefore(text, begin, is_utf8_) && !IsWordAfter(text, end, is_utf8_);
    case RegexExtent::kWholeLine:
      return (begin == 0 || text[begin - 1] == delimiter_) && (end == text.size() || text[end] == delimiter_);
  }
  return true;
}

Result<GrepMatcher> GrepMatcher::Make(const std::vector<std::string>& patterns, RegexFlags flags, char delimiter) {
  const bool has_newlines = delimiter != '\n';
  flags.multiline = !has_newlines && flags.dialect != RegexDialect::kPerl;
  flags.newline_is_text = has_newlines;
  std::optional<LiteralSet> strings;
  if (AreStrings(patterns, flags, delimiter)) strings = LiteralSet::Make(patterns, flags.ignore_case);
  auto regex = Regex::CompileAny(strings ? std::vector<std::string>() : patterns, flags);
  if (!regex) return regex.error();
  GrepMatcher matcher(std::move(*regex), flags, delimiter);
  matcher.strings_ = std::move(strings);
  const bool is_perl = flags.dialect == RegexDialect::kPerl && patterns.size() == 1;
  if (is_perl && !flags.ignore_case) matcher.required_ = TextFinder(LongestRequired(patterns[0]));
  return matcher;
}

GrepMatcher::Line GrepMatcher::LineFrom(std::string_view buffer, size_t begin) const {
  const void* found = std::memchr(buffer.data() + begin, delimiter_, buffer.size() - begin);
  if (found == nullptr) return {begin, buffer.size(), buffer.size()};
  const auto end = static_cast<size_t>(static_cast<const char*>(found) - buffer.data());
  return {begin, end, end + 1};
}

// The line around `at`, which begins at or after `from`.
GrepMatcher::Line GrepMatcher::LineAt(std::string_view buffer, size_t from, size_t at) const {
  const void* found = memrchr(buffer.data() + from, delimiter_, at - from);
  const size_t begin =
      found == nullptr ? from : static_cast<size_t>(static_cast<const char*>(found) - buffer.data()) + 1;
  Line line = LineFrom(buffer, at);
  line.begin = begin;
  return line;
}

Result<std::optional<GrepMatcher::Line>> GrepMatcher::FindInBlock(std::string_view buffer, size_t from,
                                                                  bool is_ascii, Budget& budget) const {
  // A search is charged for all of the text it is given: when most lines match, that must not be the whole block.
  for (size_t window = kFirstWindow; from < buffer.size(); window *= 2) {
    const size_t end = window < buffer.size() - from ? LineFrom(buffer, from + window).next : buffer.size();
    // Behind the last delimiter there is no line.
    const bool is_terminated = buffer[end - 1] == delimiter_;
    const std::string_view text = buffer.substr(from, end - from - (is_terminated ? 1 : 0));
    PADDOCK_ASSIGN(const bool is_found, regex_.Search(text, 0, &groups_, budget, true, KindOf(is_ascii)));
    if (is_found) return std::optional<Line>(LineAt(buffer, from, from + groups_[0].begin));
    from = end;
  }
  return std::optional<Line>();
}

Result<std::optional<GrepMatcher::Line>> GrepMatcher::FindLine(std::string_view buffer, size_t from, bool is_ascii,
                                                               Budget& budget) const {
  if (from >= buffer.size()) return std::optional<Line>();
  if (strings_) {
    const std::string_view text = buffer.substr(from);
    LiteralSet::Filter filter;
    if (extent_ != RegexExtent::kAny) {
      filter = [&](size_t begin, size_t end) { return IsWhole(text, begin, end); };
    }
    const auto found = strings_->FindAny(text, 0, filter, budget);
    if (!found) return std::optional<Line>();
    return std::optional<Line>(LineAt(buffer, from, from + found->begin));
  }
  const Regex::BlockSearch mode = regex_.block_search();
  const bool searches_blocks =
      mode == Regex::BlockSearch::kAlways || (mode == Regex::BlockSearch::kInAscii && is_ascii);
  if (searches_blocks && required_.wanted().size() < kRareLength) return FindInBlock(buffer, from, is_ascii, budget);
  budget.Step(static_cast<int64_t>((buffer.size() - from) / 256));
  while (from < buffer.size()) {
    budget.Step();
    Line line{};
    if (required_.wanted().empty()) {
      line = LineFrom(buffer, from);
    } else {
      const size_t at = required_.Find(buffer, from);
      if (at == kNone) break;
      line = LineAt(buffer, from, at);
    }
    const std::string_view text = buffer.substr(line.begin, line.end - line.begin);
    PADDOCK_ASSIGN(const bool matches, regex_.Search(text, 0, nullptr, budget, true, KindOf(is_ascii)));
    if (matches) return std::optional<Line>(line);
    from = line.next;
  }
  return std::optional<Line>();
}

Result<std::optional<RegexGroup>> GrepMatcher::FindInLine(std::string_view line, RegexText kind, size_t from, Budget& budget) const {
  if (strings_) {
    const auto filter = [&](size_t begin, size_t end) { return IsWhole(line, begin, end); };
    const auto found = strings_->FindLeftmost(line, from, filter, budget);
    if (!found) return std::optional<RegexGroup>();
    return std::optional<RegexGroup>({found->begin, found->end});
  }
  PADDOCK_ASSIGN(const bool is_found, regex_.Search(line, from, &groups_, budget, true, kind));
  if (!is_found) return std::optional<RegexGroup>();
  return std::optional<RegexGroup>(groups_[0]);
}

}  // namespace paddock
