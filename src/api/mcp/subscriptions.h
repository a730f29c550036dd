// Subscriptions: the resources that clients want to hear of, watched through their sessions. A watch that ends, because its sandbox was
// put to rest or its directory went, is told as a change and made again when that can be; who has not listened for a minute is watched
// for no longer, and told of everything when it comes back.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/mcp/call_threads.h"
#include "api/mcp/feed.h"
#include "tools/session/session_access.h"

namespace paddock::mcp {

inline constexpr size_t kMostSubscriptions = 64;   // resources of one listener

// One listener: what it wants, and its feed. Any thread.
class Subscriber {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Subscriber(json::value subscription = nullptr) : feed_(std::make_shared<Feed>(std::move(subscription))), left_(Clock::now()) {}
  ~Subscriber() { Close(); }
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  // From when it returns on, changes are told. Nothing to do for one that is watched. An empty `uri`: of what the session's files are.
  // Errors: kLimit; those of WatchResource().
  Status Add(const std::shared_ptr<tools::SessionAccess>& session, const std::string& uri);
  bool Remove(const std::string& uri);   // whether it was there
  // That it wants to hear which files there are, once it listens and when that can be.
  void WantListing(const std::shared_ptr<tools::SessionAccess>& session);
  Feed& feed() { return *feed_; }
  // Its outlet came or went.
  void Came(bool has_missed);
  void Left();
  // Makes watches again that have ended, or lets go of all when nobody has listened for `patience`.
  void Mend(Clock::time_point now, Clock::duration patience);
  bool NeedsMending(Clock::time_point now, Clock::duration patience) const;
  // Watches nothing any more, and ends its outlet.
  void Close();
  size_t count() const;

 private:
  struct Item {
    std::shared_ptr<tools::SessionAccess> session;
    std::string uri;
    std::shared_ptr<std::atomic<bool>> has_ended = std::make_shared<std::atomic<bool>>(true);   // by the watch
    std::shared_ptr<void> watch;        // under the lock
    Clock::time_point next_try{};       // the same
    Clock::duration pause = std::chrono::seconds(1);
  };
  Status Begin(const std::shared_ptr<Item>& item);
  static bool IsDue(const Item& item, bool is_heard, Clock::time_point now);

  const std::shared_ptr<Feed> feed_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Item>> items_;   // by URI
  bool is_closed_ = false, is_at_rest_ = false;
  std::atomic<bool> is_mending_{false};
  Clock::time_point left_;
  friend class Subscriptions;
};

// Watches a resource, or with an empty `uri` which session files there are. `changed` and `ended` are called on other threads, until the
// handle goes. Errors: kInvalid for a URI that is none, kNoEntry for a sandbox or directory that is not there, as reading it; kLimit.
Result<std::shared_ptr<void>> WatchResource(tools::SessionAccess& session, const std::string& uri, std::function<void()> changed,
                                            std::function<void()> ended);

// Minds the subscribers of a server. Any thread.
class Subscriptions {
 public:
  struct Times {
    std::chrono::milliseconds look{1000};                          // at what has ended
    std::chrono::milliseconds patience = std::chrono::minutes(1);  // with who does not listen
  };
  Subscriptions() = default;
  explicit Subscriptions(Times times) : times_(times) {}
  ~Subscriptions() { End(); }
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  void Mind(const std::shared_ptr<Subscriber>& subscriber);
  void End();   // waits for what is being made

 private:
  void Run();

  const Times times_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::weak_ptr<Subscriber>> subscribers_;
  bool is_ending_ = false;
  std::thread thread_;
  CallThreads threads_{8};   // the last: ended first
};

}  // namespace paddock::mcp
