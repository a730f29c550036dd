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

// The first of these files of the agent's own group that is there, where that is what /sys/fs/cgroup shows.
std::string ReadFirst(const char* v2, const char* v1) {
  std::string text = ReadSmall((std::string("/sys/fs/cgroup/") + v2).c_str());
  return text.empty() && v1 != nullptr ? ReadSmall((std::string("/sys/fs/cgroup/") + v1).c_str()) : text;
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

// Adds the sum of the numbers behind each of these labels, of which a file has one or the other kind; zero where nothing was counted yet.
void AddAll(std::vector<UsageValue>& values, const char* name, const std::string& text, std::initializer_list<std::string_view> labels) {
  uint64_t sum = 0;
  for (const std::string_view label : labels) {
    for (size_t at = text.find(label); at != std::string::npos; at = text.find(label, at + label.size())) {
      uint64_t value = 0;
      const char* const digits = text.data() + at + label.size();
      if (std::from_chars(digits, text.data() + text.size(), value).ec == std::errc()) sum += value;
    }
  }
  values.push_back({name, sum});
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
  // The second one of each is v1's.
  Add(values, "cgroup.memory_bytes", ReadFirst("memory.current", "memory/memory.usage_in_bytes"), "");
  Add(values, "cgroup.memory_peak_bytes", ReadFirst("memory.peak", "memory/memory.max_usage_in_bytes"), "");
  Add(values, "cgroup.oom_kills", ReadFirst("memory.events", "memory/memory.oom_control"), "oom_kill ");
  const std::string processor = ReadFirst("cpu.stat", nullptr);
  if (processor.find("usage_usec") != std::string::npos) Add(values, "cgroup.cpu_ns", processor, "usage_usec", 1000);
  else Add(values, "cgroup.cpu_ns", ReadFirst("cpuacct/cpuacct.usage", "cpu,cpuacct/cpuacct.usage"), "");
  const std::string disk = ReadFirst("io.stat", "blkio/blkio.throttle.io_service_bytes");
  AddAll(values, "cgroup.disk_read_bytes", disk, {"rbytes=", " Read "});
  AddAll(values, "cgroup.disk_written_bytes", disk, {"wbytes=", " Write "});
  Add(values, "cgroup.processes", ReadFirst("pids.current", "pids/pids.current"), "");
  Add(values, "cgroup.forks_refused", ReadFirst("pids.events", "pids/pids.events"), "max ");
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  values.push_back({"uptime_ms", static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000});
  return values;
}

}  // namespace paddock::guest
