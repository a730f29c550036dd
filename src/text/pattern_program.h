// The parsed form of a shell pattern: a flat tree of sequences, so that hostile nesting costs no stack.
// For text/pattern only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/pattern.h"
#include "text/unicode_ranges.h"
#include "text/utf8.h"

namespace paddock {

// A bracket expression.
struct PatternSet {
  std::array<uint64_t, 2> ascii{};  // members below 128
  std::vector<CodeRange> ranges;    // members from 128 on
  std::array<uint64_t, 2> class_ascii{};  // those of classes, below 128
  std::vector<CharClass> classes;         // from 128 on
  bool is_negated = false;
  bool ignore_case = false;
  bool is_utf8 = true;

  void Add(char32_t first, char32_t last);
  void AddClass(CharClass char_class);
  bool Contains(char32_t code) const;

 private:
  bool HasMember(char32_t code) const;
  bool HasInClass(char32_t code) const;
};

struct PatternNode {
  enum class Kind : uint8_t {
    kLiteral,   // literals[begin, begin + size)
    kFoldChar,  // one character without regard to case; `begin` is its lower case
    kAny,       // ?
    kStar,      // *
    kSet,       // sets[begin]
    kGroup,     // op(sequences[begin] | … | sequences[begin + size - 1])
    kNothing,   // matches nothing at all
  };
  Kind kind;
  char op = 0;  // ? * + @ !
  uint32_t begin = 0;
  uint32_t size = 0;
};

using PatternSequence = std::vector<PatternNode>;

struct PatternProgram {
  std::string literals;
  std::vector<PatternSet> sets;
  // The pattern itself is the first; the alternatives of a group stand together.
  std::vector<PatternSequence> sequences;
  bool has_groups = false;
  bool has_characters = false;  // something here counts characters, not bytes

  std::string_view Literal(const PatternNode& node) const {
    return std::string_view(literals).substr(node.begin, node.size);
  }
};

PatternProgram ParsePattern(std::string_view pattern, const PatternFlags& flags);

}  // namespace paddock
