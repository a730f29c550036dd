// EventBus: what happened to sandboxes, to whoever listens; in the database, so that a listener can go on where it was.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "registry/entry/lease.h"
#include "store/records/records.h"

namespace paddock::registry {

struct Event {
  int64_t sequence = 0;    // of its owner's events, from 1 without gaps
  Time at{};
  std::string owner;
  std::string type;        // "sandbox.created", "sandbox.paused", "exec.denied" …
  std::string subject;     // id of what it is about
  std::string detail;      // JSON object
};

// Any thread.
class EventBus {
 public:
  explicit EventBus(records::Records& records) : records_(records) {}

  // Stores it and tells the listeners of its owner. What cannot be stored is told all the same, without a number.
  void Publish(Event event);

  // Calls `listener` with each event of an owner from now on, on the publisher's thread; it must be quick and may not publish.
  uint64_t Listen(const std::string& owner, std::function<void(const Event&)> listener);
  void StopListening(uint64_t number);   // when it returns, the listener is not running

  // Drops what is older, and of each owner all but the newest `keep`; no more of one owner than the store drops at once.
  void Trim(Time before, size_t keep);

  // Those after `after`, at most `limit`. `is_complete` is false when some between were trimmed.
  struct Reading {
    std::vector<Event> events;
    bool is_complete = true;
    int64_t last = 0;   // the newest there is
  };
  Result<Reading> Read(const std::string& owner, int64_t after, size_t limit);

 private:
  struct Listener {
    std::string owner;
    std::function<void(const Event&)> call;
  };

  records::Records& records_;
  std::mutex mutex_;   // held while listeners run
  std::map<uint64_t, Listener> listeners_;
  uint64_t last_ = 0;
};

}  // namespace paddock::registry
