// Colours as configurations name them: "bold red", "#ff8800 reverse".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::git {

// The escape sequence of a colour: empty for none. Nothing when it is not one.
std::optional<std::string> ParseColour(std::string_view text);

}  // namespace paddock::git
