// Feed: what one listener is to be told of resources: in order, without waiting for it, and bounded. A resource that changes again
// before its change was told is told once. What was told lately is kept, so that a listener that lost its connection goes on behind
// what it has.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "api/mcp/message.h"
#include "base/result.h"

namespace paddock::mcp {

// Any thread.
class Feed {
 public:
  static constexpr size_t kMostKept = 256;

  struct Outlet {
    // False: no room now; Pump() when there is some again. Must not wait for the feed.
    std::function<bool(uint64_t number, const json::object& notification)> send;
    std::function<void()> close;   // another one takes its place, or nothing more comes; may be null
  };

  // `subscription` is the id that notifications carry (2026-07-28); null: none.
  explicit Feed(json::value subscription = nullptr) : subscription_(std::move(subscription)) {}

  // That a resource may have changed; empty: which ones are listed.
  void Tell(const std::string& uri);

  struct Attached {
    uint64_t outlet = 0;      // for Detach()
    uint64_t number = 0;      // of what was told last before
    bool has_missed = false;  // what lies between `after` and now is not kept in full
  };
  // From now on `outlet` gets what comes, after what is kept from behind `after` on; without, after what no outlet has taken. Nothing is
  // sent before Pump(). Errors: kInvalid for an `after` that was never told.
  Result<Attached> Attach(Outlet outlet, std::optional<uint64_t> after);
  // Nothing to do for one that was replaced. True: none is left.
  bool Detach(uint64_t outlet);
  void Pump();
  void Close();
  bool is_attached() const;

 private:
  struct Told {
    uint64_t number = 0;
    std::string uri;
  };
  void PumpLocked();
  json::object NotificationOf(const std::string& uri) const;

  const json::value subscription_;
  mutable std::mutex mutex_;
  std::deque<Told> kept_;     // by number, without gaps
  uint64_t last_ = 0;         // the newest
  uint64_t sent_ = 0;         // the newest that an outlet took
  std::optional<Outlet> outlet_;
  uint64_t outlets_ = 0;
  bool is_ready_ = false;     // Pump() was called for this outlet
};

inline constexpr const char* kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";

}  // namespace paddock::mcp
