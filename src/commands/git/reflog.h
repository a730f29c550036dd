// What references were.
#pragma once

#include <string>

#include "commands/git/revision.h"

namespace paddock::git {

// Takes lines out of the log of a reference: those older than `before`, and those older than `unreachable_before` whose commits the
// reference does not lead to. Times are seconds since 1970.
Status ExpireLog(Git& git, History& history, const std::string& name, int64_t before, int64_t unreachable_before);

}  // namespace paddock::git
