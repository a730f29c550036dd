#include "drivers/process/wall_stock.h"

#include <fcntl.h>
#include <poll.h>

#include <array>
#include <utility>

#include "base/random.h"
#include "drivers/process/host_traces.h"
#include "drivers/process/wall_plan.h"

namespace paddock::process_wall {
namespace {

// Unique also among processes that share the cgroup tree but not the process ids.
std::string NewId() {
  std::array<uint8_t, 8> bytes{};
  FillRandom(bytes);
  std::string id = "paddock-";
  for (const uint8_t byte : bytes) {
    id += "0123456789abcdef"[byte >> 4];
    id += "0123456789abcdef"[byte & 15];
  }
  return id;
}

// Whether a wall that was begun for one can be had by the other. Host ids that are drawn by lot may be any.
bool IsAlike(const WallOrder& a, const WallOrder& b) {
  const bool has_same_ids = a.uid.inside == b.uid.inside && a.gid.inside == b.gid.inside &&
                            (a.is_root || (a.uid.outside == b.uid.outside && a.gid.outside == b.gid.outside));
  return a.is_root == b.is_root && a.allows_namespaces == b.allows_namespaces && has_same_ids;
}

bool HasChanged(const Descriptor& mounts) {
  pollfd change{mounts.get(), POLLPRI, 0};
  return !mounts || poll(&change, 1, 0) != 0;
}

WallPlan BasePlan(const BegunWall& begun) {
  WallPlan base;
  base.is_root = begun.order.is_root;
  base.uid = begun.order.uid.inside;
  base.gid = begun.order.gid.inside;
  base.cgroups = begun.group->v1_directories();
  base.mounts = begun.base;
  return base;
}

}  // namespace

WallStock::~WallStock() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (keeper_.joinable()) keeper_.join();
}

Result<BegunWall> WallStock::BeginNew(const WallOrder& order, const GroupLimits& limits, const MakeBase& make_base) {
  BegunWall begun;
  begun.id = NewId();
  begun.order = order;
  begun.limits = limits;
  // From Reserve() on the zygote ends what we leave. The wall's namespaces are made while the rest is prepared.
  begun.group = std::make_shared<ControlGroup>(ControlGroup::Prepare(cgroups_, begun.id, limits));
  PADDOCK_ASSIGN(Wall wall, zygote_->Reserve(begun.group->Candidates()));
  begun.wall = std::make_unique<Wall>(std::move(wall));
  // A v2 group takes its processes when they are born.
  if (begun.group->may_be_v2()) begun.group->Make();
  PADDOCK_TRY(zygote_->Launch(*begun.wall, order, begun.group->v2_directory()));
  if (!begun.group->may_be_v2()) begun.group->Make();
  begun.base = make_base();
  PADDOCK_TRY(begun.wall->Begin(BasePlan(begun)));
  return begun;
}

std::unique_ptr<WallStock::Kept> WallStock::TakeKept(const WallOrder& order, const GroupLimits& limits) {
  const std::lock_guard lock(mutex_);
  if (!kept_ || !IsAlike(kept_->begun.order, order) || kept_->begun.limits != limits) return nullptr;
  return std::move(kept_);
}

Result<BegunWall> WallStock::Begin(const WallOrder& order, const GroupLimits& limits, const MakeBase& make_base) {
  std::unique_ptr<Kept> kept = TakeKept(order, limits);
  if (!kept) return BeginNew(order, limits, make_base);
  std::vector<MountStep> base = make_base();
  if (kept->begun.base == base && !HasChanged(kept->mounts) && kept->begun.wall->is_waiting()) return std::move(kept->begun);
  {
    const std::lock_guard lock(mutex_);
    std::swap(useless_, kept);   // one that is there already is ended here
  }
  changed_.notify_all();
  return BeginNew(order, limits, [&base] { return std::move(base); });
}

void WallStock::Note(const WallOrder& order, const GroupLimits& limits, const std::vector<MountStep>& base) {
  const std::lock_guard lock(mutex_);
  const bool is_again = last_ && IsAlike(last_->order, order) && last_->limits == limits && last_->base == base;
  if (!is_again) {
    last_ = std::make_unique<Kind>(Kind{order, limits, base});
    return;
  }
  if (base.empty() || kept_) return;
  wants_one_ = true;
  if (!keeper_.joinable()) keeper_ = std::thread([this] { Keep(); });
  changed_.notify_all();
}

void WallStock::Keep() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (useless_) {
      const std::unique_ptr<Kept> useless = std::move(useless_);
      lock.unlock();
      useless->begun.wall->Destroy();
      lock.lock();
      continue;
    }
    if (!wants_one_) {
      changed_.wait(lock);
      continue;
    }
    wants_one_ = false;
    const Kind kind = *last_;
    lock.unlock();
    auto kept = std::make_unique<Kept>();
    kept->mounts.Reset(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
    std::vector<HostMount> host_mounts = HostMounts();
    auto begun = BeginNew(WithNewHostIds(kind.order), kind.limits, [&kind] { return kind.base; });
    lock.lock();
    // What does not succeed is tried again when the next wall stands.
    if (!begun) continue;
    kept->begun = std::move(*begun);
    kept->begun.host_mounts = std::move(host_mounts);
    std::swap(kept_, kept);
    if (kept) useless_ = std::move(kept);
  }
}

}  // namespace paddock::process_wall
