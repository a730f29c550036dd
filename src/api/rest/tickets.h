// Tickets: what a page in a browser opens a WebSocket with, as it cannot send a key: in the URL, good once and for a minute.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "registry/registry.h"

namespace paddock::api {

// Who may call an operation.
enum class Access { kAnyone, kRead, kUse, kAdmin };

// Who asks.
struct Identity {
  registry::Caller caller;
  Access most = Access::kRead;   // kRead, kUse or kAdmin
};

// Any thread.
class Tickets {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr auto kLifetime = std::chrono::seconds(60);
  static constexpr size_t kMost = 10'000;           // that wait
  static constexpr size_t kMostOfOwner = 100;

  // For requests to `sandbox`, as its path names it. Errors: kLimit.
  Result<std::string> Issue(const Identity& identity, std::string_view sandbox, Time now);
  // Who asks with it; it is good no more. Errors: kAccess.
  Result<Identity> Take(std::string_view ticket, std::string_view sandbox, Time now);

 private:
  struct Issued {
    Identity identity;
    std::string sandbox;
    Time until;
  };
  void Forget(Time now);

  std::mutex mutex_;
  std::map<std::string, Issued, std::less<>> issued_;   // by digest: comparing tells nothing of a ticket
};

}  // namespace paddock::api
