// Carrying an overlay's changes over into its workspace.
//
// Each file is replaced at once (a temporary file beside it, then a rename); a place in the workspace is reached from the
// workspace's descriptor without following a link. What cannot be done is reported and the rest goes on, unless the disk
// is full or broken. The overlay itself is not touched: Prune() does that afterwards.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "overlay/changes.h"
#include "overlay/store.h"

namespace paddock::overlay {

struct ApplyOptions {
  bool is_forced = false;                          // over conflicts
  std::vector<std::string> paths;                  // only at or below one of these; empty: all
  std::vector<std::string> included_protected;     // protected names at or below one of these are carried over too
};

// The changes to apply, and those that were asked for and are left out, each with why.
struct Selection {
  struct Skipped {
    Change change;
    std::string reason;
  };
  std::vector<Change> chosen;    // ordered by path
  std::vector<Skipped> skipped;
};

// A new directory comes with the first chosen file in it.
Selection Select(const std::vector<Change>& changes, const ApplyOptions& options);

bool IsSelected(const Change& change, const std::vector<std::string>& paths);

struct ApplyReport {
  struct Failure {
    std::string path;
    std::string reason;
  };
  size_t applied = 0;
  std::vector<Failure> failures;   // what was to be applied and could not be
  bool is_cut_short = false;       // no room or a broken disk: the rest was not tried
};

// Applies `changes` (as FindChanges() gave them, less what is skipped). Owners are the replaced file's, or `info`'s for new
// ones when the caller is root. Everything is on the disk when it returns without failures.
ApplyReport Apply(int workspace, int upper, const std::vector<Change>& changes, const OverlayInfo& info);

// Takes what no longer differs out of the upper tree; `remaining` are the changes that are left, ordered by path. Errors: what
// removing says.
Status Prune(int upper, const std::vector<Change>& remaining);

}  // namespace paddock::overlay
