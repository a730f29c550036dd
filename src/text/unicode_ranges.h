// Ranges of characters that the general category alone does not tell, as the C.UTF-8 locale has them.
#pragma once

#include <span>

namespace paddock {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// `ranges` is sorted.
bool IsInRanges(char32_t code, std::span<const CodeRange> ranges);

// Marks and symbols that count as letters (vowel signs, enclosed letters).
std::span<const CodeRange> OtherAlphabetic();
// Modifier letters and symbols that count as lower case.
std::span<const CodeRange> OtherLowercase();
// Format characters that take a column (Arabic number signs and the like), unlike the other ones.
bool IsPrependedFormat(char32_t code);

}  // namespace paddock
