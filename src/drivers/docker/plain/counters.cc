#include "drivers/docker/plain/counters.h"

#include <charconv>

namespace paddock::docker {
namespace {

std::optional<uint64_t> CountOf(std::string_view text) {
  uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && (parsed.ptr == text.data() + text.size() || *parsed.ptr == '\n') ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<uint64_t> CountNamed(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ') return CountOf(line.substr(name.size() + 1));
  }
  return std::nullopt;
}

Result<Counters> ReadCounters(Inside& inside) {
  const auto show = [&](const char* path) -> Result<std::string> {
    auto text = inside.Show(std::string("/sys/fs/cgroup/") + path);
    if (!text && text.error().code == Code::kNoEntry) return std::string();
    return text;
  };
  Counters counters;
  PADDOCK_ASSIGN(const std::string events, show("memory.events"));
  if (!events.empty()) {   // version 2
    counters.oom_kills = CountNamed(events, "oom_kill");
    PADDOCK_ASSIGN(const std::string pids, show("pids.events"));
    counters.forks_refused = CountNamed(pids, "max");
    PADDOCK_ASSIGN(const std::string cpu, show("cpu.stat"));
    if (const auto microseconds = CountNamed(cpu, "usage_usec")) counters.cpu_nanoseconds = *microseconds * 1000;
    PADDOCK_ASSIGN(const std::string memory, show("memory.current"));
    counters.memory_bytes = CountOf(memory);
    PADDOCK_ASSIGN(const std::string peak, show("memory.peak"));
    counters.memory_peak_bytes = CountOf(peak);
    return counters;
  }
  PADDOCK_ASSIGN(const std::string control, show("memory/memory.oom_control"));
  counters.oom_kills = CountNamed(control, "oom_kill");
  PADDOCK_ASSIGN(const std::string pids, show("pids/pids.events"));
  counters.forks_refused = CountNamed(pids, "max");
  PADDOCK_ASSIGN(const std::string cpu, show("cpuacct/cpuacct.usage"));
  counters.cpu_nanoseconds = CountOf(cpu);
  PADDOCK_ASSIGN(const std::string memory, show("memory/memory.usage_in_bytes"));
  counters.memory_bytes = CountOf(memory);
  PADDOCK_ASSIGN(const std::string peak, show("memory/memory.max_usage_in_bytes"));
  counters.memory_peak_bytes = CountOf(peak);
  return counters;
}

CounterWarden::CounterWarden(std::shared_ptr<Inside> inside) : inside_(std::move(inside)), before_(Now()) {}

Counters CounterWarden::Now() const {
  const auto counters = ReadCounters(*inside_);
  return counters ? *counters : Counters();
}

std::optional<uint64_t> CounterWarden::MemoryExhausted() {
  const Counters now = Now();
  return now.oom_kills.value_or(0) > before_.oom_kills.value_or(0) ? std::optional(now.memory_peak_bytes.value_or(0)) : std::nullopt;
}

bool CounterWarden::RefusedForks() { return Now().forks_refused.value_or(0) > before_.forks_refused.value_or(0); }

}  // namespace paddock::docker
