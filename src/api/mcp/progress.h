// Progress of calls that take long: a client that asked for it hears every few seconds that its call still runs, and how much
// output there is, so that it need not give up.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "api/mcp/message.h"

namespace paddock::mcp {

// Takes a notification to the client. Any thread.
using Notify = std::function<void(json::object notification)>;

// Any thread.
class Progress {
 public:
  explicit Progress(std::chrono::milliseconds interval = std::chrono::seconds(5)) : interval_(interval) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One call's. Nothing is sent once it is gone.
  class Watch {
   public:
    Watch(Progress& of, json::value token, Notify notify);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    // More bytes of output.
    void Count(size_t bytes);

   private:
    friend class Progress;
    void SendIfDue(std::chrono::steady_clock::time_point now);   // under the lock

    Progress& of_;
    const json::value token_;
    const Notify notify_;
    const std::chrono::steady_clock::time_point begun_;
    std::chrono::steady_clock::time_point sent_;
    uint64_t bytes_ = 0;
  };

 private:
  void Run();

  const std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Watch*> watches_;
  bool is_ending_ = false;
  std::thread thread_;   // while there was ever a watch
};

}  // namespace paddock::mcp
