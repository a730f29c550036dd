// Protected names in a workspace: what must not change during a run is found before it, what came or changed is taken
// away after it.
//
// The wall holds what exists (ScanProtected tells it which paths to make read-only and which of their ancestors to pin, so
// that no parent can be renamed away). Names that do not exist cannot be held by mounts without leaving ghost files in the
// tree, so a sweep follows when everything inside is dead. Host side, hostile tree: everything goes by descriptor and
// through no link.
//
// git gets more than a comparison of names: a new repository made inside stays usable. Its configuration stays when all of it is
// known to be harmless, hooks stay when git never runs them, a `.git` file stays when it points where git itself would
// have put it. A repository is what git takes for one: also a bare one in disguise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "drivers/process/protect/tree_walk.h"

namespace paddock::process_wall {

// Longer paths cannot be mounted over, nor reached by a path: they count as new.
inline constexpr size_t kMaxProtectedPath = 4096;

// One file that exists before the run.
struct ProtectedEntry {
  enum class Kind { kFile, kDirectory, kSymlink, kOther };
  Kind kind = Kind::kFile;
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t born = 0;           // nanoseconds since 1970: tells a new file from an old one whose inode number it got; 0 when not known
  int64_t changed = 0;        // the change time, as `born`
  uint32_t mode = 0;          // with the kind's bits
  uint64_t links = 1;         // names of the file: by another one it can be changed although this one is held
  std::string digest;         // of a file's content or a symlink's target, SHA-256 as bytes; empty when not looked at
  std::string content;        // of a small file or a symlink's target, to put it back
  bool has_content = false;
};

// A directory of git's that lies outside the workspace, to which a linked worktree inside belongs.
struct OutsideRepository {
  std::string worktree_directory;   // absolute: …/worktrees/NAME. Holds index and HEAD; must be writable for commits
  std::string common_directory;     // absolute: the repository itself. Readable
  std::vector<std::string> writable;    // absolute: `worktree_directory`, and objects, refs, logs of the common one
  std::vector<std::string> protected_paths;   // absolute, existing, below `writable`: read-only
};

// All paths are relative to the workspace unless they say otherwise.
struct ProtectedSnapshot {
  std::string workspace;                             // absolute, as the kernel knows it
  std::vector<std::string> names;                    // the protected names
  std::map<std::string, ProtectedEntry> entries;     // also what lies inside protected directories; of `outside`: absolute
  std::vector<std::string> read_only;                // existing protected paths to make read-only, sorted
  std::vector<std::string> pins;                     // their ancestors, parents first; the workspace itself is not among them
  // A wall that stood held read_only and pins. What is still the same file is held to the end, and changes in it are the host's. One that
  // the host replaced (as git does with its configuration) took the wall's mount with it; from then on code inside could write there.
  bool was_held = false;
  // What git's configuration names and is not there: hooks, included files, programs. The existing part of the way to each has no link.
  std::vector<std::string> absent;
  std::vector<OutsideRepository> outside;
  std::string incomplete;                            // why not all was looked at; empty: all was
  // Nanoseconds since 1970 from which on another sandbox was at work; what it may have made is never put back. At the end of time: none was.
  int64_t others_since = INT64_MAX;
  int64_t started = 0;                               // seconds since 1970: what has an older ctime was there before
};

// Looks at the tree below `workspace`, an open directory. Entries below node_modules are compared afterwards but not
// listed for the wall: packages bring thousands of them, and a pinned one keeps the directory from being removed. A
// budget that ends leaves `incomplete`, not an error. `host_configuration`: git's of the host's user, whose core.hooksPath holds
// everywhere. Errors: kInternal, the system's for the workspace itself.
Result<ProtectedSnapshot> ScanProtected(int workspace, const std::vector<std::string>& names, const WalkBudget& budget = {},
                                        const std::string& host_configuration = {});

struct SweepItem {
  enum class Action {
    kQuarantined,   // taken away, to `kept`
    kRestored,      // and what was there before the run put back
    kMissing,       // was there before the run, is gone, and could not be put back
    kModeCleared,   // set-user-id and set-group-id bits taken off
    kRemoved,       // a device
    kFailed,        // still there: `why` says what went wrong
  };
  Action action = Action::kQuarantined;
  std::string path;   // raw bytes: escape before printing
  std::string why;    // "new hook", "configuration: sets core.hookspath"
  std::string kept;   // name in the quarantine directory, or "in place: PATH" where it could not be moved there
};

struct SweepReport {
  std::vector<SweepItem> items;
  size_t more = 0;          // items beyond the 10,000 that are listed
  std::string incomplete;   // why not all was looked at; empty: all was
};

// Everything inside must be dead. `quarantine`: an open directory outside the workspace, private to the caller.
Result<SweepReport> SweepProtected(int workspace, const ProtectedSnapshot& snapshot, int quarantine, WalkBudget budget = {});

// One line without control characters: "quarantined sub/.git/hooks/pre-commit: new hook (kept as 0001-pre-commit)".
std::string SweepText(const SweepItem& item);

}  // namespace paddock::process_wall
