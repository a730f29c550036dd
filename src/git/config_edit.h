// Taking lines out of configuration files, and replacing them, by their values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace paddock::git {

// Takes the lines of a key out whose values are meant (`matches` absent: all), or puts one line with the value in the place of the last
// of them. `name`: the last part of the key as it is to be written. Nothing when no line is meant.
using ConfigMatch = std::function<bool(std::string_view value)>;
std::optional<std::string> EditConfigMatching(std::string_view text, std::string_view key, std::string_view name, std::optional<std::string_view> value, const ConfigMatch& matches, Budget& budget);

}  // namespace paddock::git
