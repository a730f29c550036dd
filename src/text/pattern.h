// Shell patterns: what *, ?, [...] and the extglob operators match. Linear in text × pattern, never
// exponential: hostile patterns like *a*a*a*b or +(a|aa) are bounded and charge the budget.
//
// Source: POSIX.1-2017 XCU 2.13, Bash manual "Pattern Matching".
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace paddock {

class Budget;

struct PatternFlags {
  bool extglob = true;
  bool ignore_case = false;
  bool is_utf8 = true;
  bool is_path = false;           // '/' is matched only by '/'
  bool leading_dot_special = false;  // a leading '.' (also after '/' with is_path) only matches explicitly
};

// A compiled shell pattern. A backslash quotes the next character.
class Pattern {
 public:
  explicit Pattern(std::string_view pattern, const PatternFlags& flags = {});
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  // True when all of `text` matches.
  bool Matches(std::string_view text, Budget& budget) const;
  // Length of the longest or shortest prefix of `text` that matches; npos if none does. (${x##p}, ${x#p})
  size_t MatchPrefix(std::string_view text, bool longest, Budget& budget) const;
  // Start of the longest or shortest suffix that matches; npos if none. (${x%%p}, ${x%p})
  size_t MatchSuffix(std::string_view text, bool longest, Budget& budget) const;
  // Finds the leftmost longest match at or after `from`; returns {npos, 0} if none. (${x/p/r})
  struct Found {
    size_t begin;
    size_t length;
  };
  Found Find(std::string_view text, size_t from, Budget& budget) const;

  // True when the pattern has no special characters; literal() is then the text it matches.
  bool is_literal() const;
  const std::string& literal() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// True when `text` contains an unquoted pattern character (as the shell decides whether to glob).
bool HasPatternCharacters(std::string_view text, bool extglob);
// Quotes every pattern character with a backslash.
std::string QuotePattern(std::string_view text);

}  // namespace paddock
