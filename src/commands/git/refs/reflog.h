// What references were.
#pragma once

#include <string>

#include "commands/git/refs/revision.h"

namespace paddock::git {

// How a log is thinned out.
struct ReflogChange {
  bool is_dry = false, rewrites = false, updates_ref = false, verbose = false, fixes_stale = false;
  bool tells_dry = false;   // delete says "would prune", expire does not
};
// Writes what is left of a log; `drops` tells which entries go. Says what happens when that is asked for. `refs`: of the working tree
// that the log belongs to.
Status ThinLog(Git& git, Refs& refs, const std::string& name, const std::vector<ReflogEntry>& entries, const std::vector<bool>& drops, const ReflogChange& change);

// Seconds since 1970.
struct ReflogLimits {
  int64_t before = 0;               // older lines go
  int64_t unreachable_before = 0;   // so do older ones whose commits the reference does not lead to
};
Status ExpireLog(Git& git, Refs& refs, History& history, const std::string& name, const ReflogLimits& limits, const ReflogChange& change = {});
// The logs of all references; also those that only another working tree has.
Status ExpireAllLogs(Git& git, const ReflogLimits& limits, const ReflogChange& change, bool one_worktree);

}  // namespace paddock::git
