// The searches behind line_edits.h. Each marks the elements of two sequences that are not in both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/budget.h"

namespace paddock::git {

// A range of each sequence.
struct EditRange {
  size_t a_begin, a_end, b_begin, b_end;
};

struct EditSides {
  const std::vector<uint32_t>& a;
  const std::vector<uint32_t>& b;
  uint32_t class_count;
  std::vector<char> a_changed, b_changed;

  void MarkAll(const EditRange& range) {
    std::fill(a_changed.begin() + static_cast<std::ptrdiff_t>(range.a_begin), a_changed.begin() + static_cast<std::ptrdiff_t>(range.a_end), 1);
    std::fill(b_changed.begin() + static_cast<std::ptrdiff_t>(range.b_begin), b_changed.begin() + static_cast<std::ptrdiff_t>(range.b_end), 1);
  }
};

// Myers' search with git's heuristics; `minimal` does without these.
void SearchByMyers(EditSides& sides, const EditRange& range, bool minimal, Budget& budget);
// Lines that are there once on both sides first, Myers' search between them. `is_anchor`: of a place in `a`.
void SearchByPatience(EditSides& sides, const EditRange& range, const std::function<bool(size_t)>& is_anchor, bool minimal, Budget& budget);
// The longest common runs of the rarest lines first.
void SearchByHistogram(EditSides& sides, const EditRange& range, bool minimal, Budget& budget);

}  // namespace paddock::git
