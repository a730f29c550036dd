// The differences of three texts, as blocks of lines: what all output forms of diff3 print from.
#pragma once

#include <array>
#include <vector>

#include "commands/text/diff_pair.h"

namespace paddock {

// Some lines [first, last) of each text that correspond, and which of the texts is the odd one.
struct Diff3Block {
  std::array<size_t, 3> first{};
  std::array<size_t, 3> last{};
  int odd = 3;   // 0, 1, 2, or 3: all differ

  size_t count(size_t file) const { return last[file] - first[file]; }
};

// Compares texts 0 and 1 each with number `common`'s (1 or 2) and groups what overlaps or touches. With
// `ignores_newline` a missing newline at the end makes no line different from another within a block.
std::vector<Diff3Block> FindDiff3Blocks(const std::array<const DiffText*, 3>& texts, size_t common,
                                        const std::array<const DiffPair*, 2>& pairs, bool ignores_newline,
                                        Budget& budget);

}  // namespace paddock
