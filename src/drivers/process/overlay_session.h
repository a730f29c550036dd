// OverlaySession: the overlay that a sandbox's workspace goes on in, from before its wall stands until after it is gone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>

#include "base/result.h"
#include "drivers/process/disk_watch.h"
#include "drivers/process/wall_plan.h"
#include "overlay/store.h"
#include "sandbox/spec.h"

namespace paddock::process_wall {

class OverlaySession {
 public:
  // Fills in what the plan must know of the host's state directory, which it makes where the policy lets code write near
  // it. Takes the workspace's overlay, alone, if the policy asks for one; null if not. Errors: those of overlay::Store, and
  // kInvalid where the spec names no state directory.
  static Result<std::unique_ptr<OverlaySession>> Begin(const sandbox::SandboxSpec& spec, PlanContext& context);

  // The wall stands, with this init. Waits out the few milliseconds in which the file system's clock cannot tell what the
  // host wrote before the run from what it writes during it.
  Status NoteWall(pid_t wall);
  // The upper directory, for its size to be watched.
  Result<DiskWatch::Tree> WatchedTree();
  // The wall is gone: notes what the workspace was like below the changes.
  void End();

 private:
  explicit OverlaySession(overlay::Overlay overlay) : overlay_(std::move(overlay)) {}

  overlay::Overlay overlay_;
};

}  // namespace paddock::process_wall
