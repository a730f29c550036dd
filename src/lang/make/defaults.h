// What make knows before it has read anything: variables and implicit rules.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace paddock::make {

// A suffix rule makes what ends in `target` out of what ends in `source`; a pattern rule has patterns there.
struct DefaultRule {
  std::string_view target;
  std::string_view source;
  std::string_view recipe;
};

std::span<const std::pair<std::string_view, std::string_view>> DefaultVariables();
std::span<const DefaultRule> DefaultSuffixRules();
std::span<const DefaultRule> DefaultPatternRules();
std::string_view DefaultSuffixes();

}  // namespace paddock::make
