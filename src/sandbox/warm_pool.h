// WarmPool: a driver in front of another one that keeps sandboxes ready for the specs that are asked for, so that a create
// only claims one. Each claimed sandbox is fresh: none is ever used twice.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "sandbox/sandbox.h"

namespace paddock::sandbox {

class WarmPool final : public Driver {
 public:
  // Keeps `size` sandboxes ready for each of the specs used last. Sandboxes are made one after the other on a thread of
  // the pool's.
  WarmPool(std::unique_ptr<Driver> driver, size_t size);
  // Destroys what nobody has claimed.
  ~WarmPool() override;
  WarmPool(const WarmPool&) = delete;
  WarmPool& operator=(const WarmPool&) = delete;

  const char* name() const override { return driver_->name(); }
  void GetReady() override { driver_->GetReady(); }
  // A ready one, or a new one when there is none; safe from any thread. Errors: those of the driver.
  Result<std::unique_ptr<Sandbox>> Create(const SandboxSpec& spec) override;

  // Makes the spec one of those that are kept ready, and waits until they are. Errors: kInvalid for a spec that cannot be
  // made ahead, those of the driver.
  Status Prepare(const SandboxSpec& spec);

  // Whether sandboxes of a spec may be made before they are wanted: not if they show what the host may change in the
  // meantime, since what is protected is found when the wall is built.
  static bool CanBeMadeAhead(const SandboxSpec& spec);

  static constexpr size_t kMostSpecs = 8;
  // While a shelf still has some, new ones are made only when nothing was claimed for so long: making one would slow down
  // what was just claimed.
  static constexpr std::chrono::milliseconds kQuiet{20};

 private:
  struct Shelf {
    SandboxSpec spec;
    std::list<std::unique_ptr<Sandbox>> ready;
    bool is_failing = false;   // the driver could not make one: not tried again until somebody asks
  };
  Shelf& ShelfOf(const SandboxSpec& spec);
  void Refill();

  std::unique_ptr<Driver> driver_;
  const size_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::shared_ptr<Shelf>> shelves_;   // the one used last first
  bool is_ending_ = false;
  std::chrono::steady_clock::time_point last_claim_{};
  std::thread refiller_;
};

}  // namespace paddock::sandbox
