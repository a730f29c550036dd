// Colours as git's configuration and formats name them: "red bold", "#ff8800", "ul 12", "reset".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::git {

inline constexpr std::string_view kColourReset = "\033[m";

// The terminal's sequence; empty for "normal". Nothing when a word is not known.
std::optional<std::string> ColourSequence(std::string_view words);

}  // namespace paddock::git
