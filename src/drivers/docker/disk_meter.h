// DiskMeter: how much a container has on the engine's disk, kept below a limit by looking now and then where the engine's storage has no
// quotas. The engine is asked, which sees what code inside hides from others; asking takes long on a machine with many volumes, so
// that the file system's free space, which costs nothing, says when it is worth it.
//
// What is written between two looks is seen late, and deleted files that are still open are not seen (each is bounded by the
// limit on one file's size, which the kernel keeps).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "drivers/docker/engine/engine.h"
#include "guest/client/client.h"
#include "guest/sandbox/exec_warden.h"

namespace paddock::docker {

// The sizes of an engine's volumes, asked for once for all who want to know at a time: engines refuse a second such question meanwhile.
class VolumeSizes {
 public:
  explicit VolumeSizes(std::shared_ptr<const Engine> engine) : engine_(std::move(engine)) {}
  // As they were at `not_before` or later; 0 for a volume that the engine does not tell of. Any thread.
  Result<uint64_t> Of(const std::string& volume, std::chrono::steady_clock::time_point not_before);

 private:
  const std::shared_ptr<const Engine> engine_;
  std::mutex mutex_;
  std::map<std::string, uint64_t> sizes_;
  std::chrono::steady_clock::time_point taken_{};   // none yet
};

class DiskMeter {
 public:
  using Clock = std::chrono::steady_clock;
  struct Parts {
    uint64_t limit = 0;
    std::function<Result<uint64_t>()> used;   // bytes, exactly; may take long
    std::function<Result<uint64_t>()> free;   // bytes of the file system that it is on, at no cost
    std::function<Clock::time_point()> now = Clock::now;
  };
  explicit DiskMeter(Parts parts) : parts_(std::move(parts)) {}

  // Bytes as they were measured last; 0 before the first time.
  uint64_t last_used() const;
  // The same; above the limit, measured anew: what was ended for it has written some more until it was.
  uint64_t UsedNow();
  // What is there when that is above the limit and above `allowed`. Measures when it is time to, or so much was written that the limit may be
  // passed. A failing measurement is tried again, and an excess when there was none for a minute. Any thread.
  std::optional<guest::Excess> Look(uint64_t allowed);

 private:
  bool IsDue(Clock::time_point now, std::optional<uint64_t> free) const;

  const Parts parts_;
  mutable std::mutex mutex_;
  uint64_t used_ = 0;
  std::optional<uint64_t> free_before_;            // when it was measured last
  std::optional<Clock::time_point> measured_;      // successfully
  std::optional<Clock::time_point> failing_since_;
  Clock::duration cost_{};                         // of the last measurement
  Clock::time_point last_{};
};

// Measures what a container can write to: its volumes, those that its image asks for, too, but not the agent's; and its own layer. `free`: as DiskMeter has it,
// of a place on the same file system. Errors: those of the engine.
Result<std::shared_ptr<DiskMeter>> MakeDiskMeter(std::shared_ptr<const Engine> engine, std::shared_ptr<VolumeSizes> sizes, const std::string& container_id, uint64_t limit,
                                                 std::function<Result<uint64_t>()> free);
// Likewise; `workspace` is that place, `client` the container's agent.
Result<std::shared_ptr<DiskMeter>> MakeDiskMeter(std::shared_ptr<const Engine> engine, std::shared_ptr<VolumeSizes> sizes, const std::string& container_id,
                                                 const std::string& workspace, uint64_t limit, std::shared_ptr<guest::Client> client);

// Whether the engine's storage keeps a size for a container's own layer: asked by making a container that is never started.
bool HasLayerQuota(const Engine& engine, const std::string& image);

// Of one exec: ends it when it makes the container pass the limit. What cleans up may run although more is there already.
class ContainerWarden final : public guest::ExecWarden {
 public:
  ContainerWarden(std::unique_ptr<guest::ExecWarden> agent, std::shared_ptr<DiskMeter> meter)
      : agent_(std::move(agent)), meter_(std::move(meter)), allowed_(meter_->UsedNow()) {}
  std::optional<std::chrono::milliseconds> Interval() const override { return std::chrono::milliseconds(100); }
  std::optional<guest::Excess> Look() override { return meter_->Look(allowed_); }
  std::optional<guest::Excess> LookAtEnd() override { return meter_->Look(allowed_); }
  std::optional<uint64_t> MemoryExhausted() override { return agent_->MemoryExhausted(); }
  bool RefusedForks() override { return agent_->RefusedForks(); }
  std::vector<std::string> TakeDenials() override { return agent_->TakeDenials(); }

 private:
  const std::unique_ptr<guest::ExecWarden> agent_;
  const std::shared_ptr<DiskMeter> meter_;
  const uint64_t allowed_;   // what was there when it began
};

}  // namespace paddock::docker
