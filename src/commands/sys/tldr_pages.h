// The examples that tldr shows.
#pragma once

#include <string_view>
#include <vector>

namespace paddock::tldr {

struct Example {
  const char* what;   // what it does, without a full stop
  const char* line;   // the command line
};
// Those of a command; empty if there are none.
std::vector<Example> ExamplesOf(std::string_view command);

}  // namespace paddock::tldr
