// Matching of patterns with extglob groups or path rules: positions of the text are carried through the
// pattern as sets, forwards or backwards, so that no pattern costs more than polynomial time.
// For text/pattern only.
#pragma once

#include <string_view>
#include <vector>

#include "text/pattern_program.h"

namespace paddock {

class Budget;

class PatternMatcher {
 public:
  // Sorted byte offsets.
  using Positions = std::vector<size_t>;

  PatternMatcher(const PatternProgram& program, const PatternFlags& flags, std::string_view text, Budget& budget)
      : program_(program), flags_(flags), text_(text), budget_(budget) {}

  // Where matches that begin at one of `starts` end.
  Positions Ends(const Positions& starts) { return Run<false>(program_.sequences.front(), starts); }
  // Where matches that end at one of `ends` begin.
  Positions Starts(const Positions& ends) { return Run<true>(program_.sequences.front(), ends); }

  // Positions looked at so far.
  size_t work() const { return work_; }

 private:
  template <bool kBackward>
  Positions Run(const PatternSequence& sequence, Positions positions);
  template <bool kBackward>
  Positions Apply(const PatternNode& node, const Positions& positions);
  template <bool kBackward>
  Positions ApplyGroup(const PatternNode& node, const Positions& positions);
  template <bool kBackward>
  Positions Alternatives(const PatternNode& node, const Positions& positions);
  template <bool kBackward>
  Positions Repeat(const PatternNode& node, const Positions& positions);
  template <bool kBackward>
  Positions Complement(const PatternNode& node, const Positions& positions);
  template <bool kBackward>
  Positions Span(const Positions& positions);

  // The characters at or before an offset.
  size_t Next(size_t at) const;
  size_t Previous(size_t at) const;
  bool IsWild(size_t at) const;
  bool MatchesOne(const PatternNode& node, size_t at) const;

  const PatternProgram& program_;
  const PatternFlags& flags_;
  std::string_view text_;
  Budget& budget_;
  size_t work_ = 0;
};

// Whether the one character at text[at…] is in a kAny, kSet or kFoldChar node.
bool MatchesCharacter(const PatternProgram& program, const PatternNode& node, std::string_view text, size_t at,
                      bool is_utf8);

}  // namespace paddock
