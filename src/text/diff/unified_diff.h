// Unified diffs: the hunks that patch(1) and git read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace paddock {

struct DiffLine {
  enum class Kind { kHunk, kContext, kRemoved, kAdded, kNoNewline };
  Kind kind;
  std::string text;   // without mark and newline: "@@ -1,2 +1 @@" for kHunk, empty for kNoNewline
};

// Lines with their newlines; the last may be without. Views of `text`.
std::vector<std::string_view> SplitLines(std::string_view text);

// The hunks that turn `a` into `b`, with so many lines of context around changes. Empty if they are equal. Work and memory
// grow with the texts, which the caller bounds.
std::vector<DiffLine> UnifiedDiff(std::string_view a, std::string_view b, size_t context);

// The same as text with three lines of context, each line with its mark and a newline; without the names of files above.
std::string HunksText(std::string_view a, std::string_view b);

// Whether a file with this beginning is taken for binary: a NUL in the first 8000 bytes, as git has it.
bool LooksBinary(std::string_view beginning);

}  // namespace paddock
