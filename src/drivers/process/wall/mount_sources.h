// MountSources: what the steps of a plan show of the host, as detached mounts by descriptor, taken before anything is
// mounted. Where the caller is root, whose sandboxes are nobody on the host, the driver takes them and hands them over;
// otherwise the wall does so itself, inside its user namespace.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

struct MountSource {
  Descriptor mount;       // what the step shows; of kOverlay the lower directory. None for other steps and absent sources
  Descriptor upper;       // kOverlay: the directory that holds upper/ and work/
  bool is_directory = true;
};

using Warn = std::function<void(std::string_view text)>;

// One for each step of the plan. Errors name the source.
Result<std::vector<MountSource>> OpenSources(const WallPlan& plan, const Warn& warn);

// The same, handed over on the launch socket behind the plan, some at a time: the caller has few open at once. Errors: also
// the channel's.
Status SendSources(int socket, const WallPlan& plan, const Warn& warn);
// `steps`: of the plan.
Result<std::vector<MountSource>> ReceiveSources(int socket, size_t steps);

}  // namespace paddock::process_wall
