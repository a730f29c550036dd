// The numbers of a range of lines: -L of blame and of log.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace paddock::git {

// Takes the number that `text` begins with. One that no file has so many lines for is the largest of all, so that sums of two fit.
inline std::optional<int64_t> TakeLineNumber(std::string_view& text) {
  constexpr int64_t kLargest = int64_t{1} << 60;
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc::invalid_argument) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) number = text.starts_with('-') ? -kLargest : kLargest;
  text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  return std::clamp(number, -kLargest, kLargest);
}

}  // namespace paddock::git
