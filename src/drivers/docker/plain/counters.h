// Counters: what a container's control group counts, as its init reads it inside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "drivers/docker/plain/inside.h"
#include "guest/sandbox/exec_warden.h"

namespace paddock::docker {

// What is not set is not told here.
struct Counters {
  std::optional<uint64_t> oom_kills, forks_refused, cpu_nanoseconds, memory_bytes, memory_peak_bytes;
};

// Of both versions of control groups. Errors: those of Inside; what cannot be read is none.
Result<Counters> ReadCounters(Inside& inside);

// The number behind "NAME " at the beginning of a line.
std::optional<uint64_t> CountNamed(std::string_view text, std::string_view name);

class CounterWarden final : public guest::ExecWarden {
 public:
  explicit CounterWarden(std::shared_ptr<Inside> inside);
  std::optional<uint64_t> MemoryExhausted() override;
  bool RefusedForks() override;

 private:
  Counters Now() const;
  const std::shared_ptr<Inside> inside_;
  const Counters before_;
};

}  // namespace paddock::docker
