#include "commands/git/shell_words.h"

namespace paddock::git {

std::string InShellQuotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '!') quoted += std::string("'\\") + c + "'";
    else quoted += c;
  }
  return quoted + "'";
}

std::string PagerOf(const Git& git) {
  if (const auto value = git.in.env.Get("GIT_PAGER")) return std::string(*value);
  if (const auto value = git.config.Get("core.pager")) return *value;
  return std::string(git.in.env.Get("PAGER", "pager"));
}

}  // namespace paddock::git
