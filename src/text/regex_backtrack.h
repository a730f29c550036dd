// The matcher of last resort, and the one that knows all rules: back-references, Unicode word boundaries,
// huge counts, and the C library's choice of groups. It tries the alternatives of a pattern in order,
// remembers where it has been so that nothing is tried twice, and keeps the longest match.
//
// Without back-references the work is bounded by pattern × text. With them it is not; then it stops at a
// number of steps. For text/regex only.
#pragma once

#include <bitset>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/regex.h"
#include "text/regex_tree.h"

namespace paddock {

class Budget;

class BacktrackMatcher {
 public:
  // `tree` outlives the matcher.
  explicit BacktrackMatcher(const RegexTree& tree);
  ~BacktrackMatcher();

  // Like Regex::Search().
  Result<bool> Search(std::string_view text, size_t from, bool is_line_start, std::vector<RegexGroup>* groups,
                      Budget& budget) const;
  // Finds the groups of a match whose extent is known; groups[0] holds it.
  Result<bool> FillGroups(std::string_view text, bool is_line_start, std::vector<RegexGroup>& groups,
                          Budget& budget) const;

 private:
  struct Instruction;
  struct Scratch;
  class Compiler;
  class Run;

  const RegexTree& tree_;
  std::vector<Instruction> program_;
  uint32_t split_count_ = 0;
  uint32_t loop_count_ = 0;
  bool has_back_references_ = false;
  std::vector<uint32_t> referenced_groups_;
  bool is_anchored_ = false;
  bool steps_by_characters_ = false;   // matches begin where characters do; bytes of the pattern that are none may begin anywhere
  bool has_first_bytes_ = false;
  std::bitset<256> first_bytes_;
  mutable std::unique_ptr<Scratch> scratch_;
};

}  // namespace paddock
