// The edits between two texts as git finds them: by its algorithms, moved to where its rules put them.
//
// Unlike text/diff.h, which answers as GNU diff does, this follows git: other lines are passed over before the search, other
// heuristics end it, and runs of changes are slid by indentation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/diff/diff.h"

namespace paddock::git {

enum class EditAlgorithm { kMyers, kPatience, kHistogram };

struct EditRules {
  EditAlgorithm algorithm = EditAlgorithm::kMyers;
  bool minimal = false;   // the fewest edits, at any cost
  bool slides_by_indent = true;
  std::vector<std::string> anchors;   // patience: lines that begin so stay where they are, if they can
};

// A text as lines, and as numbers: equal ones mean equal lines.
struct NumberedLines {
  const std::vector<std::string_view>& lines;
  const std::vector<uint32_t>& numbers;   // below the class count
};

// In ascending order, never adjacent.
std::vector<DiffEdit> FindLineEdits(const NumberedLines& a, const NumberedLines& b, uint32_t class_count, const EditRules& rules, Budget& budget);
// The same for sequences that have no lines: nothing is slid by indentation.
std::vector<DiffEdit> FindSequenceEdits(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, uint32_t class_count, bool minimal, Budget& budget);

}  // namespace paddock::git
