// Reactor: the engine's thread, on which every connection is a fiber (base/fiber.h) and every wait goes through one epoll.
//
// Code on a fiber reads as if it blocked. Sockets are watched edge-triggered: try first, wait after EAGAIN. Deadlines are
// looked at a few times a second, which is enough for those of a proxy and costs nothing per wait.
//
// Everything but Post() and RequestStop() belongs to the thread that runs Run().
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <vector>

#include "base/fiber.h"
#include "base/result.h"
#include "base/descriptor.h"

namespace paddock::egress {

using Deadline = Nanoseconds;   // monotonic; max() is never
constexpr Deadline kNever = Deadline::max();

// The fibers that wait for one thing. They are woken together and look again.
using Waiters = std::vector<Fiber*>;

class Reactor : public IdleWaiter {
 public:
  static Result<std::unique_ptr<Reactor>> Make();
  ~Reactor() override;

  // A descriptor's place in the epoll. Lives as long as the descriptor is watched.
  struct Watch {
    Waiters readers, writers;
    bool is_aborted = false;   // every wait fails with kCancelled
  };
  Status Add(int fd, Watch* watch);
  void Remove(int fd);

  // Runs fibers until a stop was requested and all of them have ended.
  void Run();
  void RequestStop();
  // Has `work` run soon on the reactor's thread, outside fibers. False after the end.
  bool Post(std::function<void()> work);

  // From here on: this thread only.
  void Spawn(std::function<void()> body) { scheduler_.Spawn(std::move(body)); }
  bool is_stopping() const { return is_stopping_; }
  Deadline Now() const { return scheduler_.clock().MonotonicNow(); }
  Deadline In(Nanoseconds time) const { return Now() + time; }

  // Suspends the fiber until somebody wakes `waiters`, which may happen without a reason. Errors: kTimedOut, kCancelled.
  Status Wait(Waiters& waiters, Deadline deadline, const bool* is_cancelled = nullptr);
  void Wake(Waiters& waiters);
  // The same for two things at once.
  Status WaitEither(Waiters& first, Waiters& second, Deadline deadline);
  Status Sleep(Nanoseconds time);
  // To be called after each piece of work that did not wait: lets the others run every now and then.
  void Breathe();

  // IdleWaiter.
  void Wait(Nanoseconds until) override;
  void Interrupt() override;
  bool HasSources() const override { return true; }

 private:
  struct Pending {
    Fiber* fiber;
    Deadline deadline;
    bool is_timed_out = false;
  };
  Reactor() : scheduler_(SystemClock(), this) {}
  Status Suspend(Deadline deadline);
  void Poll(int timeout_ms);
  void RunPosted();
  void SweepDeadlines();

  Descriptor epoll_, wakeup_;
  Scheduler scheduler_;
  std::list<Pending*> pending_;
  Deadline next_sweep_ = kNever;
  unsigned breaths_ = 0;
  bool is_stopping_ = false;

  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;   // guarded by mutex_
  bool is_ended_ = false;                       // guarded by mutex_
};

// A fiber that its maker waits for.
class ChildFiber {
 public:
  ChildFiber(Reactor& reactor, std::function<void()> body);
  ~ChildFiber() { Join(); }
  ChildFiber(const ChildFiber&) = delete;
  ChildFiber& operator=(const ChildFiber&) = delete;
  // Not cancellable: whoever wants it sooner aborts what the child waits for.
  void Join();
  bool is_done() const { return is_done_; }
  Waiters& waiters() { return waiters_; }

 private:
  Reactor& reactor_;
  Waiters waiters_;
  bool is_done_ = false;
};

}  // namespace paddock::egress
