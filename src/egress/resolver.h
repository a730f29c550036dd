// Resolver: names to addresses on the host, on a few threads of its own, because the system's resolver blocks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "egress/reactor.h"
#include "policy/ip_address.h"

namespace paddock::egress {

class Resolver {
 public:
  // As EgressOptions::resolve; empty: the system's.
  using Lookup = std::function<Result<std::vector<std::string>>(const std::string& name)>;

  Resolver(Reactor& reactor, Lookup lookup);
  // Does not wait for lookups under way: their threads end by themselves and touch nothing of the engine.
  ~Resolver();

  // Called on a fiber. At least one address, at most 32, without repeats. Errors: kNoEntry (no such name), kTimedOut, kLimit.
  Result<std::vector<policy::IpAddress>> Resolve(const std::string& name, Deadline deadline);

 private:
  struct Query {
    std::string name;
    Result<std::vector<std::string>> answer = Code::kInternal;
    bool is_done = false;     // reactor's thread
    Waiters waiters;          // reactor's thread
  };
  // What the threads share; outlives the engine while one of them is in a lookup.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::shared_ptr<Query>> queue;
    Reactor* reactor;         // null after the end
    Lookup lookup;
    size_t threads = 0, idle = 0;
  };
  static void Work(const std::shared_ptr<Shared>& shared);

  Reactor& reactor_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace paddock::egress
