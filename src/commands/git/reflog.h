// What references were.
#pragma once

#include <string>

#include "commands/git/revision.h"

namespace paddock::git {

// Takes lines out of the log of a reference: those older than `before`, and those older than `unreachable_before` whose commits the
// reference does not lead to. Times are seconds since 1970.
// How a log is thinned out.
struct ReflogChange {
  bool is_dry = false, rewrites = false, updates_ref = false, verbose = false, fixes_stale = false;
  bool tells_dry = false;   // delete says "would prune", expire does not
};
// Writes what is left of a log; `drops` tells which entries go. Says what happens when that is asked for.
Status ThinLog(Git& git, const std::string& name, const std::vector<ReflogEntry>& entries, const std::vector<bool>& drops, const ReflogChange& change);
Status ExpireLog(Git& git, History& history, const std::string& name, int64_t before, int64_t unreachable_before, const ReflogChange& change = {});

}  // namespace paddock::git
