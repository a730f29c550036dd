#include "base/budget.h"

#include <algorithm>

#include "base/fiber.h"
#include "base/memory_meter.h"

namespace paddock {
namespace {

constexpr size_t kStackReserve = 48 << 10;

}  // namespace

const char* LimitName(LimitKind kind) {
  switch (kind) {
    case LimitKind::kNone: return "none";
    case LimitKind::kSteps: return "steps";
    case LimitKind::kMemory: return "memory";
    case LimitKind::kOutput: return "output";
    case LimitKind::kTime: return "time";
    case LimitKind::kCpuTime: return "cpu_time";
    case LimitKind::kDepth: return "depth";
    case LimitKind::kProcesses: return "processes";
    case LimitKind::kDisk: return "disk";
    case LimitKind::kCancelled: return "cancelled";
    case LimitKind::kDeadlock: return "deadlock";
  }
  return "none";
}

Budget::Budget(const Limits& limits, const Clock& clock)
    : memory_at_start_(MemoryMeter::LiveBytes()),
      limits_(limits),
      clock_(clock),
      deadline_(limits.time.count() > 0 ? clock.MonotonicNow() + limits.time : Nanoseconds::max()) {}

void Budget::StartClock(UsageMeter* meter) {
  has_clock_ = true;
  clock_start_ = clock_.ThreadTime();
  clock_told_ = Nanoseconds{0};
  meter_ = meter;
}

Nanoseconds Budget::StopClock() {
  const Nanoseconds used = ReadClock();
  if (meter_ != nullptr) meter_->memory_bytes.store(0, std::memory_order_relaxed);
  has_clock_ = false;
  meter_ = nullptr;
  return used;
}

Nanoseconds Budget::ReadClock() {
  if (!has_clock_) return Nanoseconds{0};
  const Nanoseconds used = clock_.ThreadTime() - clock_start_;
  if (meter_ != nullptr) meter_->cpu_nanoseconds.fetch_add((used - clock_told_).count(), std::memory_order_relaxed);
  clock_told_ = used;
  return used;
}

int64_t Budget::memory_ceiling() const {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (limits_.memory_bytes >= static_cast<uint64_t>(kMax / 2)) return kMax;
  return memory_at_start_ + static_cast<int64_t>(limits_.memory_bytes);
}

uint64_t Budget::steps_used() const {
  return steps_before_ + static_cast<uint64_t>(kSlice - fuel_);
}

void Budget::ChargeOutput(uint64_t bytes) {
  output_used_ += bytes;
  if (output_used_ > limits_.output_bytes) Stop(LimitKind::kOutput);
}

void Budget::WillAllocate(uint64_t bytes) {
  const int64_t live = MemoryMeter::LiveBytes() - memory_at_start_;
  const uint64_t used = live > 0 ? static_cast<uint64_t>(live) : 0;
  if (bytes > limits_.memory_bytes || used > limits_.memory_bytes - bytes) Stop(LimitKind::kMemory);
}

void Budget::CheckStack() const {
  if (Scheduler::StackLeft() < kStackReserve) [[unlikely]] {
    const_cast<Budget*>(this)->Stop(LimitKind::kDepth);
  }
}

void Budget::Record(LimitKind kind) {
  if (stopped_by_ == LimitKind::kNone) stopped_by_ = kind;
}

void Budget::Stop(LimitKind kind) {
  Record(kind);
  throw Termination{Termination::Cause::kLimit, stopped_by_, 0, nullptr};
}

void Budget::CheckNow() {
  if (stopped_by_ != LimitKind::kNone) Stop(stopped_by_);
  if (is_cancelled()) Stop(LimitKind::kCancelled);
  if (deadline_ != Nanoseconds::max() && clock_.MonotonicNow() >= deadline_) Stop(LimitKind::kTime);
  if (has_clock_) {
    const Nanoseconds used = ReadClock();
    if (limits_.cpu_time.count() > 0 && used >= limits_.cpu_time) Stop(LimitKind::kCpuTime);
  }
  const int64_t live = MemoryMeter::LiveBytes() - memory_at_start_;
  if (meter_ != nullptr) meter_->memory_bytes.store(live > 0 ? static_cast<uint64_t>(live) : 0, std::memory_order_relaxed);
  if (live > 0) {
    peak_memory_ = std::max(peak_memory_, static_cast<uint64_t>(live));
    if (static_cast<uint64_t>(live) > limits_.memory_bytes) Stop(LimitKind::kMemory);
  }
}

void Budget::Refill() {
  steps_before_ += static_cast<uint64_t>(kSlice - fuel_);
  fuel_ = kSlice;
  if (steps_before_ > limits_.steps) Stop(LimitKind::kSteps);
  CheckNow();
  if (on_tick_) on_tick_();
}

}  // namespace paddock
