// Budget: what one exec may still use, and the one place where running code notices that it must stop.
//
// Every loop over input calls Step(). The counter runs out every few thousand steps; then the deadline,
// the memory in use and cancellation are looked at and other fibers get their turn. A limit that is
// reached is recorded (the first one stays) and throws Termination, which ends every process of the exec.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/clock.h"
#include "base/termination.h"

namespace paddock {

inline constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// Declared limits of one exec. kUnlimited (or zero for the time) means none.
struct Limits {
  uint64_t steps = kUnlimited;                    // about 10–50 ns of work each
  uint64_t memory_bytes = 1024ull << 20;          // heap held by the exec beyond its start
  uint64_t output_bytes = 256ull << 20;           // stdout and stderr together
  uint64_t processes = 1024;                      // live virtual processes
  Nanoseconds time{0};                            // wall clock
  Nanoseconds cpu_time{0};                        // processor time of the exec's thread
};

// What execs have used so far, for whoever looks from another thread: as of their last look at the limits.
struct UsageMeter {
  std::atomic<int64_t> cpu_nanoseconds{0};     // of all execs together
  std::atomic<uint64_t> memory_bytes{0};       // held by the one that runs; 0 between execs
};

class Budget {
 public:
  Budget(const Limits& limits, const Clock& clock);
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // From here on the calling thread's processor time is the exec's, and goes to `meter` (which outlives the budget; null: nowhere).
  void StartClock(UsageMeter* meter);
  // Takes the last readings; the processor time since StartClock().
  Nanoseconds StopClock();

  // Charges `n` steps of work (n ≥ 0): one for a line, a command or a loop turn, more for bytes
  // (about one for 32). May switch fibers; throws Termination when the exec or the process must end.
  void Step(int64_t n = 1) {
    fuel_ -= n;
    if (fuel_ <= 0) [[unlikely]] Refill();
  }

  // Charges bytes that leave the sandbox through stdout or stderr.
  void ChargeOutput(uint64_t bytes);

  // Throws Termination(kMemory) if `bytes` more heap would pass the limit; call before one large
  // allocation whose size comes from inside the sandbox (repeat counts, widths, powers of two).
  void WillAllocate(uint64_t bytes);

  // Throws Termination(kDepth) when less than a safe rest of the current fiber's stack is left.
  // Recursive code (parsers, evaluators, function calls) calls it at each level.
  void CheckStack() const;

  // Records the limit as the reason, unless one was recorded before. Running code sees it at its next
  // Step(); for use outside the exec's fibers.
  void Record(LimitKind kind);

  // Records the limit and throws Termination.
  [[noreturn]] void Stop(LimitKind kind);

  // Asks the exec to stop; callable from any thread and idempotent. Wakes nobody by itself.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  // Throws if the deadline has passed, the exec is cancelled or a limit was recorded before.
  void CheckNow();

  // The first limit that was reached, or kNone.
  LimitKind stopped_by() const { return stopped_by_; }

  // When the exec must end, on the monotonic clock; Nanoseconds::max() if never.
  Nanoseconds deadline() const { return deadline_; }
  const Limits& limits() const { return limits_; }
  const Clock& clock() const { return clock_; }
  bool is_cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  uint64_t steps_used() const;
  uint64_t output_used() const { return output_used_; }
  // MemoryMeter::LiveBytes() may not pass this.
  int64_t memory_ceiling() const;
  // Set to 0, it makes the next Step() look at the limits.
  int64_t* fuel() { return &fuel_; }
  uint64_t peak_memory_bytes() const { return peak_memory_; }

  // Called at every refill, after the limits were looked at: lets other fibers run, delivers signals.
  void set_on_tick(std::function<void()> on_tick) { on_tick_ = std::move(on_tick); }

 private:
  void Refill();
  // Reads the thread's time; what it has used since StartClock().
  Nanoseconds ReadClock();

  static constexpr int64_t kSlice = 8192;
  int64_t fuel_ = kSlice;
  uint64_t steps_before_ = 0;
  uint64_t output_used_ = 0;
  uint64_t peak_memory_ = 0;
  int64_t memory_at_start_;
  Limits limits_;
  const Clock& clock_;
  Nanoseconds deadline_;
  bool has_clock_ = false;
  Nanoseconds clock_start_{0};        // of the thread's time
  Nanoseconds clock_told_{0};         // to the meter
  UsageMeter* meter_ = nullptr;
  LimitKind stopped_by_ = LimitKind::kNone;
  std::atomic<bool> cancelled_{false};
  std::function<void()> on_tick_;
};

}  // namespace paddock
