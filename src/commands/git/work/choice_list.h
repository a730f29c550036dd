// Lists from which things are chosen by number or name on standard input: the menus of add -i and clean -i.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// The next line of standard input without blanks at its ends; nothing when there is none. `prompt` is shown first.
std::optional<std::string> ReadAnswer(Git& git, std::string_view prompt);
// The answer "?": how items are named. `is_single`: one may be chosen.
std::string_view ChoiceHelp(bool is_single);

// "3", "2-5", "4-", "*", each with "-" before it to take it back. Counted from 1.
struct ChoiceRange {
  size_t first = 0, last = 0;   // last may lie behind the end of the list; 0, 0: it is no number
  bool takes = true;
  std::string_view name;        // the word without its "-"
};
ChoiceRange ParseChoice(std::string_view word, size_t count);
// The words of an answer, at blanks and commas.
std::vector<std::string_view> ChoiceWords(std::string_view answer);

}  // namespace paddock::git
