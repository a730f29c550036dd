// Poller: one epoll for all sockets of a server, and the table of what belongs to them.
//
// Everything is watched once at a time (EPOLLONESHOT): an event goes to one thread, which asks for the next. Events carry a
// number, not a pointer, and numbers are never used again, so an event that comes late finds nothing instead of something else.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace paddock::net {

using Time = std::chrono::steady_clock::time_point;
inline Time Now() { return std::chrono::steady_clock::now(); }

// Something with a socket. Every member may be called by any thread.
class Pollable {
 public:
  virtual ~Pollable() = default;
  // `events` as epoll reports them.
  virtual void OnEvents(uint32_t events) = 0;
  // Every now and then, for what happens with time.
  virtual void OnTick(Time now) = 0;
  // The server stops: ends what is idle. May be called several times.
  virtual void OnStopping() = 0;
  // Ends it by force.
  virtual void Cut() = 0;
  // Since when it waits for a client that has nothing to do; Time::max() when it does not.
  virtual Time idle_since() const { return Time::max(); }
  // Closes if it is idle; true when it did.
  virtual bool TryEvict() { return false; }
};

class Poller {
 public:
  Status Open();
  // Watches `fd` and owns `what` until Remove(). `id` is set before the first event can come.
  Status Add(int fd, uint32_t events, std::shared_ptr<Pollable> what, uint64_t id);
  uint64_t NextId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  // Asks for the next event. The caller keeps `fd` open meanwhile.
  void Rearm(int fd, uint64_t id, uint32_t events);
  // Gives the number to another owner.
  void Replace(uint64_t id, std::shared_ptr<Pollable> what);
  // To be called after the descriptor was closed. Whoever waits for an empty table is told.
  void Remove(uint64_t id);
  std::vector<std::shared_ptr<Pollable>> All() const;
  size_t size() const { return size_.load(); }

  // Waits for one event and handles it. False when `milliseconds` (-1: no end) went by.
  bool HandleOne(int milliseconds, std::atomic<size_t>* waiting);
  // Wakes every thread in HandleOne(), now and later.
  void WakeAll();
  bool is_woken() const { return is_woken_.load(); }

 private:
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<uint64_t, std::shared_ptr<Pollable>> table;   // guarded by mutex
  };
  Shard& ShardOf(uint64_t id) { return shards_[id % shards_.size()]; }

  Descriptor epoll_, wakeup_;
  std::atomic<uint64_t> next_id_{1};   // 0 is the wake-up
  std::atomic<size_t> size_{0};
  std::atomic<bool> is_woken_{false};
  std::array<Shard, 16> shards_;
};

}  // namespace paddock::net
