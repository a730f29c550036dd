// ProcessWarden: what the host knows of an exec behind a process wall: its cgroups, the limits that none of them keeps, and what was
// denied.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "drivers/process/control_group.h"
#include "drivers/process/disk_watch.h"
#include "drivers/process/usage_watch.h"
#include "guest/sandbox/exec_warden.h"
#include "sandbox/denial_log.h"

namespace paddock::process_wall {

class ProcessWarden final : public guest::ExecWarden {
 public:
  struct Parts {
    std::shared_ptr<ControlGroup> group;
    std::shared_ptr<sandbox::DenialLog> denials;
    std::function<void()> flush;        // waits until what was denied so far is in the log; may be empty
    std::optional<UsageWatch> watch;    // keeps the limits that no cgroup keeps
    std::shared_ptr<DiskWatch> disk;    // keeps the limit on what is written to the disk; may be null
    pid_t init = -1;                    // of the wall, on the host
  };
  // Before the program is started.
  explicit ProcessWarden(Parts parts);

  std::optional<std::chrono::milliseconds> Interval() const override;
  std::optional<guest::Excess> Look() override;
  std::optional<guest::Excess> LookAtEnd() override;
  std::optional<uint64_t> MemoryExhausted() override;
  bool RefusedForks() override { return parts_.group->ForksRefused() > forks_refused_before_; }
  std::vector<std::string> TakeDenials() override;

 private:
  Parts parts_;
  const uint64_t oom_kills_before_;
  const uint64_t forks_refused_before_;
};

}  // namespace paddock::process_wall
