// A parsed regular expression: what every POSIX-like dialect is translated to and every matcher is made
// from. For text/regex only.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/unicode_ranges.h"
#include "text/utf8.h"

namespace paddock {

// The characters that -i takes for this one as well: k for K, and the old long s for S and s.
std::u32string CaseVariants(char32_t code);

// A set of characters; in the C locale, of bytes.
class CharSet {
 public:
  void Add(char32_t first, char32_t last);
  void AddClass(CharClass char_class);
  // Settles the members: case, negation, and whether a newline may be one. `is_utf8` false: bytes.
  void Finish(bool is_negated, bool ignore_case, bool newline_is_text, bool is_utf8);
  // Leaves only the members below 128 that are of the class, or that are not.
  void Keep(CharClass char_class, bool is_member);

  bool Contains(char32_t code) const;
  const std::bitset<256>& bytes() const { return bytes_; }
  // True when no member depends on text being decoded: ASCII only, or the C locale.
  bool is_byte_wise() const { return is_byte_wise_; }
  // The members from 128 on, sorted; looks at the classes, so ask only where it is needed.
  std::vector<CodeRange> WideRanges() const;

 private:
  bool IsInClasses(char32_t code) const;

  std::bitset<256> bytes_;  // members below 128; below 256 in the C locale
  std::vector<CodeRange> ranges_;
  std::vector<CharClass> classes_;
  bool is_negated_ = false;
  bool ignore_case_ = false;
  bool is_utf8_ = true;
  bool is_byte_wise_ = true;
};

enum class Assertion : uint8_t {
  kLineStart,
  kLineEnd,
  kTextStart,
  kTextEnd,
  kWordBoundary,
  kNotWordBoundary,
  kWordStart,
  kWordEnd,
  kNotAfterWord,   // grep -w: the character before is none of a word
  kNotBeforeWord,
};

struct RegexNode {
  enum class Kind : uint8_t {
    kEmpty,
    kLiteral,        // literals[value, value + min)
    kSet,            // value: index into sets
    kConcat,         // children
    kAlternate,      // children
    kRepeat,         // children[0], min to max times
    kGroup,          // children[0], value: number from 1
    kBackReference,  // value: number of the group
    kAssertion,      // value: Assertion
  };
  static constexpr int kNoMaximum = -1;

  Kind kind = Kind::kEmpty;
  uint32_t value = 0;
  int min = 0;
  int max = 0;
  std::vector<uint32_t> children;
};

struct RegexTree {
  std::vector<RegexNode> nodes;
  std::vector<CharSet> sets;
  std::string literals;
  uint32_t root = 0;
  uint32_t group_count = 0;
  bool is_utf8 = true;
  bool ignore_case = false;
  bool multiline = false;
  std::vector<std::string> warnings;

  uint32_t Add(RegexNode node) {
    nodes.push_back(std::move(node));
    return static_cast<uint32_t>(nodes.size() - 1);
  }
  const RegexNode& at(uint32_t index) const { return nodes[index]; }
  std::string_view Literal(const RegexNode& node) const {
    return std::string_view(literals).substr(node.value, static_cast<size_t>(node.min));
  }
};

}  // namespace paddock
