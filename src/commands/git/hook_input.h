// Hooks that are told on standard input what is to happen: those of push and of the other side.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

struct HookCall {
  std::string_view name;
  std::vector<std::string> args;
  std::string input;
  std::vector<std::pair<std::string, std::string>> environment;
  bool writes_errors = false;   // what it prints goes to standard error
  bool is_receiving = false;   // at the other side of a push: in the repository's directory
};
// Runs the hook; its exit status, 0 when there is none. `output`: gets what it wrote, both kinds; else that is the caller's.
ExitStatus RunHookWithInput(Git& git, const HookCall& call, std::string* output);

}  // namespace paddock::git
