#include <algorithm>
#include <array>

#include "text/regex_tree.h"

namespace paddock {
namespace {

constexpr char32_t kLastCode = 0x10FFFF;

void Merge(std::vector<CodeRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const CodeRange& a, const CodeRange& b) { return a.first < b.first; });
  size_t kept = 0;
  for (const CodeRange& range : ranges) {
    if (kept > 0 && range.first <= ranges[kept - 1].last + 1) {
      ranges[kept - 1].last = std::max(ranges[kept - 1].last, range.last);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

// The members of `ranges` from 128 on that fail or pass a test.
template <class Test>
std::vector<CodeRange> Filter(char32_t first, char32_t last, Test test) {
  std::vector<CodeRange> kept;
  for (char32_t c = first; c <= last; ++c) {
    if (!test(c)) continue;
    if (!kept.empty() && kept.back().last + 1 == c) {
      kept.back().last = c;
    } else {
      kept.push_back({c, c});
    }
  }
  return kept;
}

std::vector<CodeRange> BuildClass(CharClass char_class) {
  // Beyond these there are only unassigned and private characters, each alike.
  std::vector<CodeRange> ranges =
      Filter(0x80, 0x323AF, [char_class](char32_t c) { return IsInClass(c, char_class); });
  const auto tags = Filter(0xE0000, 0xE01EF, [char_class](char32_t c) { return IsInClass(c, char_class); });
  ranges.insert(ranges.end(), tags.begin(), tags.end());
  if (IsInClass(0xF0000, char_class)) {
    ranges.push_back({0xF0000, 0xFFFFD});
    ranges.push_back({0x100000, 0x10FFFD});
  }
  return ranges;
}

constexpr size_t kClassCount = static_cast<size_t>(CharClass::kUnknown);

const std::vector<CodeRange>& ClassRanges(CharClass char_class) {
  // Costs some milliseconds, so only for text that needs it.
  static const std::vector<CodeRange> kAlpha = BuildClass(CharClass::kAlpha);
  static const std::vector<CodeRange> kNothing;
  switch (char_class) {
    case CharClass::kAlnum:
    case CharClass::kAlpha:
    case CharClass::kWord: return kAlpha;
    case CharClass::kBlank: { static const auto kRanges = BuildClass(CharClass::kBlank); return kRanges; }
    case CharClass::kCntrl: { static const auto kRanges = BuildClass(CharClass::kCntrl); return kRanges; }
    case CharClass::kGraph: { static const auto kRanges = BuildClass(CharClass::kGraph); return kRanges; }
    case CharClass::kLower: { static const auto kRanges = BuildClass(CharClass::kLower); return kRanges; }
    case CharClass::kPrint: { static const auto kRanges = BuildClass(CharClass::kPrint); return kRanges; }
    case CharClass::kPunct: { static const auto kRanges = BuildClass(CharClass::kPunct); return kRanges; }
    case CharClass::kSpace: { static const auto kRanges = BuildClass(CharClass::kSpace); return kRanges; }
    case CharClass::kUpper: { static const auto kRanges = BuildClass(CharClass::kUpper); return kRanges; }
    case CharClass::kDigit:
    case CharClass::kXdigit:
    case CharClass::kUnknown: break;
  }
  return kNothing;
}

void AddFolded(std::vector<CodeRange>& ranges) {
  constexpr char32_t kLastCased = 0x1E943;
  std::vector<CodeRange> folded;
  for (const CodeRange& range : ranges) {
    for (char32_t c = range.first; c <= std::min(range.last, kLastCased); ++c) {
      const char32_t lower = ToLower(c);
      const char32_t upper = ToUpper(c);
      if (lower != c && lower >= 128) folded.push_back({lower, lower});
      if (upper != c && upper >= 128) folded.push_back({upper, upper});
    }
  }
  ranges.insert(ranges.end(), folded.begin(), folded.end());
  Merge(ranges);
}

std::vector<CodeRange> Complement(const std::vector<CodeRange>& ranges) {
  std::vector<CodeRange> rest;
  char32_t next = 0x80;
  for (const CodeRange& range : ranges) {
    if (range.first > next) rest.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastCode) rest.push_back({next, kLastCode});
  return rest;
}

}  // namespace

void CharSet::Add(char32_t first, char32_t last) {
  last = std::min(last, kLastCode);
  for (char32_t c = first; c <= last && c < 256; ++c) bytes_.set(c);
  if (last >= 128) ranges_.push_back({std::max<char32_t>(first, 128), last});
}

void CharSet::AddClass(CharClass char_class) {
  for (char32_t c = 0; c < 128; ++c) {
    if (IsInClass(c, char_class)) bytes_.set(c);
  }
  classes_.push_back(char_class);
}

void CharSet::Finish(bool is_negated, bool ignore_case, bool newline_is_text, bool is_utf8) {
  is_negated_ = is_negated;
  ignore_case_ = ignore_case;
  is_utf8_ = is_utf8;
  if (ignore_case) {
    for (char32_t c = 'a'; c <= 'z'; ++c) {
      if (bytes_[c] || bytes_[c - 0x20]) bytes_.set(c).set(c - 0x20);
    }
    for (CharClass& char_class : classes_) {
      if (char_class != CharClass::kLower && char_class != CharClass::kUpper) continue;
      for (char32_t c = 'a'; c <= 'z'; ++c) bytes_.set(c).set(c - 0x20);
    }
  }
  if (is_negated) bytes_.flip();
  if (!newline_is_text) bytes_.reset('\n');
  if (!is_utf8) {
    ranges_.clear();
    classes_.clear();
    return;
  }
  for (size_t c = 128; c < 256; ++c) bytes_.reset(c);
  Merge(ranges_);
  std::erase_if(classes_, [](CharClass c) { return c == CharClass::kDigit || c == CharClass::kXdigit; });
  is_byte_wise_ = !is_negated && ranges_.empty() && classes_.empty();
}

void CharSet::Keep(CharClass char_class, bool is_member) {
  for (char32_t c = 0; c < 256; ++c) {
    if (IsInClass(c, char_class, false) != is_member) bytes_.reset(c);
  }
}

bool CharSet::ContainsWide(char32_t code) const {
  if (IsInRanges(code, ranges_)) return true;
  return std::any_of(classes_.begin(), classes_.end(), [code](CharClass c) { return IsInClass(code, c); });
}

bool CharSet::Contains(char32_t code) const {
  if (code < 128 || !is_utf8_) return code < 256 && bytes_[code];
  bool is_member = ContainsWide(code);
  if (!is_member && ignore_case_) is_member = ContainsWide(ToLower(code)) || ContainsWide(ToUpper(code));
  return is_member != is_negated_;
}

std::vector<CodeRange> CharSet::WideRanges() const {
  std::vector<CodeRange> all = ranges_;
  for (const CharClass char_class : classes_) {
    const auto& more = ClassRanges(char_class);
    all.insert(all.end(), more.begin(), more.end());
  }
  Merge(all);
  if (ignore_case_) AddFolded(all);
  if (is_negated_) all = Complement(all);
  return all;
}

}  // namespace paddock
