// What is under way in a repository, as status tells it.
#pragma once

#include <string>

#include "commands/git/git.h"

namespace paddock::git {

// "interactive rebase in progress; onto 1234567\n…" or "rebase in progress; …", with what was done and what comes; empty without a rebase.
std::string RebaseTitle(Git& git);
// What a merge or its like left to do, with an empty line at the end; empty if nothing is under way.
std::string ProgressText(Git& git, bool has_conflicts);

}  // namespace paddock::git
