// Completion rules, as complete keeps them and compgen uses them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::shell {

struct CompletionRule {
  uint32_t options = 0;   // bits in the order of -o's names
  uint32_t actions = 0;   // bits in the order of -A's names
  std::optional<std::string> glob, words, prefix, suffix, filter, command, function;
};

// By command name; "-D", "-E" and "-I" for the rules without one.
struct CompletionTable {
  std::map<std::string, CompletionRule> rules;
};

}  // namespace paddock::shell
