// Fibers: stackful coroutines on one thread, and the scheduler that runs them in turn.
//
// The stages of a pipeline, background jobs and process substitutions are fibers of the exec's thread.
// Nothing runs in parallel, so nothing needs a lock; a fiber gives way only where it blocks or at a
// budget tick, in first-in-first-out order, so a run is deterministic up to time. Stacks are reserved
// lazily by the kernel, guarded, and reused within a thread.
//
// Not thread-safe except where said. A Scheduler belongs to the thread that runs it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <queue>
#include <vector>

#include "base/clock.h"

namespace paddock {

class Scheduler;

// One coroutine. Owned by the scheduler; others hold plain pointers only while it is known to live.
class Fiber {
 public:
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Whatever the layer above runs on this fiber (proc keeps the current process here), and what it
  // wants called each time the fiber continues after Park() or Yield(). `on_wake` may throw Termination.
  void* local = nullptr;
  void (*on_wake)(void* local) = nullptr;

 private:
  friend class Scheduler;
  struct Stack;
  Fiber() = default;

  std::unique_ptr<Stack> stack_;
  std::function<void()> body_;
  const char* stack_low_ = nullptr;
  const char* deepest_ = nullptr;
  uint64_t wake_generation_ = 0;
  bool is_parked_ = false;
  bool is_done_ = false;
  bool was_timed_out_ = false;
  bool has_timers_ = false;
};

// Waits outside: how the scheduler sleeps when every fiber is parked. An implementation may end early.
class IdleWaiter {
 public:
  virtual ~IdleWaiter() = default;
  // Sleeps until `until` (monotonic; max() means without end), until Interrupt() or until an outside
  // source that it knows about is ready (whose parked fibers it then unparks).
  virtual void Wait(Nanoseconds until) = 0;
  // Ends a Wait() in progress or the next one. Safe from any thread.
  virtual void Interrupt() = 0;
  // True when something outside may still unpark a fiber (a terminal, a socket, another thread).
  virtual bool HasSources() const = 0;
};

class Scheduler {
 public:
  explicit Scheduler(const Clock& clock, IdleWaiter* waiter = nullptr);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Makes a fiber that will run `body` after those already ready. `body` must not throw.
  Fiber* Spawn(std::function<void()> body);

  // Runs fibers until `is_finished` answers true (asked between switches) or nothing can ever run again.
  // Returns false in the second case: every fiber is parked, no timer is set and no outside source is
  // left. Called from outside any fiber.
  bool RunUntil(const std::function<bool()>& is_finished);

  // The rest is called from a fiber.

  // Lets the other ready fibers run first.
  void Yield();
  // True when another fiber is ready or a timer is due, so that Yield() would do something.
  bool HasOtherWork() const;
  // Suspends the current fiber until Unpark(). Returns false when `until` passed first.
  // Spurious returns are possible; callers loop on their condition.
  bool Park(Nanoseconds until = Nanoseconds::max());
  // Makes a parked fiber ready; does nothing for one that is not parked.
  void Unpark(Fiber* fiber);

  Fiber* current() const { return current_; }
  const Clock& clock() const { return clock_; }
  // Numbers for what the fibers share (pipes), from 1.
  uint64_t NextNumber() { return ++last_number_; }
  void set_waiter(IdleWaiter* waiter) { waiter_ = waiter; }
  size_t fiber_count() const { return fibers_.size(); }

  // Bytes left on the current fiber's stack; a large number outside fibers.
  static size_t StackLeft();

 private:
  struct Timer {
    Nanoseconds at;
    uint64_t sequence;
    Fiber* fiber;
    uint64_t generation;
    bool operator>(const Timer& other) const {
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };
  void SwitchTo(Fiber* fiber);
  void SwitchOut();
  void FireTimers();
  void DropStaleTimers();
  void Remove(Fiber* fiber);

  const Clock& clock_;
  IdleWaiter* waiter_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::deque<Fiber*> ready_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  uint64_t timer_sequence_ = 0;
  uint64_t last_number_ = 0;
  Fiber* current_ = nullptr;
};

}  // namespace paddock
