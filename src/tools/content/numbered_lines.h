// Lines of a text as a model reads them: each with its number, at most so many of them and so many bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace paddock::tools {

inline constexpr size_t kMaxShownBytes = 50 << 10;

struct NumberedLines {
  std::string text;          // "N|LINE\n" …, counted from 1
  size_t total_lines = 0;    // of the whole; a last line without newline counts
  size_t first = 0;          // shown; 0 when none is
  size_t last = 0;
  bool is_truncated = false; // lines or parts of a line are missing behind
};

// `offset` lines are skipped, `limit` shown, in at most `most_bytes`. A line that is longer alone is cut, which it says.
NumberedLines NumberLines(std::string_view text, size_t offset, size_t limit, size_t most_bytes = kMaxShownBytes);

// How `cat -n` shows the same: the number in six columns, a tab.
std::string CatLines(std::string_view text, size_t first_number);

// Whether a file is no text that a model could read: it is not UTF-8, or has a NUL in its first 8 KiB.
bool IsBinary(std::string_view content);

}  // namespace paddock::tools
