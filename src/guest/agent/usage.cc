#include "guest/agent/usage.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <ctime>
#include <string>

#include "base/descriptor.h"

namespace paddock::guest {
namespace {

std::string ReadSmall(const char* path) {
  const Descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  char text[4096];
  const ssize_t size = file ? read(file.get(), text, sizeof text) : 0;
  return std::string(text, static_cast<size_t>(size > 0 ? size : 0));
}

// Adds the number behind `label` in `text` (at its start if there is none), times `unit`.
void Add(std::vector<UsageValue>& values, const char* name, const std::string& text, std::string_view label, uint64_t unit = 1) {
  const size_t at = text.find(label);
  if (at == std::string::npos) return;
  const size_t digits = text.find_first_of("0123456789", at + label.size());
  if (digits == std::string::npos) return;
  uint64_t value = 0;
  if (std::from_chars(text.data() + digits, text.data() + text.size(), value).ec == std::errc()) values.push_back({name, value * unit});
}

}  // namespace

std::vector<UsageValue> MeasureUsage() {
  std::vector<UsageValue> values;
  rusage children{};
  if (getrusage(RUSAGE_CHILDREN, &children) == 0) {
    const auto microseconds = [](const timeval& time) {
      return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
    };
    values.push_back({"children.user_us", microseconds(children.ru_utime)});
    values.push_back({"children.system_us", microseconds(children.ru_stime)});
    values.push_back({"children.max_resident_bytes", static_cast<uint64_t>(children.ru_maxrss) * 1024});
  }
  const std::string memory = ReadSmall("/proc/meminfo");
  Add(values, "memory.total_bytes", memory, "MemTotal:", 1024);
  Add(values, "memory.available_bytes", memory, "MemAvailable:", 1024);
  Add(values, "cgroup.memory_bytes", ReadSmall("/sys/fs/cgroup/memory.current"), "");
  Add(values, "cgroup.memory_peak_bytes", ReadSmall("/sys/fs/cgroup/memory.peak"), "");
  Add(values, "cgroup.cpu_us", ReadSmall("/sys/fs/cgroup/cpu.stat"), "usage_usec");
  Add(values, "cgroup.processes", ReadSmall("/sys/fs/cgroup/pids.current"), "");
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  values.push_back({"uptime_ms", static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000});
  return values;
}

}  // namespace paddock::guest
