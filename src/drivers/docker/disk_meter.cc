#include "drivers/docker/disk_meter.h"

#include <algorithm>

#include "base/id.h"
#include "drivers/docker/agent_volume.h"
#include "drivers/docker/engine/containers.h"
#include "drivers/docker/engine/volumes.h"

namespace paddock::docker {
namespace {

constexpr std::chrono::milliseconds kLongest{2'000};    // between two measurements that cost little
constexpr int kShareOfTime = 20;                        // measuring takes at most a twentieth of the time
constexpr int kShareInHaste = 4;
constexpr std::chrono::minutes kBlindness{1};
constexpr uint64_t kLeastGrowth = 1 << 20;
constexpr std::chrono::seconds kPatience{5};

}  // namespace

Result<uint64_t> VolumeSizes::Of(const std::string& volume, std::chrono::steady_clock::time_point not_before) {
  const std::lock_guard lock(mutex_);
  if (taken_ < not_before || taken_ == std::chrono::steady_clock::time_point{}) {
    const auto asked = std::chrono::steady_clock::now();
    PADDOCK_ASSIGN(sizes_, MeasureVolumes(*engine_));
    taken_ = asked;
  }
  const auto found = sizes_.find(volume);
  return found == sizes_.end() ? 0 : found->second;
}

uint64_t DiskMeter::last_used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

uint64_t DiskMeter::UsedNow() {
  const std::lock_guard lock(mutex_);
  if (used_ <= parts_.limit) return used_;
  if (const auto used = parts_.used()) used_ = *used;
  return used_;
}

bool DiskMeter::IsDue(Clock::time_point now, std::optional<uint64_t> free) const {
  if (!measured_ || !free || !free_before_) return now - last_ >= std::max<Clock::duration>(cost_ * kShareInHaste, std::chrono::milliseconds(100));
  if (now - last_ >= std::max<Clock::duration>(kLongest, cost_ * kShareOfTime)) return true;
  const uint64_t gone = *free_before_ - std::min(*free_before_, *free);
  const uint64_t left = parts_.limit - std::min(parts_.limit, used_);
  return gone >= std::max(left / 2, kLeastGrowth) && now - last_ >= cost_ * kShareInHaste;
}

std::optional<guest::Excess> DiskMeter::Look(uint64_t allowed) {
  const std::lock_guard lock(mutex_);
  const auto told = parts_.free();
  const std::optional<uint64_t> free = told ? std::optional(*told) : std::nullopt;
  const auto before = parts_.now();
  if (IsDue(before, free)) {
    const auto used = parts_.used();
    last_ = parts_.now();
    cost_ = last_ - before;
    if (used) {
      used_ = *used;
      measured_ = last_;
      free_before_ = free;
      failing_since_.reset();
    } else {
      if (!failing_since_) failing_since_ = last_;
      if (last_ - *failing_since_ >= kBlindness) {
        return guest::Excess{sandbox::Termination::Reason::kDisk, "disk (the engine does not tell how much is used: " + std::string(used.error().Text()) + ")", used_};
      }
    }
  }
  if (used_ <= parts_.limit || used_ <= allowed) return std::nullopt;
  return guest::Excess{sandbox::Termination::Reason::kDisk, "disk", used_};
}

Result<std::shared_ptr<DiskMeter>> MakeDiskMeter(std::shared_ptr<const Engine> engine, std::shared_ptr<VolumeSizes> sizes, const std::string& container_id, uint64_t limit,
                                                 std::function<Result<uint64_t>()> free) {
  PADDOCK_ASSIGN(const ContainerInfo info, InspectContainer(*engine, container_id));
  std::vector<std::string> volumes;
  for (const auto& [target, name] : info.volumes) {
    if (target != kAgentDirectory) volumes.push_back(name);
  }
  DiskMeter::Parts parts;
  parts.limit = limit;
  parts.used = [engine = std::move(engine), sizes = std::move(sizes), container_id, volumes = std::move(volumes), has_layer = !info.has_read_only_root]() -> Result<uint64_t> {
    const auto now = DiskMeter::Clock::now();
    uint64_t used = 0;
    for (const std::string& volume : volumes) {
      PADDOCK_ASSIGN(const uint64_t size, sizes->Of(volume, now));
      used += size;
    }
    if (!has_layer) return used;
    PADDOCK_ASSIGN(const ContainerInfo seen, InspectContainer(*engine, container_id, true));
    return used + seen.written_bytes.value_or(0);
  };
  parts.free = std::move(free);
  return std::make_shared<DiskMeter>(std::move(parts));
}

Result<std::shared_ptr<DiskMeter>> MakeDiskMeter(std::shared_ptr<const Engine> engine, std::shared_ptr<VolumeSizes> sizes, const std::string& container_id,
                                                 const std::string& workspace, uint64_t limit, std::shared_ptr<guest::Client> client) {
  const auto free = [client = std::move(client), workspace]() -> Result<uint64_t> {
    PADDOCK_ASSIGN(const guest::FileSpace space, client->files().Space(workspace, guest::In(kPatience)));
    return space.free_bytes;
  };
  return MakeDiskMeter(std::move(engine), std::move(sizes), container_id, limit, free);
}

bool HasLayerQuota(const Engine& engine, const std::string& image) {
  constexpr uint64_t kSize = 64 << 20;
  ContainerSpec spec;
  spec.image = image;
  spec.entrypoint = {kAgentProgram};
  spec.labels = {{kManagedLabel, "paddock"}};
  spec.disk_bytes = kSize;
  const auto created = CreateContainer(engine, "paddock-" + NewId("quota_"), spec);
  if (created) (void)RemoveContainer(engine, created->id);
  return created.has_value();
}

}  // namespace paddock::docker
