// Starting a wall: the driver's side of drivers/process/wall/launcher.h.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/descriptor.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

// A wall that stands, with its init waiting for the guest protocol. Destroying it ends everything inside.
class Wall {
 public:
  // Starts `guest_program`, which waits for the plan. `cgroups`: directories that the plan may name, whether they exist yet or
  // not; they are gone in the end even when this process is killed. Errors: what starting a program says.
  static Result<Wall> Start(const std::string& guest_program, const std::vector<std::string>& cgroups);
  // Gives it the plan and waits until the wall stands. Errors: kUnavailable with what the launcher says; kTimedOut.
  Status Build(const WallPlan& plan);

  Wall(Wall&& other) noexcept;
  Wall& operator=(Wall&&) = delete;
  ~Wall();

  Descriptor TakeControl() { return std::move(control_); }   // speaks the guest protocol; closing it ends the wall
  pid_t pid() const { return pid_; }                    // of the init, on the host
  Descriptor TakeListener(size_t index) { return std::move(listeners_.at(index)); }   // in the order of plan.listeners
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Ends everything inside and waits until it has ended and the cgroups are gone. Idempotent.
  void Destroy();

 private:
  Wall() = default;

  Descriptor control_;
  Descriptor launch_;   // held open: the guard ends the wall when it closes
  Descriptor pidfd_;
  pid_t pid_ = -1;
  pid_t guard_ = -1;
  std::vector<Descriptor> listeners_;
  std::vector<std::string> warnings_;
  std::vector<std::string> cgroups_;
};

}  // namespace paddock::process_wall
