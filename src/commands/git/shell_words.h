// What git hands to a shell: words in quotes, and the program that shows long texts.
#pragma once

#include <string>
#include <string_view>

#include "commands/git/git.h"

namespace paddock::git {

// 'it'\''s'.
std::string InShellQuotes(std::string_view text);
// By GIT_PAGER, core.pager and PAGER.
std::string PagerOf(const Git& git);

}  // namespace paddock::git
