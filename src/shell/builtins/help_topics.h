// What `help` knows: the builtins and the words of the grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/shell.h"

namespace paddock::shell {

struct HelpTopic {
  std::string name;       // as `help NAME` finds it: "cd", "for ((", "{ ... }"
  std::string synopsis;   // "cd [-L|[-P [-e]] [-@]] [dir]"
  std::string text;       // its first line is a summary
};

// In the order of their names.
const std::vector<HelpTopic>& HelpTopics();
// What `help NAME` prints of one.
std::string HelpText(const HelpTopic& topic);
// True when `word`, the first argument of a builtin, asks for its help, which is then written: all but a few take --help.
bool AnswerHelp(Shell& shell, std::string_view builtin, std::string_view word);

}  // namespace paddock::shell
