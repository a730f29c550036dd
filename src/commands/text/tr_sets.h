// The character sets of tr: "a-z", "[:upper:]", "[=e=]", "[x*5]", escapes, and the map from one to another.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {

using ByteSet = std::bitset<256>;
using ByteMap = std::array<char, 256>;

// One construct of a set. Its bytes, in order, are what it stands for; a repeat keeps one byte and a count.
struct TrElement {
  enum Kind { kByte, kRange, kClass, kEquivalence, kRepeat } kind = kByte;
  enum Case { kNone, kUpper, kLower } letter_case = kNone;   // of a class
  std::string bytes;
  uint64_t count = 1;          // of a repeat; 0: as long as needed

  uint64_t size() const { return kind == kRepeat ? count : bytes.size(); }
};

struct TrSet {
  std::vector<TrElement> elements;

  ByteSet Members() const;
  uint64_t size() const;
};

struct ParsedTrSet {
  TrSet set;
  std::vector<std::string> warnings;
};

// Parses a STRING operand. Errors carry the tool's complaint.
Result<ParsedTrSet> ParseTrSet(std::string_view text, bool is_utf8);

struct TrMapRules {
  bool complement = false;   // of the first set
  bool truncate = false;     // the first set to the length of the second
};
// Checks that `from` can be mapped to `to` and makes the map. Errors as above.
Result<ByteMap> MakeTrMap(const TrSet& from, TrSet& to, const TrMapRules& rules);

}  // namespace paddock
