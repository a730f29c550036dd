// Signatures of commits, by a program that the configuration names.
#pragma once

#include "commands/git/git.h"

namespace paddock::git {

// Adds the signature of git.signing_key to the text of the commit, as it will be written. Errors: git's, the program's part of them said.
Status SignCommit(Git& git, const Commit& commit, std::string& text);

}  // namespace paddock::git
