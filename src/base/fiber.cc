#include "base/fiber.h"

#include <sys/mman.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <memory>

#include "base/check.h"

#ifdef PADDOCK_SANITIZE
#include <sanitizer/common_interface_defs.h>
#endif

namespace paddock {
namespace {

constexpr size_t kStackBytes = 16 << 20;  // reserved, not committed: pages appear when touched
constexpr size_t kGuardBytes = 64 << 10;
constexpr size_t kKeptStacks = 64;
constexpr size_t kKeptResident = 256 << 10;  // what a parked stack may keep committed

// The low end of the stack in use on this thread, null outside fibers.
thread_local const char* current_stack_low = nullptr;
// The deepest place seen on the stack in use, by those who asked for StackLeft().
thread_local const char* current_deepest = nullptr;

// Free stacks of the thread.
struct StackPool {
  std::vector<char*> free;
  ~StackPool() {
    for (char* base : free) munmap(base, kStackBytes);
  }
};
thread_local StackPool stack_pool;

char* TakeStack() {
  if (!stack_pool.free.empty()) {
    char* base = stack_pool.free.back();
    stack_pool.free.pop_back();
    return base;
  }
  void* base = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  PADDOCK_CHECK(base != MAP_FAILED);
  PADDOCK_CHECK(mprotect(base, kGuardBytes, PROT_NONE) == 0);
  return static_cast<char*>(base);
}

void ReturnStack(char* base) {
  if (stack_pool.free.size() >= kKeptStacks) {
    munmap(base, kStackBytes);
    return;
  }
  stack_pool.free.push_back(base);
}

// Gives the pages that a deep recursion committed back to the system.
void TrimStack(char* base, const char* deepest) {
  const char* keep_from = base + kStackBytes - kKeptResident;
  if (deepest >= keep_from) return;
  char* low = base + kGuardBytes;
  madvise(low, static_cast<size_t>(keep_from - low), MADV_DONTNEED);
}

// Boost.Context's allocator concept over the pool.
struct PooledStack {
  using traits_type = boost::context::stack_traits;
  char* base;
  boost::context::stack_context allocate() {
    boost::context::stack_context context;
    context.size = kStackBytes;
    context.sp = base + kStackBytes;
    return context;
  }
  void deallocate(boost::context::stack_context&) {}
};

// Tells AddressSanitizer which stack comes next; without it a throw on a fiber looks like an overflow.
// A leave without `kept` is the last one of its stack.
void LeaveStack([[maybe_unused]] void** kept, [[maybe_unused]] const void* next,
                [[maybe_unused]] size_t size) {
#ifdef PADDOCK_SANITIZE
  __sanitizer_start_switch_fiber(kept, next, size);
#endif
}
void EnterStack([[maybe_unused]] void* kept, [[maybe_unused]] const void** previous,
                [[maybe_unused]] size_t* size) {
#ifdef PADDOCK_SANITIZE
  __sanitizer_finish_switch_fiber(kept, previous, size);
#endif
}

}  // namespace

struct Fiber::Stack {
  char* base = TakeStack();
  boost::context::fiber inside;   // where the fiber continues when it is resumed
  boost::context::fiber outside;  // where the scheduler continues when the fiber gives way
  const void* outer_base = nullptr;   // the stack that the scheduler runs on
  size_t outer_size = 0;
  ~Stack() { ReturnStack(base); }
};

Fiber::~Fiber() = default;

Scheduler::Scheduler(const Clock& clock, IdleWaiter* waiter) : clock_(clock), waiter_(waiter) {}

Scheduler::~Scheduler() {
  // Whoever owns the fibers' work has ended it (proc terminates its processes); a fiber left here
  // would leak what its stack holds.
  PADDOCK_CHECK(fibers_.empty());
}

Fiber* Scheduler::Spawn(std::function<void()> body) {
  std::unique_ptr<Fiber> fiber(new Fiber());  // allow(raw-new): private constructor
  fiber->stack_ = std::make_unique<Fiber::Stack>();
  fiber->body_ = std::move(body);
  fiber->stack_low_ = fiber->stack_->base + kGuardBytes;
  fiber->deepest_ = fiber->stack_->base + kStackBytes;
  Fiber* raw = fiber.get();
  fiber->stack_->inside = boost::context::fiber(
      std::allocator_arg, PooledStack{fiber->stack_->base}, [raw](boost::context::fiber&& outside) {
        Fiber::Stack& stack = *raw->stack_;
        EnterStack(nullptr, &stack.outer_base, &stack.outer_size);
        stack.outside = std::move(outside);
        raw->body_();
        raw->is_done_ = true;
        LeaveStack(nullptr, stack.outer_base, stack.outer_size);
        return std::move(raw->stack_->outside);
      });
  fibers_.push_back(std::move(fiber));
  ready_.push_back(raw);
  return raw;
}

void Scheduler::SwitchTo(Fiber* fiber) {
  current_ = fiber;
  const char* outer_low = current_stack_low;
  const char* outer_deepest = current_deepest;
  current_stack_low = fiber->stack_low_;
  current_deepest = fiber->deepest_;
  void* kept = nullptr;
  LeaveStack(&kept, fiber->stack_->base, kStackBytes);
  fiber->stack_->inside = std::move(fiber->stack_->inside).resume();
  EnterStack(kept, nullptr, nullptr);
  fiber->deepest_ = current_deepest;
  current_stack_low = outer_low;
  current_deepest = outer_deepest;
  current_ = nullptr;
  if (fiber->is_done_) Remove(fiber);
}

void Scheduler::SwitchOut() {
  Fiber* self = current_;
  Fiber::Stack& stack = *self->stack_;
  void* kept = nullptr;
  LeaveStack(&kept, stack.outer_base, stack.outer_size);
  stack.outside = std::move(stack.outside).resume();
  EnterStack(kept, &stack.outer_base, &stack.outer_size);
  if (self->on_wake != nullptr) self->on_wake(self->local);
}

void Scheduler::Remove(Fiber* fiber) {
  TrimStack(fiber->stack_->base, fiber->deepest_);
  auto it = std::find_if(fibers_.begin(), fibers_.end(),
                         [fiber](const auto& owned) { return owned.get() == fiber; });
  PADDOCK_CHECK(it != fibers_.end());
  std::swap(*it, fibers_.back());
  // Timers of the dead fiber must not meet a new one at the same address.
  if (fiber->has_timers_ && !timers_.empty()) {
    std::vector<Timer> kept;
    for (; !timers_.empty(); timers_.pop()) {
      if (timers_.top().fiber != fiber) kept.push_back(timers_.top());
    }
    for (const Timer& timer : kept) timers_.push(timer);
  }
  fibers_.pop_back();
}

void Scheduler::FireTimers() {
  if (timers_.empty()) return;
  const Nanoseconds now = clock_.MonotonicNow();
  while (!timers_.empty() && timers_.top().at <= now) {
    const Timer timer = timers_.top();
    timers_.pop();
    if (timer.fiber->is_parked_ && timer.fiber->wake_generation_ == timer.generation) {
      timer.fiber->was_timed_out_ = true;
      Unpark(timer.fiber);
    }
  }
}

void Scheduler::DropStaleTimers() {
  while (!timers_.empty()) {
    const Timer& timer = timers_.top();
    if (timer.fiber->is_parked_ && timer.fiber->wake_generation_ == timer.generation) return;
    timers_.pop();
  }
}

bool Scheduler::RunUntil(const std::function<bool()>& is_finished) {
  PADDOCK_CHECK(current_ == nullptr);
  while (!is_finished()) {
    FireTimers();
    if (!ready_.empty()) {
      Fiber* next = ready_.front();
      ready_.pop_front();
      SwitchTo(next);
      continue;
    }
    DropStaleTimers();
    const bool has_timer = !timers_.empty();
    const bool has_sources = waiter_ != nullptr && waiter_->HasSources();
    if (!has_timer && !has_sources) return false;
    PADDOCK_CHECK(waiter_ != nullptr);
    waiter_->Wait(has_timer ? timers_.top().at : Nanoseconds::max());
  }
  return true;
}

void Scheduler::Yield() {
  ready_.push_back(current_);
  SwitchOut();
}

bool Scheduler::HasOtherWork() const {
  return !ready_.empty() || (!timers_.empty() && timers_.top().at <= clock_.MonotonicNow());
}

bool Scheduler::Park(Nanoseconds until) {
  Fiber* self = current_;
  PADDOCK_CHECK(self != nullptr);
  self->is_parked_ = true;
  self->was_timed_out_ = false;
  ++self->wake_generation_;
  if (until != Nanoseconds::max()) {
    timers_.push(Timer{until, ++timer_sequence_, self, self->wake_generation_});
    self->has_timers_ = true;
  }
  SwitchOut();
  return !self->was_timed_out_;
}

void Scheduler::Unpark(Fiber* fiber) {
  if (!fiber->is_parked_) return;
  fiber->is_parked_ = false;
  ready_.push_back(fiber);
}

size_t Scheduler::StackLeft() {
  if (current_stack_low == nullptr) return std::numeric_limits<size_t>::max();
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  if (here < current_deepest) current_deepest = here;
  return here > current_stack_low ? static_cast<size_t>(here - current_stack_low) : 0;
}

}  // namespace paddock
