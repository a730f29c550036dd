// Lines of words for small state files: words are separated by blanks, bytes that would mislead are written as %XX.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::overlay {

// A word without blanks, line ends and '%'; the empty word becomes "%".
std::string EscapeWord(std::string_view word);
std::optional<std::string> UnescapeWord(std::string_view word);
std::vector<std::string_view> SplitWords(std::string_view line);
std::optional<uint64_t> ParseNumber(std::string_view word);

// The whole of a file in a directory, at most `most` bytes (kFileTooBig). Replacing is atomic, mode 0600.
Result<std::string> ReadSmallFile(int directory, const char* name, size_t most);
Status ReplaceSmallFile(int directory, const char* name, std::string_view content);

}  // namespace paddock::overlay
