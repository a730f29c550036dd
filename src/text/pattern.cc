#include "text/pattern.h"

#include <cstring>

#include "base/budget.h"
#include "text/pattern_matcher.h"
#include "text/pattern_program.h"

namespace paddock {
namespace {

constexpr size_t kNone = std::string_view::npos;

// The forms that scripts use most need no general matching.
enum class Shape {
  kLiteral,   // abc
  kAnything,  // *
  kPrefix,    // abc*
  kSuffix,    // *abc
  kContains,  // *abc*
  kPlain,     // literals, characters and stars in any order
  kGeneral,   // extglob groups or path rules
};

using Kind = PatternNode::Kind;

Shape ShapeOf(const PatternProgram& program, const PatternFlags& flags) {
  if (program.has_groups || flags.is_path) return Shape::kGeneral;
  const PatternSequence& nodes = program.sequences.front();
  const auto is = [&](std::initializer_list<Kind> kinds) {
    if (nodes.size() != kinds.size()) return false;
    size_t i = 0;
    for (const Kind kind : kinds) {
      if (nodes[i++].kind != kind) return false;
    }
    return true;
  };
  if (nodes.empty() || is({Kind::kLiteral})) return Shape::kLiteral;
  if (is({Kind::kStar})) return Shape::kAnything;
  if (is({Kind::kLiteral, Kind::kStar})) return Shape::kPrefix;
  if (is({Kind::kStar, Kind::kLiteral})) return Shape::kSuffix;
  if (is({Kind::kStar, Kind::kLiteral, Kind::kStar})) return Shape::kContains;
  return Shape::kPlain;
}

size_t FindBytes(std::string_view text, std::string_view needle, size_t from) {
  if (needle.size() == 1) return text.find(needle[0], from);
  if (from > text.size()) return kNone;
  const void* found = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  return found == nullptr ? kNone : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// The nodes between two stars.
struct Segment {
  size_t begin;
  size_t end;
};

// Matching of patterns without groups: each run of nodes between stars is placed as early (or, from the
// right, as late) as possible, which never rules out a match of the rest.
class PlainMatcher {
 public:
  PlainMatcher(const PatternProgram& program, bool is_utf8, std::string_view text, Budget& budget)
      : program_(program), nodes_(program.sequences.front()), is_utf8_(is_utf8), text_(text), budget_(budget) {}

  bool MatchesAll() {
    const Segment first = SegmentAt(0);
    size_t at = MatchAt(first, 0);
    if (at == kNone) return false;
    if (first.end == nodes_.size()) return at == text_.size();
    const Segment last = SegmentBefore(nodes_.size());
    const size_t stop = MatchBefore(last, text_.size());
    if (stop == kNone || stop < at) return false;
    for (size_t node = first.end + 1; node < last.begin;) {
      const Segment segment = SegmentAt(node);
      at = FindForward(segment, at).end;
      if (at == kNone || at > stop) return false;
      node = segment.end + 1;
    }
    return true;
  }

  size_t PrefixEnd(size_t from, bool longest) {
    Segment segment = SegmentAt(0);
    size_t at = MatchAt(segment, from);
    while (at != kNone && segment.end < nodes_.size()) {
      segment = SegmentAt(segment.end + 1);
      const bool is_last = segment.end == nodes_.size();
      if (is_last && longest) return FindBackward(segment, text_.size(), at).end;
      at = FindForward(segment, at).end;
    }
    return at;
  }

  size_t SuffixBegin(bool longest) {
    Segment segment = SegmentBefore(nodes_.size());
    size_t at = MatchBefore(segment, text_.size());
    while (at != kNone && segment.begin > 0) {
      segment = SegmentBefore(segment.begin - 1);
      if (segment.begin == 0 && longest) {
        const Range found = FindForward(segment, 0);
        return found.end != kNone && found.end <= at ? found.begin : kNone;
      }
      at = FindBackward(segment, at, 0).begin;
    }
    return at;
  }

  Pattern::Found Find(size_t from) {
    const Range found = FindForward(SegmentAt(0), from);
    if (found.begin == kNone) return {kNone, 0};
    // When what follows the first star is not found right of here, it is not found further right either.
    const size_t end = PrefixEnd(found.begin, true);
    if (end == kNone) return {kNone, 0};
    return {found.begin, end - found.begin};
  }

 private:
  struct Range {
    size_t begin;
    size_t end;
  };

  Segment SegmentAt(size_t begin) const {
    size_t end = begin;
    while (end < nodes_.size() && nodes_[end].kind != Kind::kStar) ++end;
    return {begin, end};
  }
  Segment SegmentBefore(size_t end) const {
    size_t begin = end;
    while (begin > 0 && nodes_[begin - 1].kind != Kind::kStar) --begin;
    return {begin, end};
  }

  size_t Next(size_t at) const { return is_utf8_ ? at + DecodeUtf8(text_.substr(at)).length : at + 1; }
  // The text is well-formed UTF-8 whenever is_utf8_ is set.
  size_t Previous(size_t at) const {
    --at;
    while (is_utf8_ && at > 0 && (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80) --at;
    return at;
  }

  // The end of the segment when it stands at `at`.
  size_t MatchAt(Segment segment, size_t at) {
    budget_.Step();
    for (size_t i = segment.begin; i < segment.end; ++i) {
      const PatternNode& node = nodes_[i];
      if (node.kind == Kind::kLiteral) {
        const std::string_view literal = program_.Literal(node);
        if (!text_.substr(at).starts_with(literal)) return kNone;
        at += literal.size();
      } else {
        if (at >= text_.size() || !MatchesCharacter(program_, node, text_, at, is_utf8_)) return kNone;
        at = Next(at);
      }
    }
    return at;
  }

  // The start of the segment when it ends at `at`.
  size_t MatchBefore(Segment segment, size_t at) {
    budget_.Step();
    for (size_t i = segment.end; i > segment.begin; --i) {
      const PatternNode& node = nodes_[i - 1];
      if (node.kind == Kind::kLiteral) {
        const std::string_view literal = program_.Literal(node);
        if (!text_.substr(0, at).ends_with(literal)) return kNone;
        at -= literal.size();
      } else {
        if (at == 0) return kNone;
        at = Previous(at);
        if (!MatchesCharacter(program_, node, text_, at, is_utf8_)) return kNone;
      }
    }
    return at;
  }

  Range FindForward(Segment segment, size_t from) {
    if (segment.begin == segment.end) return {from, from};
    const PatternNode& first = nodes_[segment.begin];
    for (size_t at = from; at <= text_.size();) {
      if (first.kind == Kind::kLiteral) {
        at = FindBytes(text_, program_.Literal(first), at);
        if (at == kNone) break;
      }
      const size_t end = MatchAt(segment, at);
      if (end != kNone) return {at, end};
      if (at == text_.size()) break;
      at = Next(at);
    }
    return {kNone, kNone};
  }

  // The last place between `low` and `high`.
  Range FindBackward(Segment segment, size_t high, size_t low) {
    if (segment.begin == segment.end) return {high, high};
    const PatternNode& last = nodes_[segment.end - 1];
    for (size_t end = high;;) {
      if (last.kind == Kind::kLiteral) {
        const std::string_view literal = program_.Literal(last);
        const size_t found = text_.substr(0, end).rfind(literal);
        if (found == kNone || found < low) return {kNone, kNone};
        end = found + literal.size();
      }
      const size_t begin = MatchBefore(segment, end);
      if (begin != kNone && begin >= low) return {begin, end};
      if (end <= low) return {kNone, kNone};
      end = Previous(end);
    }
  }

  const PatternProgram& program_;
  const PatternSequence& nodes_;
  const bool is_utf8_;
  std::string_view text_;
  Budget& budget_;
};

bool IsLeadingDotHidden(const PatternProgram& program, const PatternFlags& flags, std::string_view text) {
  if (!flags.leading_dot_special || !text.starts_with('.')) return false;
  const PatternSequence& nodes = program.sequences.front();
  return nodes.empty() || nodes.front().kind != Kind::kLiteral;
}

}  // namespace

struct Pattern::Impl {
  Impl(std::string_view pattern, const PatternFlags& given)
      : flags(given), program(ParsePattern(pattern, given)), shape(ShapeOf(program, given)) {
    if (shape == Shape::kLiteral || flags.is_utf8) source = pattern;
  }

  // Text that is not UTF-8 is matched byte by byte, the pattern too.
  mutable const Impl* searched = nullptr;   // what the last Find() from 0 chose

  const Impl& For(std::string_view text) const {
    if (!flags.is_utf8 || !program.has_characters || IsAscii(text) || IsValidUtf8(text)) return *this;
    if (bytes == nullptr) {
      PatternFlags byte_flags = flags;
      byte_flags.is_utf8 = false;
      bytes = std::make_unique<Impl>(source, byte_flags);
    }
    return *bytes;
  }

  std::string_view FirstLiteral() const {
    const PatternSequence& nodes = program.sequences.front();
    for (const PatternNode& node : nodes) {
      if (node.kind == Kind::kLiteral) return program.Literal(node);
    }
    return {};
  }

  PlainMatcher Plain(std::string_view text, Budget& budget) const {
    return PlainMatcher(program, flags.is_utf8, text, budget);
  }
  PatternMatcher General(std::string_view text, Budget& budget) const {
    return PatternMatcher(program, flags, text, budget);
  }

  PatternFlags flags;
  PatternProgram program;
  Shape shape;
  std::string source;
  mutable std::unique_ptr<Impl> bytes;
};

Pattern::Pattern(std::string_view pattern, const PatternFlags& flags)
    : impl_(std::make_unique<Impl>(pattern, flags)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

bool Pattern::Matches(std::string_view text, Budget& budget) const {
  const Impl& impl = impl_->For(text);
  budget.Step(1 + static_cast<int64_t>(text.size() / 32));
  if (impl.shape != Shape::kGeneral && IsLeadingDotHidden(impl.program, impl.flags, text)) return false;
  const std::string_view literal = impl.FirstLiteral();
  switch (impl.shape) {
    case Shape::kLiteral: return text == literal;
    case Shape::kAnything: return true;
    case Shape::kPrefix: return text.starts_with(literal);
    case Shape::kSuffix: return text.ends_with(literal);
    case Shape::kContains: return FindBytes(text, literal, 0) != kNone;
    case Shape::kPlain: return impl.Plain(text, budget).MatchesAll();
    case Shape::kGeneral: break;
  }
  const auto ends = impl.General(text, budget).Ends({0});
  return !ends.empty() && ends.back() == text.size();
}

size_t Pattern::MatchPrefix(std::string_view text, bool longest, Budget& budget) const {
  const Impl& impl = impl_->For(text);
  budget.Step(1 + static_cast<int64_t>(text.size() / 32));
  if (impl.shape == Shape::kGeneral) {
    const auto ends = impl.General(text, budget).Ends({0});
    if (ends.empty()) return kNone;
    return longest ? ends.back() : ends.front();
  }
  if (IsLeadingDotHidden(impl.program, impl.flags, text)) return kNone;
  return impl.Plain(text, budget).PrefixEnd(0, longest);
}

size_t Pattern::MatchSuffix(std::string_view text, bool longest, Budget& budget) const {
  const Impl& impl = impl_->For(text);
  budget.Step(1 + static_cast<int64_t>(text.size() / 32));
  if (impl.shape == Shape::kGeneral) {
    const auto starts = impl.General(text, budget).Starts({text.size()});
    if (starts.empty()) return kNone;
    return longest ? starts.front() : starts.back();
  }
  return impl.Plain(text, budget).SuffixBegin(longest);
}

Pattern::Found Pattern::Find(std::string_view text, size_t from, Budget& budget) const {
  // A search that goes on in the same text (replace all) keeps what was found out about it.
  if (from == 0 || impl_->searched == nullptr) impl_->searched = &impl_->For(text);
  const Impl& impl = *impl_->searched;
  budget.Step();
  if (impl.shape != Shape::kGeneral) {
    const Found found = impl.Plain(text, budget).Find(from);
    const size_t passed = (found.begin == kNone ? text.size() : found.begin) - from;
    budget.Step(static_cast<int64_t>(passed / 32));
    return found;
  }
  PatternMatcher matcher = impl.General(text, budget);
  const auto next = [&](size_t at) { return impl.flags.is_utf8 ? at + DecodeUtf8(text.substr(at)).length : at + 1; };
  // Most patterns decide in a few characters whether they match here. Where that turns out to be dear,
  // all possible starts are found at once.
  const size_t dear = 8 * (text.size() - from) + 1024;
  size_t at = from;
  for (; matcher.work() < dear; at = next(at)) {
    const auto ends = matcher.Ends({at});
    if (!ends.empty()) return {at, ends.back() - at};
    if (at >= text.size()) return {kNone, 0};
  }
  PatternMatcher::Positions all;
  for (;; at = next(at)) {
    all.push_back(at);
    if (at >= text.size()) break;
  }
  for (const size_t start : matcher.Starts(all)) {
    if (start < from) continue;
    return {start, matcher.Ends({start}).back() - start};
  }
  return {kNone, 0};
}

bool Pattern::is_literal() const { return impl_->shape == Shape::kLiteral; }

const std::string& Pattern::literal() const { return impl_->program.literals; }

bool HasPatternCharacters(std::string_view text, bool extglob) {
  bool has_open_bracket = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (c == '*' || c == '?' || (c == ']' && has_open_bracket)) {
      return true;
    } else if (c == '[') {
      has_open_bracket = true;
    } else if (extglob && (c == '+' || c == '@' || c == '!') && i + 1 < text.size() && text[i + 1] == '(') {
      return true;
    }
  }
  return false;
}

std::string QuotePattern(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size());
  for (const char c : text) {
    if (std::strchr("*?[]\\+@!()|^-", c) != nullptr && c != '\0') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted;
}

}  // namespace paddock
