// Ledger: the usage of one sandbox as it grows, and what of that is not in the database yet.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "registry/entry/usage.h"
#include "sandbox/sandbox.h"

namespace paddock::registry {

// Any thread. Times that lie before ones told earlier count as those.
class Ledger {
 public:
  // What is known of a sandbox from before the daemon began.
  struct Past {
    std::function<std::optional<UsageStretch>()> newest;   // reads its newest stretch; none: there is none
    Time last_seen{};      // when the daemon before this one was last known to run
    Time began{};          // when this one did
  };
  // A new sandbox has no past. `info` as it is at the beginning.
  explicit Ledger(const SandboxInfo& info, std::optional<Past> past = std::nullopt);

  void SetAlive(bool is_alive, Time now);
  void SetLabels(const Labels& labels);
  // The sandbox was stood up anew: what it measures begins there.
  void BeginLive(const sandbox::Measured& measured);
  void ExecBegan(Time now);
  void ExecEnded(const sandbox::ExecResult& result, const sandbox::Measured& measured, Time now);
  void Sample(const sandbox::Measured& measured, Time now);
  void Transferred(uint64_t up, uint64_t down, Time now);

  // Whether there is something to write; cheap.
  bool is_dirty() const { return is_dirty_.load(std::memory_order_relaxed); }
  bool is_active() const { return running_count_.load(std::memory_order_relaxed) > 0; }
  // What is to be written; each stays until Written() is told of it. `closes`: also what nothing ran in, up to now.
  std::vector<UsageStretch> Unwritten(bool closes, Time now);
  void Written(const std::vector<UsageStretch>& stretches);
  void Retry() { is_dirty_ = true; }   // it could not be written
  // All that is not, or not as it is, in the database, as of now.
  std::vector<UsageStretch> Newest(Time now);

 private:
  void Remember();
  void Advance(Time now);
  // Begins the next stretch where this one ends.
  void Close();
  // Something happens that is not even: within an hour of its own.
  void BecomeUneven(Time now);
  void Take(const sandbox::Measured& measured);
  // Whether it has carried, read or written more than is in the books.
  bool HasMoreBytes(const sandbox::Measured& measured) const;

  std::mutex mutex_;
  std::optional<Past> past_;           // not looked at yet
  const uint64_t reserved_memory_kib_;
  const double reserved_cores_;
  bool is_alive_;
  size_t running_ = 0;
  std::atomic<size_t> running_count_{0};
  uint64_t memory_kib_ = 0;            // held since the last sample
  bool has_memory_ = false, has_disk_ = false;
  uint64_t cpu_told_ = 0;              // of the living sandbox's own count
  sandbox::Measured bytes_told_;       // the same, of bytes
  UsageStretch current_;
  std::vector<UsageStretch> closed_;
  std::atomic<bool> is_dirty_{false};
};

}  // namespace paddock::registry
