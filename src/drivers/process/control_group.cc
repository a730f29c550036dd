#include "drivers/process/control_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/descriptor.h"

namespace paddock::process_wall {
namespace {

// Below a hierarchy: where it is mounted and where this process is in it.
struct Hierarchy {
  std::string controllers;   // "memory", "cpu,cpuacct"; empty for v2
  std::string directory;     // the caller's own group
};

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

// From /proc/self/cgroup and /proc/self/mountinfo.
std::vector<Hierarchy> FindHierarchies() {
  std::vector<Hierarchy> found;
  std::ifstream groups("/proc/self/cgroup");
  std::vector<std::pair<std::string, std::string>> own;   // controllers, path
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second != std::string::npos) own.emplace_back(line.substr(first + 1, second - first - 1), line.substr(second + 1));
  }
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const size_t dash = line.find(" - cgroup");
    if (dash == std::string::npos) continue;
    std::istringstream left(line.substr(0, dash)), right(line.substr(dash + 3));
    std::string skip, root, mount_point, type, source, options;
    left >> skip >> skip >> skip >> root >> mount_point;
    right >> type >> source >> options;
    for (const auto& [controllers, path] : own) {
      const bool matches = type == "cgroup2" ? controllers.empty() : !controllers.empty() && HasWord(options, controllers.substr(0, controllers.find(',')), ',');
      if (!matches || controllers.starts_with("name=")) continue;
      std::string below = path;
      if (root != "/" && below.starts_with(root)) below = below.substr(root.size());
      found.push_back({controllers, mount_point + (below == "/" ? "" : below)});
    }
  }
  return found;
}

// Removes groups that a run left which was killed together with its guard. A live sandbox always has a process in its
// group, so an empty one that is not quite new is nobody's.
void RemoveOrphans(const std::string& directory) {
  constexpr time_t kNew = 60;
  DIR* const list = opendir(directory.c_str());
  if (list == nullptr) return;
  while (const dirent* entry = readdir(list)) {
    const std::string name = entry->d_name;
    if (!name.starts_with("paddock-")) continue;
    const std::string path = directory + "/" + name;
    struct stat status{};
    if (stat(path.c_str(), &status) == 0 && status.st_mtime + kNew < time(nullptr)) rmdir(path.c_str());
  }
  closedir(list);
}

std::string Because(const std::string& what, const std::string& why) { return what + " is not limited by a cgroup: " + why; }

}  // namespace

std::vector<std::string> ControlGroup::Candidates(const std::string& name) {
  std::vector<std::string> directories;
  for (const Hierarchy& hierarchy : FindHierarchies()) directories.push_back(hierarchy.directory + "/" + name);
  return directories;
}

ControlGroup ControlGroup::Make(const std::string& name, const GroupLimits& limits) {
  ControlGroup group;
  group.MakeV1(name, limits);
  group.MakeV2(name, limits);
  const std::string remedy = geteuid() == 0 ? "no such controller can be written here; mount the cgroup file system"
                                            : "no group is delegated to this user; start it with 'systemd-run --user --scope -p Delegate=yes'";
  if (limits.memory_bytes && group.memory_.empty()) group.missing_.push_back(Because("memory", remedy + "; its processes are watched instead, ten times a second"));
  if (limits.processes && group.pids_.empty()) group.missing_.push_back(Because("the number of processes", remedy + "; RLIMIT_NPROC holds instead"));
  if (limits.cpus && group.cpu_.empty()) group.missing_.push_back(Because("processor time", remedy));
  return group;
}

void ControlGroup::MakeV1(const std::string& name, const GroupLimits& limits) {
  for (const Hierarchy& hierarchy : FindHierarchies()) {
    const bool has_memory = HasWord(hierarchy.controllers, "memory", ',');
    const bool has_pids = HasWord(hierarchy.controllers, "pids", ',');
    const bool has_cpu = HasWord(hierarchy.controllers, "cpu", ',');
    const bool is_wanted = (has_memory && limits.memory_bytes) || (has_pids && limits.processes) || (has_cpu && limits.cpus);
    if (!is_wanted || access(hierarchy.directory.c_str(), W_OK) != 0) continue;
    RemoveOrphans(hierarchy.directory);
    const std::string directory = hierarchy.directory + "/" + name;
    if (mkdir(directory.c_str(), 0755) != 0) continue;
    v1_.push_back(directory);
    if (has_memory && limits.memory_bytes) {
      const std::string bytes = std::to_string(*limits.memory_bytes);
      if (WriteFile(directory + "/memory.limit_in_bytes", bytes)) memory_ = directory;
      // Absent where swap is not accounted; then there is none to flee to, or it is the host's choice.
      WriteFile(directory + "/memory.memsw.limit_in_bytes", bytes);
    }
    if (has_pids && limits.processes && WriteFile(directory + "/pids.max", std::to_string(*limits.processes + 1))) pids_ = directory;
    if (has_cpu && limits.cpus) {
      constexpr double kPeriod = 100'000;
      WriteFile(directory + "/cpu.cfs_period_us", "100000");
      if (WriteFile(directory + "/cpu.cfs_quota_us", std::to_string(std::llround(std::max(*limits.cpus * kPeriod, 1000.0))))) cpu_ = directory;
    }
  }
}

void ControlGroup::MakeV2(const std::string& name, const GroupLimits& limits) {
  for (const Hierarchy& hierarchy : FindHierarchies()) {
    if (!hierarchy.controllers.empty()) continue;
    const std::string available = ReadSmallFile(hierarchy.directory + "/cgroup.controllers");
    std::string enable;
    const auto want = [&](bool is_wanted, const std::string& controller) {
      if (is_wanted && HasWord(available, controller, ' ')) enable += (enable.empty() ? "+" : " +") + controller;
    };
    want(limits.memory_bytes && memory_.empty(), "memory");
    want(limits.processes && pids_.empty(), "pids");
    want(limits.cpus && cpu_.empty(), "cpu");
    if (enable.empty() || access(hierarchy.directory.c_str(), W_OK) != 0) continue;
    RemoveOrphans(hierarchy.directory);
    // Refused while processes are in the caller's own group and it is not the root of the tree.
    WriteFile(hierarchy.directory + "/cgroup.subtree_control", enable);
    const std::string directory = hierarchy.directory + "/" + name;
    if (mkdir(directory.c_str(), 0755) != 0) continue;
    v2_ = directory;
    if (limits.memory_bytes && memory_.empty() && WriteFile(directory + "/memory.max", std::to_string(*limits.memory_bytes))) {
      memory_ = directory;
      is_memory_v2_ = true;
      WriteFile(directory + "/memory.swap.max", "0");
    }
    if (limits.processes && pids_.empty() && WriteFile(directory + "/pids.max", std::to_string(*limits.processes + 1))) {
      pids_ = directory;
    }
    if (limits.cpus && cpu_.empty() &&
        WriteFile(directory + "/cpu.max", std::to_string(std::llround(std::max(*limits.cpus * 100'000, 1000.0))) + " 100000")) {
      cpu_ = directory;
    }
  }
}

ControlGroup::ControlGroup(ControlGroup&& other) noexcept
    : v1_(std::exchange(other.v1_, {})),
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
