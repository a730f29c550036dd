// Where configuration came from.
#pragma once

#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// ReadConfig(), and the files in which `origin` of an entry counts: those that others include come behind the usual ones.
Result<Config> ReadConfigFiles(Invocation& in, const Git* git, std::vector<ConfigFile>& files);

// One file and those that it includes; `files` as above.
Result<Config> ReadOneConfigFile(Invocation& in, const Git* git, const ConfigFile& file, std::vector<ConfigFile>& files);

}  // namespace paddock::git
