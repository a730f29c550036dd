// WallStock: begins walls for a driver, and keeps one that is begun before anybody asks for it.
//
// A begun wall has its namespaces, its network, its cgroups and the part of its file tree that no path of a policy decides
// (MakeBaseSteps()); it waits for the rest of its plan and knows nothing of any sandbox. One is kept as soon as two sandboxes in
// a row have begun alike, and is used only for a third that begins in the same way, by the host as it is then.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "drivers/process/control_group.h"
#include "drivers/process/host_traces.h"
#include "drivers/process/wall_launch.h"

namespace paddock::process_wall {

struct BegunWall {
  std::string id;        // of the sandbox to be; its cgroups are named so
  WallOrder order;
  GroupLimits limits;
  std::vector<MountStep> base;
  std::optional<std::vector<HostMount>> host_mounts;   // of one that was kept: HostMounts(), as they still are
  std::shared_ptr<ControlGroup> group;
  std::unique_ptr<Wall> wall;   // ends before the group
};

using MakeBase = std::function<std::vector<MountStep>()>;

// Safe from any thread.
class WallStock {
 public:
  // `cgroups`: where the groups of the walls may be.
  WallStock(std::shared_ptr<WallZygote> zygote, std::vector<CgroupTree> cgroups) : zygote_(std::move(zygote)), cgroups_(std::move(cgroups)) {}
  ~WallStock();
  WallStock(const WallStock&) = delete;
  WallStock& operator=(const WallStock&) = delete;

  // The one that is kept, if it is as wanted, or a new one. Of `order` the host ids of root's sandboxes are a proposal. Errors: as
  // WallZygote::Reserve(), WallZygote::Launch() and Wall::Begin().
  Result<BegunWall> Begin(const WallOrder& order, const GroupLimits& limits, const MakeBase& make_base);
  // A wall that began like this stands.
  void Note(const WallOrder& order, const GroupLimits& limits, const std::vector<MountStep>& base);

 private:
  struct Kind {
    WallOrder order;
    GroupLimits limits;
    std::vector<MountStep> base;
  };
  struct Kept {
    BegunWall begun;
    Descriptor mounts;   // /proc/self/mountinfo, which tells whether the host has mounted anything since
  };
  Result<BegunWall> BeginNew(const WallOrder& order, const GroupLimits& limits, const MakeBase& make_base);
  std::unique_ptr<Kept> TakeKept(const WallOrder& order, const GroupLimits& limits);
  void Keep();

  const std::shared_ptr<WallZygote> zygote_;
  const std::vector<CgroupTree> cgroups_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Kind> last_;     // how the last wall began
  std::unique_ptr<Kept> kept_;
  std::unique_ptr<Kept> useless_;   // to be ended
  bool wants_one_ = false;
  bool is_ending_ = false;
  std::thread keeper_;   // runs from the first time that one is wanted
};

}  // namespace paddock::process_wall
