// The differences between two sequences, as a list of edits that diff-like tools print.
//
// Elements are numbers: equal ones mean equal lines. The edits are those that GNU diff finds, so that
// output can be compared: the middle-snake method of Myers ("An O(ND) Difference Algorithm and Its
// Variations", 1986) in linear space, on sequences freed of lines that could only confuse it, with the runs
// of changes then slid as far as they go. Work is bounded: a comparison that gets too expensive settles for
// edits that are right but not the fewest, unless `minimal` asks for these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace paddock {

class Budget;

// Elements [a_begin, a_begin + a_count) are replaced by [b_begin, b_begin + b_count); not both counts are 0.
struct DiffEdit {
  size_t a_begin;
  size_t a_count;
  size_t b_begin;
  size_t b_count;

  size_t a_end() const { return a_begin + a_count; }
  size_t b_end() const { return b_begin + b_count; }
};

// Edits that turn `a` into `b`, in ascending order, never adjacent. Elements are below `class_count`.
std::vector<DiffEdit> FindDiff(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b,
                               uint32_t class_count, bool minimal, Budget& budget);

}  // namespace paddock
