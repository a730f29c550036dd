// WarmContainers: containers that stand ready before they are asked for, of the kinds that were asked for last, so that a create only has to
// claim one.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "drivers/docker/docker_sandbox.h"

namespace paddock::docker {

// Safe from any thread.
class WarmContainers {
 public:
  using MakeOne = std::function<Result<std::unique_ptr<DockerSandbox>>(const sandbox::SandboxSpec& kind, const std::string& key)>;

  // `most`: that stand ready, of all kinds together; 0: none. `make` is called on a thread of this object's, with a key of its own for each.
  WarmContainers(size_t most, MakeOne make) : most_(most), make_(std::move(make)) {}
  ~WarmContainers() { End(); }
  WarmContainers(const WarmContainers&) = delete;
  WarmContainers& operator=(const WarmContainers&) = delete;

  // One of that kind which still runs; null: there is none. Its key is known to Has() until Forget().
  std::unique_ptr<DockerSandbox> Claim(const sandbox::SandboxSpec& kind);
  void Forget(const std::string& key);
  // Sandboxes of that kind are asked for: some are made ready, in the place of other kinds' where there is no more room.
  void Want(const sandbox::SandboxSpec& kind);
  // Has it called on this object's thread, soon.
  void Later(std::function<void()> work);
  // Removes those that nobody has claimed; no more are made. Idempotent.
  void End();
  // Whether something on the engine belongs to one that is made ready.
  bool Has(const std::string& key) const;

  // As long as somebody waits for an engine to make a sandbox, it makes none ahead.
  class Waiting {
   public:
    explicit Waiting(WarmContainers& containers) : containers_(containers) { containers_.CountWaiting(1); }
    ~Waiting() { containers_.CountWaiting(-1); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    WarmContainers& containers_;
  };

 private:
  struct Ready {
    sandbox::SandboxSpec kind;
    std::unique_ptr<DockerSandbox> sandbox;
  };
  void CountWaiting(int change);
  void Work();
  bool HasRoomFor(const sandbox::SandboxSpec& kind) const;
  std::unique_ptr<DockerSandbox> TakeOldestOfMost();

  const size_t most_;
  const MakeOne make_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Ready> ready_;          // the oldest first
  std::set<std::string> keys_;       // of those that are made, stand ready, or were claimed and are not forgotten yet
  std::optional<sandbox::SandboxSpec> wanted_;   // none: nothing was asked for, or making one has failed since
  int waiting_ = 0;
  std::deque<std::function<void()>> later_;
  bool is_ending_ = false;
  std::thread worker_;               // runs from the first time that one is wanted
};

}  // namespace paddock::docker
