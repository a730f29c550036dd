#include "registry/entry/ledger.h"

#include <algorithm>

namespace paddock::registry {
namespace {

constexpr uint64_t kKib = 1024;

uint64_t Times(uint64_t amount, Duration time) {
  const auto milliseconds = static_cast<uint64_t>(time.count());
  uint64_t product = 0;
  return __builtin_mul_overflow(amount, milliseconds, &product) ? UINT64_MAX : product;
}

// What a living sandbox counts from its beginning.
struct ByteCount {
  std::optional<uint64_t> sandbox::Measured::* measured;
  std::optional<uint64_t> UsageAmounts::* amount;
};
constexpr ByteCount kByteCounts[] = {
    {&sandbox::Measured::network_in_bytes, &UsageAmounts::network_in_bytes},
    {&sandbox::Measured::network_out_bytes, &UsageAmounts::network_out_bytes},
    {&sandbox::Measured::disk_read_bytes, &UsageAmounts::disk_read_bytes},
    {&sandbox::Measured::disk_written_bytes, &UsageAmounts::disk_written_bytes},
};

}  // namespace

Ledger::Ledger(const SandboxInfo& info, std::optional<Past> past)
    : past_(std::move(past)),
      reserved_memory_kib_(info.request.limits.memory_bytes.value_or(0) / kKib),
      reserved_cores_(info.request.limits.cpus.value_or(1)),
      is_alive_(info.state == SandboxState::kRunning) {
  current_.sandbox = info.id;
  current_.owner = info.owner;
  current_.name = info.request.name;
  current_.isolation = info.request.isolation;
  current_.labels = info.request.labels;
  current_.from = current_.until = info.created;
}

void Ledger::Remember() {
  if (!past_) return;
  const Past past = std::move(*past_);
  past_.reset();
  if (const auto newest = past.newest()) {
    current_.from = current_.until = newest->until;
    current_.disk_bytes = newest->disk_bytes;
    has_disk_ = newest->amounts.disk_kib_ms.has_value();
  }
  // It lived as long as the daemon did; while there was none only its files were there.
  Advance(past.last_seen);
  Close();
  const bool is_alive = std::exchange(is_alive_, false);
  Advance(past.began);
  Close();
  is_alive_ = is_alive;
}

void Ledger::Advance(Time now) {
  while (current_.until < now) {
    Time end = now;
    if (!current_.is_even) end = std::min(end, NextHour(current_.from));
    const Duration time = end - current_.until;
    UsageAmounts& amounts = current_.amounts;
    if (is_alive_) {
      AddTo(amounts.alive_ms, Times(1, time));
      if (reserved_memory_kib_ > 0) AddTo(amounts.reserved_memory_kib_ms, Times(reserved_memory_kib_, time));
      AddTo(amounts.reserved_cpu_ns, static_cast<uint64_t>(reserved_cores_ * 1e6) * static_cast<uint64_t>(time.count()));
    }
    if (running_ > 0) AddTo(amounts.active_ms, Times(1, time));
    if (running_ > 0 && has_memory_) AddTo(amounts.memory_kib_ms, Times(memory_kib_, time));
    if (has_disk_) AddTo(amounts.disk_kib_ms, Times((current_.disk_bytes + kKib - 1) / kKib, time));
    current_.until = end;
    if (!current_.is_even && end == NextHour(current_.from)) {
      Close();
      current_.is_even = running_ == 0;
    }
  }
}

void Ledger::Close() {
  if (current_.until == current_.from) return;   // the next one goes on with it
  closed_.push_back(current_);
  is_dirty_ = true;
  current_.from = current_.until;
  current_.is_even = true;
  current_.amounts = {};
}

void Ledger::BecomeUneven(Time now) {
  Remember();
  Advance(now);
  if (current_.is_even) Close();
  current_.is_even = false;
  is_dirty_ = true;
}

void Ledger::SetAlive(bool is_alive, Time now) {
  const std::lock_guard lock(mutex_);
  if (is_alive == is_alive_) return;
  Remember();
  Advance(now);
  if (current_.is_even) Close();
  is_alive_ = is_alive;
}

void Ledger::SetLabels(const Labels& labels) {
  const std::lock_guard lock(mutex_);
  Remember();
  current_.labels = labels;
}

void Ledger::BeginLive(const sandbox::Measured& measured) {
  const std::lock_guard lock(mutex_);
  cpu_told_ = measured.cpu ? static_cast<uint64_t>(measured.cpu->count()) : 0;
  bytes_told_ = measured;
  memory_kib_ = 0;
}

bool Ledger::HasMoreBytes(const sandbox::Measured& measured) const {
  return std::any_of(std::begin(kByteCounts), std::end(kByteCounts), [&](const ByteCount& one) {
    return (measured.*one.measured).value_or(0) > (bytes_told_.*one.measured).value_or(0);
  });
}

void Ledger::Take(const sandbox::Measured& measured) {
  if (measured.cpu) {
    const auto cpu = static_cast<uint64_t>(std::max(measured.cpu->count(), int64_t{0}));
    AddTo(current_.amounts.cpu_ns, cpu - std::min(cpu, cpu_told_));
    cpu_told_ = std::max(cpu_told_, cpu);
  }
  for (const ByteCount& one : kByteCounts) {
    if (!(measured.*one.measured)) continue;
    const uint64_t before = (bytes_told_.*one.measured).value_or(0), now = std::max(*(measured.*one.measured), before);
    AddTo(current_.amounts.*one.amount, now - before);
    bytes_told_.*one.measured = now;
  }
  if (measured.memory_bytes) {
    has_memory_ = true;
    memory_kib_ = *measured.memory_bytes / kKib;
  }
  if (measured.disk_bytes) {
    has_disk_ = true;
    current_.disk_bytes = *measured.disk_bytes;
  }
}

void Ledger::ExecBegan(Time now) {
  const std::lock_guard lock(mutex_);
  BecomeUneven(now);
  running_count_ = ++running_;
}

void Ledger::ExecEnded(const sandbox::ExecResult& result, const sandbox::Measured& measured, Time now) {
  const std::lock_guard lock(mutex_);
  if (result.usage.peak_memory_bytes > 0) {
    has_memory_ = true;
    memory_kib_ = std::max(memory_kib_, result.usage.peak_memory_bytes / kKib);
  }
  BecomeUneven(now);
  running_count_ = --running_;
  AddTo(current_.amounts.execs, 1);
  AddTo(current_.amounts.output_bytes, result.usage.output_bytes);
  Take(measured);
  if (running_ == 0) memory_kib_ = 0;
}

void Ledger::Sample(const sandbox::Measured& measured, Time now) {
  const std::lock_guard lock(mutex_);
  if (measured.memory_bytes) {
    has_memory_ = true;
    memory_kib_ = std::max(memory_kib_, *measured.memory_bytes / kKib);
  }
  const bool has_changed = running_ > 0 || (measured.disk_bytes && (!has_disk_ || *measured.disk_bytes != current_.disk_bytes)) ||
                           (measured.cpu && static_cast<uint64_t>(measured.cpu->count()) > cpu_told_) || HasMoreBytes(measured);
  if (!has_changed) return;
  BecomeUneven(now);
  Take(measured);
}

void Ledger::Transferred(uint64_t up, uint64_t down, Time now) {
  const std::lock_guard lock(mutex_);
  BecomeUneven(now);
  if (up > 0) AddTo(current_.amounts.upload_bytes, up);
  if (down > 0) AddTo(current_.amounts.download_bytes, down);
}

std::vector<UsageStretch> Ledger::Unwritten(bool closes, Time now) {
  const std::lock_guard lock(mutex_);
  Remember();
  Advance(now);
  if (closes) Close();
  is_dirty_ = false;
  std::vector<UsageStretch> stretches = closed_;
  if (!current_.is_even) stretches.push_back(current_);
  return stretches;
}

void Ledger::Written(const std::vector<UsageStretch>& stretches) {
  const std::lock_guard lock(mutex_);
  std::erase_if(closed_, [&](const UsageStretch& closed) {
    return std::any_of(stretches.begin(), stretches.end(), [&](const UsageStretch& one) { return one.from == closed.from && one.until == closed.until; });
  });
  if (!closed_.empty()) is_dirty_ = true;
}

std::vector<UsageStretch> Ledger::Newest(Time now) {
  const std::lock_guard lock(mutex_);
  Remember();
  Advance(now);
  std::vector<UsageStretch> stretches = closed_;
  stretches.push_back(current_);
  return stretches;
}

}  // namespace paddock::registry
