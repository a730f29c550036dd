// Changes put aside, for those who need the files clean for a while.
#pragma once

#include <string>

#include "commands/git/git.h"

namespace paddock::git {

// Puts local changes aside, if there are any, and their commit's id into the file NAME of the repository's directory.
Status CreateAutostash(Git& git, const std::string& name);
// Brings back what CreateAutostash() put there; what does not fit becomes an entry of the stash.
Status ApplyAutostash(Git& git, const std::string& name);
// Makes it an entry of the stash without trying, for who gives up what it was put aside for. Errors: it could not be stored; the file stays.
Status KeepAutostash(Git& git, const std::string& name);

}  // namespace paddock::git
