// WorkspaceGuard: keeps protected names in the host's directories that a wall may write to.
//
// Before the wall: finds what exists, so that the plan can make it read-only and pin its ancestors. After it: sweeps what
// came or changed all the same into a quarantine, also what came where a rule denies writing and nothing was. The sweep does not depend on this process: a small process of its own
// waits for our end, and sweeps in our place when we were killed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "drivers/process/disk_watch.h"
#include "drivers/process/protect/protected_names.h"
#include "drivers/process/unswept.h"
#include "base/descriptor.h"
#include "drivers/process/wall_plan.h"
#include "policy/policy.h"

namespace paddock::process_wall {

// The host's directories that a wall writes to directly, open, for their growth to be watched. Errors: the system's.
Result<std::vector<DiskWatch::Tree>> OpenWritableTrees(const policy::FileRules& rules);

class WorkspaceGuard {
 public:
  // Scans, and starts the process that stands in. Null when the policy lets nothing of the host be written directly.
  // Forks: to be called before the process has threads of ours that hold locks. `quarantine` is a path that is made, private to the caller;
  // directories beside it are those of other sandboxes. `home`: where git's configuration of the user lies. Errors: a directory that cannot be looked at.
  static Result<std::unique_ptr<WorkspaceGuard>> Begin(const policy::FileRules& rules, const std::string& quarantine, const std::string& home);
  // Sweeps unless Sweep() was called.
  ~WorkspaceGuard();
  WorkspaceGuard(const WorkspaceGuard&) = delete;
  WorkspaceGuard& operator=(const WorkspaceGuard&) = delete;

  void AddTo(PlanContext& context) const;
  // The wall's init: the stand-in waits for its end first.
  void NoteWall(pid_t init);
  // Everything inside is dead. One line for each thing that was found; idempotent.
  std::vector<std::string> Sweep();
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Root {
    std::string path;
    Descriptor directory;
    ProtectedSnapshot snapshot;
    std::vector<std::string> absent;   // relative: rules deny writing there, and nothing was there
  };
  WorkspaceGuard() = default;
  Status OpenQuarantine();
  Status Scan(const policy::FileRules& rules);
  void TellUnswept();
  Status StartStandIn();
  [[noreturn]] void StandIn(int pipe);
  std::vector<std::string> SweepRoots();


  std::vector<Root> roots_;
  std::string git_configuration_;
  std::string quarantine_;
  Descriptor claim_;   // the quarantine's directory, locked as long as this sandbox or its stand-in is there
  int64_t others_since_ = INT64_MAX;
  std::vector<std::pair<std::string, UnsweptRun>> unswept_;   // by quarantine directory: of runs that ended without a sweep
  std::vector<std::string> told_;       // about those, for the lines of the sweep
  std::vector<std::string> warnings_;
  Descriptor pipe_;
  pid_t stand_in_ = -1;
  bool is_swept_ = false;
};

}  // namespace paddock::process_wall
