// Lease: how long a sandbox may live, and what becomes of it then. Pure but for Now().
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace paddock::registry {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;
using Duration = std::chrono::milliseconds;

inline Time Now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

enum class OnExpiry { kPause, kStop, kDelete };
const char* OnExpiryName(OnExpiry action);
Result<OnExpiry> ParseOnExpiry(std::string_view name);   // kInvalid, with the names

// What is not set does not bound.
struct Lease {
  std::optional<Duration> ttl;            // from creation, or from when it was last extended
  std::optional<Duration> idle_ttl;       // without an exec, a stream or a transfer
  std::optional<Duration> max_lifetime;   // from creation, whatever is extended: then it is deleted
  OnExpiry on_expiry = OnExpiry::kPause;
  std::optional<Duration> remove_after;   // of one that ttl or idle_ttl has put to rest, and nobody woke since: then it is deleted

  bool operator==(const Lease&) const = default;
};

// A lease in its course.
struct LeaseClock {
  Time created{};
  Time extended{};      // begin of ttl
  Time last_active{};   // end of what was done last
  bool is_busy = false; // something is being done: it is not idle, however long ago it began
  bool is_awake = true; // paused and stopped ones cannot expire but by max_lifetime or remove_after, or when that deletes them
  std::optional<Time> rested = std::nullopt;   // when its lease put it to rest; none: it did not
};

struct Expiry {
  enum class Cause { kTtl, kIdle, kMaxLifetime, kRemoval };
  Time at{};
  Cause cause = Cause::kTtl;
  OnExpiry action = OnExpiry::kPause;
};
const char* CauseName(Expiry::Cause cause);

// What expires next; nothing when nothing bounds it. In the past when it is due.
std::optional<Expiry> NextExpiry(const Lease& lease, const LeaseClock& clock);

// Refuses what cannot be meant. kInvalid: names the field.
Status CheckLease(const Lease& lease);

}  // namespace paddock::registry
