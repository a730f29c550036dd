// Filters of the paths that a commit changed, for the commit-graph.
#pragma once

#include <string>

#include "commands/git/git.h"

namespace paddock::git {

// A Bloom filter of the paths that differ from the first parent, and of the directories above them. Source: gitformat-commit-graph(5).
Result<std::string> ChangedPathFilter(Git& git, const Commit& commit);

}  // namespace paddock::git
