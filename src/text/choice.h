// One word out of a list, as GNU's --color=WHEN and --sort=WORD take it: exact or abbreviated.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace paddock {

struct Choice {
  const char* name;
  int value;   // equal for synonyms, which stand side by side
};

// The value of the choice that `text` names or abbreviates. The error's message (code kSyntax: the caller
// answers with Usage()) is "invalid argument ‘x’ for ‘--color’" and the list of valid ones.
Result<int> FindChoice(std::string_view option, std::string_view text, std::span<const Choice> choices,
                       bool is_utf8);
// The same without abbreviations.
Result<int> FindWholeChoice(std::string_view option, std::string_view text, std::span<const Choice> choices,
                            bool is_utf8);

}  // namespace paddock
