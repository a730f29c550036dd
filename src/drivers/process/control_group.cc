#include "drivers/process/control_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>
#include <utility>

#include "base/descriptor.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {
namespace {

bool WriteFile(const std::string& path, const std::string& text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string ReadSmallFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer{};
  const ssize_t got = file.is_open() ? read(file.get(), buffer.data(), buffer.size()) : -1;
  return got > 0 ? std::string(buffer.data(), static_cast<size_t>(got)) : std::string();
}

uint64_t ParseNumber(std::string_view text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The number behind `key` in a "key value" file.
uint64_t ReadKey(const std::string& path, std::string_view key) {
  std::istringstream lines(ReadSmallFile(path));
  std::string name, value;
  while (lines >> name >> value) {
    if (name == key) return ParseNumber(value);
  }
  return 0;
}

bool HasWord(const std::string& list, const std::string& word, char separator) {
  std::istringstream words(list);
  std::string item;
  while (std::getline(words, item, separator)) {
    while (!item.empty() && (item.back() == '\n' || item.back() == ' ')) item.pop_back();
    if (item == word) return true;
  }
  return false;
}

std::string Because(const std::string& what, const std::string& why) { return what + " is not limited by a cgroup: " + why; }

}  // namespace

ControlGroup ControlGroup::Prepare(const std::vector<CgroupTree>& trees, const std::string& name, const GroupLimits& limits) {
  ControlGroup group;
  group.limits_ = limits;
  if (!limits.memory_bytes && !limits.processes && !limits.cpus) return group;
  bool lacks_memory = limits.memory_bytes.has_value(), lacks_processes = limits.processes.has_value(), lacks_cpu = limits.cpus.has_value();
  for (const CgroupTree& hierarchy : trees) {
    if (hierarchy.controllers.empty()) continue;
    Place place{.directory = hierarchy.directory + "/" + name,
                .has_memory = limits.memory_bytes && HasWord(hierarchy.controllers, "memory", ','),
                .has_pids = limits.processes && HasWord(hierarchy.controllers, "pids", ','),
                .has_cpu = limits.cpus && HasWord(hierarchy.controllers, "cpu", ',')};
    if ((!place.has_memory && !place.has_pids && !place.has_cpu) || access(hierarchy.directory.c_str(), W_OK) != 0) continue;
    lacks_memory &= !place.has_memory;
    lacks_processes &= !place.has_pids;
    lacks_cpu &= !place.has_cpu;
    group.v1_places_.push_back(std::move(place));
  }
  for (const CgroupTree& hierarchy : trees) {
    if (!hierarchy.controllers.empty() || (!lacks_memory && !lacks_processes && !lacks_cpu)) continue;
    std::string available = ReadSmallFile(hierarchy.directory + "/cgroup.controllers");
    const bool is_wanted = (lacks_memory && HasWord(available, "memory", ' ')) || (lacks_processes && HasWord(available, "pids", ' ')) ||
                           (lacks_cpu && HasWord(available, "cpu", ' '));
    if (!is_wanted || access(hierarchy.directory.c_str(), W_OK) != 0) continue;
    group.v2_place_ = hierarchy.directory + "/" + name;
    group.v2_available_ = std::move(available);
  }
  return group;
}

std::vector<std::string> ControlGroup::Candidates() const {
  std::vector<std::string> directories;
  for (const Place& place : v1_places_) directories.push_back(place.directory);
  if (!v2_place_.empty()) directories.push_back(v2_place_);
  return directories;
}

void ControlGroup::Make() {
  for (const Place& place : v1_places_) MakeV1(place);
  if (!v2_place_.empty()) MakeV2();
  const std::string remedy = geteuid() == 0 ? "no such controller can be written here; mount the cgroup file system"
                                            : "no group is delegated to this user; start it with 'systemd-run --user --scope -p Delegate=yes'";
  if (limits_.memory_bytes && memory_.empty()) missing_.push_back(Because("memory", remedy + "; its processes are watched instead, ten times a second"));
  if (limits_.processes && pids_.empty()) missing_.push_back(Because("the number of processes", remedy + "; RLIMIT_NPROC holds instead"));
  if (limits_.cpus && cpu_.empty()) missing_.push_back(Because("processor time", remedy));
}

void ControlGroup::MakeV1(const Place& place) {
  const std::string& directory = place.directory;
  if (mkdir(directory.c_str(), 0755) != 0) return;
  v1_.push_back(directory);
  if (place.has_memory) {
    const std::string bytes = std::to_string(*limits_.memory_bytes);
    if (WriteFile(directory + "/memory.limit_in_bytes", bytes)) memory_ = directory;
    // Absent where swap is not accounted; then there is none to flee to, or it is the host's choice.
    WriteFile(directory + "/memory.memsw.limit_in_bytes", bytes);
  }
  if (place.has_pids && WriteFile(directory + "/pids.max", std::to_string(*limits_.processes + kOwnProcesses))) pids_ = directory;
  if (place.has_cpu) {
    constexpr double kPeriod = 100'000;
    WriteFile(directory + "/cpu.cfs_period_us", "100000");
    if (WriteFile(directory + "/cpu.cfs_quota_us", std::to_string(std::llround(std::max(*limits_.cpus * kPeriod, 1000.0))))) cpu_ = directory;
  }
}

void ControlGroup::MakeV2() {
  const std::string& directory = v2_place_;
  std::string enable;
  const auto want = [&](bool is_wanted, const std::string& controller) {
    if (is_wanted && HasWord(v2_available_, controller, ' ')) enable += (enable.empty() ? "+" : " +") + controller;
  };
  want(limits_.memory_bytes && memory_.empty(), "memory");
  want(limits_.processes && pids_.empty(), "pids");
  want(limits_.cpus && cpu_.empty(), "cpu");
  if (enable.empty()) return;
  // Done already where FindCgroups() could; again, because systemd takes away what none of its own units in a slice uses.
  WriteFile(directory.substr(0, directory.rfind('/')) + "/cgroup.subtree_control", enable);
  if (mkdir(directory.c_str(), 0755) != 0) return;
  v2_ = directory;
  if (limits_.memory_bytes && memory_.empty() && WriteFile(directory + "/memory.max", std::to_string(*limits_.memory_bytes))) {
    memory_ = directory;
    is_memory_v2_ = true;
    WriteFile(directory + "/memory.swap.max", "0");
  }
  if (limits_.processes && pids_.empty() && WriteFile(directory + "/pids.max", std::to_string(*limits_.processes + kOwnProcesses))) {
    pids_ = directory;
  }
  if (limits_.cpus && cpu_.empty() &&
      WriteFile(directory + "/cpu.max", std::to_string(std::llround(std::max(*limits_.cpus * 100'000, 1000.0))) + " 100000")) {
    cpu_ = directory;
  }
}

ControlGroup::ControlGroup(ControlGroup&& other) noexcept
    : limits_(other.limits_),
      v1_places_(std::move(other.v1_places_)),
      v2_place_(std::move(other.v2_place_)),
      v2_available_(std::move(other.v2_available_)),
      v1_(std::exchange(other.v1_, {})),
      v2_(std::exchange(other.v2_, {})),
      memory_(std::move(other.memory_)),
      pids_(std::move(other.pids_)),
      cpu_(std::move(other.cpu_)),
      is_memory_v2_(other.is_memory_v2_),
      missing_(std::move(other.missing_)),
      owns_(other.owns_) {}

ControlGroup::~ControlGroup() {
  if (!owns_) return;
  for (const std::string& directory : v1_) rmdir(directory.c_str());
  if (!v2_.empty()) rmdir(v2_.c_str());
}

uint64_t ControlGroup::OutOfMemoryKills() const {
  if (memory_.empty()) return 0;
  return ReadKey(memory_ + (is_memory_v2_ ? "/memory.events" : "/memory.oom_control"), "oom_kill");
}

uint64_t ControlGroup::PeakMemoryBytes() const {
  if (memory_.empty()) return 0;
  return ParseNumber(ReadSmallFile(memory_ + (is_memory_v2_ ? "/memory.peak" : "/memory.max_usage_in_bytes")));
}

uint64_t ControlGroup::ForksRefused() const {
  return pids_.empty() ? 0 : ReadKey(pids_ + "/pids.events", "max");
}

uint64_t ControlGroup::CpuNanoseconds() const {
  if (!v2_.empty()) return ReadKey(v2_ + "/cpu.stat", "usage_usec") * 1000;
  return 0;
}

}  // namespace paddock::process_wall
