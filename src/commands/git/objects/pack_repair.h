// Packs that are not whole: thin ones, whose bases are elsewhere, and damaged ones.
#pragma once

#include <string>

#include "commands/git/git.h"

namespace paddock::git {

// Adds the bases that the pack in the file lacks and the repository has. Errors: kCorrupt when one is nowhere.
Status CompleteThinPack(Git& git, const std::string& path);
// Writes the objects in front of the first that cannot be read as loose ones.
Status RecoverPack(Git& git, const std::string& path);

}  // namespace paddock::git
