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
      for (const char32_t variant : CaseVariants(c)) {
        if (variant >= 128) folded.push_back({variant, variant});
      }
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

std::u32string CaseVariants(char32_t code) {
  // Letters whose upper case has another lower one, with that upper case.
  static constexpr std::pair<char32_t, char32_t> kSecondLowers[] = {
      {0xB5, 0x39C}, {0x131, 0x49}, {0x17F, 0x53}, {0x1C5, 0x1C4}, {0x1C8, 0x1C7}, {0x1CB, 0x1CA},
      {0x1F2, 0x1F1}, {0x345, 0x399}, {0x3C2, 0x3A3}, {0x3D0, 0x392}, {0x3D1, 0x398}, {0x3D5, 0x3A6},
      {0x3D6, 0x3A0}, {0x3F0, 0x39A}, {0x3F1, 0x3A1}, {0x3F5, 0x395}, {0x1C80, 0x412}, {0x1C81, 0x414},
      {0x1C82, 0x41E}, {0x1C83, 0x421}, {0x1C84, 0x422}, {0x1C85, 0x422}, {0x1C86, 0x42A}, {0x1C87, 0x462},
      {0x1C88, 0xA64A}, {0x1E9B, 0x1E60}, {0x1FBE, 0x399}};
  const char32_t upper = ToUpper(code);
  const char32_t lower = ToLower(upper);
  std::u32string variants;
  if (upper != code) variants += upper;
  // The Kelvin sign is no K: nothing leads back from its lower case.
  const bool has_lower = lower != upper && ToUpper(lower) == upper;
  if (has_lower && lower != code) variants += lower;
  for (const auto& [other, others_upper] : kSecondLowers) {
    if (others_upper == upper && other != code && other != lower) variants += other;
  }
  return variants;
}

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
      if (!bytes_[c] && !bytes_[c - 0x20]) continue;
      bytes_.set(c).set(c - 0x20);
      for (const char32_t variant : is_utf8 ? CaseVariants(c) : U"") {
        if (variant >= 128) ranges_.push_back({variant, variant});
      }
    }
    Merge(ranges_);
    // Letters beyond ASCII with a case in it: the dotless i and the long s.
    for (const char32_t c : {0x131, 0x17F}) {
      const bool is_member = is_utf8 && IsInRanges(c, ranges_);
      for (const char32_t variant : is_member ? CaseVariants(c) : U"") {
        if (variant < 128) bytes_.set(variant);
      }
    }
    if (is_utf8) AddFolded(ranges_);
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

bool CharSet::IsInClasses(char32_t code) const {
  return std::any_of(classes_.begin(), classes_.end(), [code](CharClass c) { return IsInClass(code, c); });
}

bool CharSet::Contains(char32_t code) const {
  if (code < 128 || !is_utf8_) return code < 256 && bytes_[code];
  bool is_member = IsInRanges(code, ranges_) || IsInClasses(code);
  if (!is_member && ignore_case_) is_member = IsInClasses(ToLower(code)) || IsInClasses(ToUpper(code));
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
