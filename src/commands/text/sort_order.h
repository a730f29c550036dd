// The order of sort: keys within lines, the ways to compare them, and what decides when they are equal.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {

class Budget;

// The letters of -k KEYDEF and of the global options.
struct KeyFlags {
  bool skip_blanks_start = false;   // b
  bool skip_blanks_end = false;
  bool dictionary = false;          // d
  bool fold_case = false;           // f
  bool general_numeric = false;     // g
  bool human_numeric = false;       // h
  bool printable = false;           // i
  bool month = false;               // M
  bool numeric = false;             // n
  bool random = false;              // R
  bool reverse = false;             // r
  bool version = false;             // V

  // True when nothing but `reverse` may be set.
  bool is_default() const;
  // The set letters without b, r and f, as "options '-dn' are incompatible" shows them.
  std::string Letters() const;
};

struct SortKey {
  static constexpr uint64_t kLineEnd = std::numeric_limits<uint64_t>::max();
  uint64_t start_field = 0;     // fields and characters to skip
  uint64_t start_char = 0;
  uint64_t end_field = kLineEnd;
  uint64_t end_char = 0;        // 0: the end of the field
  KeyFlags flags;
};

// Where a letter stands: it decides what 'b' means.
enum class FlagPlace { kStart, kEnd, kBoth };
// Takes ordering letters from the front of `text`; stops at the first that is none.
void TakeKeyFlags(std::string_view& text, FlagPlace place, KeyFlags& flags);

// Parses "2,3n", "1.2b,1.4". The error's message is the tool's complaint.
Result<SortKey> ParseSortKey(std::string_view text, bool is_utf8);
// Parses the old "+1.2n" (counted from 0); nothing when it is no key (a file name then).
std::optional<SortKey> ParseOldKeyStart(std::string_view text);
// Adds the old "-2.3".
Status ParseOldKeyEnd(std::string_view text, SortKey& key, bool is_utf8);

struct SortRules {
  std::vector<SortKey> keys;      // empty: the whole line
  std::optional<char> tab;        // field separator; absent: the change from non-blank to blank
  bool is_stable = false;         // equal keys are equal (-s)
  bool is_unique = false;
  bool is_reversed = false;       // of the last resort and of a sort without keys
  char delimiter = '\n';
  bool is_annotated = false;      // the output shows the keys (--debug)
  std::string salt;               // of R
  bool is_utf8 = false;
};

// A line and what is kept of its first key, so that most comparisons look at one number.
struct SortLine {
  uint64_t prefix;         // orders like the first key, as far as it reaches
  const char* text;
  uint32_t length;
  uint32_t key_begin;
  uint32_t key_length;

  std::string_view line() const { return {text, length}; }
  std::string_view key() const { return {text + key_begin, key_length}; }
};

class SortOrder {
 public:
  SortOrder(SortRules rules, Budget& budget);

  const SortRules& rules() const { return rules_; }

  SortLine Prepare(std::string_view line) const;
  // The part of the line that `key` names.
  std::string_view KeyOf(std::string_view line, const SortKey& key) const;
  // By keys alone: what -u, -c and -s take for equal.
  int CompareKeys(const SortLine& a, const SortLine& b) const;
  // By keys, then by the whole line unless the order is stable or unique.
  int Compare(const SortLine& a, const SortLine& b) const;
  // Sorts; lines that compare equal stay in the order of their addresses.
  void Sort(std::vector<SortLine>& lines) const;

 private:
  uint64_t PrefixOf(std::string_view text, const KeyFlags& flags) const;
  int CompareKeyText(std::string_view a, std::string_view b, const KeyFlags& flags) const;
  int CompareRandom(std::string_view a, std::string_view b) const;

  SortRules rules_;
  Budget& budget_;
};

}  // namespace paddock
