#include "registry/entry/lease.h"

#include <string>

namespace paddock::registry {
namespace {

// Times are sums of a clock and a duration of the client's: they stay within what both hold.
Time After(Time from, Duration time) {
  return from > Time::max() - time ? Time::max() : from + time;
}

}  // namespace

const char* OnExpiryName(OnExpiry action) {
  switch (action) {
    case OnExpiry::kPause: return "pause";
    case OnExpiry::kStop: return "stop";
    case OnExpiry::kDelete: return "delete";
  }
  return "pause";
}

Result<OnExpiry> ParseOnExpiry(std::string_view name) {
  for (const OnExpiry action : {OnExpiry::kPause, OnExpiry::kStop, OnExpiry::kDelete}) {
    if (name == OnExpiryName(action)) return action;
  }
  return Error(Code::kInvalid, "on_expiry '" + std::string(name) + "' is none of pause, stop, delete");
}

const char* CauseName(Expiry::Cause cause) {
  switch (cause) {
    case Expiry::Cause::kTtl: return "ttl";
    case Expiry::Cause::kIdle: return "idle_ttl";
    case Expiry::Cause::kMaxLifetime: return "max_lifetime";
    case Expiry::Cause::kRemoval: return "remove_after";
  }
  return "ttl";
}

std::optional<Expiry> NextExpiry(const Lease& lease, const LeaseClock& clock) {
  std::optional<Expiry> next;
  const auto consider = [&](Time at, Expiry::Cause cause, OnExpiry action) {
    if (!next || at < next->at) next = Expiry{at, cause, action};
  };
  if (lease.max_lifetime) consider(After(clock.created, *lease.max_lifetime), Expiry::Cause::kMaxLifetime, OnExpiry::kDelete);
  if (lease.remove_after && clock.rested && !clock.is_awake) consider(After(*clock.rested, *lease.remove_after), Expiry::Cause::kRemoval, OnExpiry::kDelete);
  if (clock.is_awake || lease.on_expiry == OnExpiry::kDelete) {
    if (lease.ttl) consider(After(clock.extended, *lease.ttl), Expiry::Cause::kTtl, lease.on_expiry);
    if (lease.idle_ttl && !clock.is_busy) consider(After(clock.last_active, *lease.idle_ttl), Expiry::Cause::kIdle, lease.on_expiry);
  }
  return next;
}

Status CheckLease(const Lease& lease) {
  const auto check = [](const char* name, const std::optional<Duration>& time) -> Status {
    if (time && *time < std::chrono::seconds(1)) return Error(Code::kInvalid, std::string("lease.") + name + " is less than one second");
    if (time && *time > std::chrono::hours(24 * 366 * 10)) return Error(Code::kInvalid, std::string("lease.") + name + " is more than ten years");
    return {};
  };
  PADDOCK_TRY(check("ttl", lease.ttl));
  PADDOCK_TRY(check("idle_ttl", lease.idle_ttl));
  PADDOCK_TRY(check("remove_after", lease.remove_after));
  return check("max_lifetime", lease.max_lifetime);
}

}  // namespace paddock::registry
