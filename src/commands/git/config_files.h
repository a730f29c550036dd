// Where configuration came from.
#pragma once

#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// ReadConfig(), and the files in which `origin` of an entry counts: those that others include come behind the usual ones.
Result<Config> ReadConfigFiles(Invocation& in, const Git* git, std::vector<ConfigFile>& files);

// One file and those that it includes; `files` as above.
Result<Config> ReadOneConfigFile(Invocation& in, const Git* git, const ConfigFile& file, std::vector<ConfigFile>& files);

// Takes what every command goes by from git.config (core.abbrev). Errors: a value that makes no sense, with its file and line;
// what is wrong with it is told.
// While `git config` mends it only what makes the repository unusable is one.
Status TakeConfig(Git& git, const std::vector<ConfigFile>& files, bool is_being_mended);

// What the first branch of a new repository is called, if the environment or the configuration says so.
std::optional<std::string> DefaultBranch(const Environment& environment, const Config& config);

}  // namespace paddock::git
