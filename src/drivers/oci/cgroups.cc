#include "drivers/oci/cgroups.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/descriptor.h"

namespace paddock::oci {
namespace {

// One hierarchy: where it is mounted, and its controllers; none is v2.
struct Hierarchy {
  std::string directory;
  std::vector<std::string> controllers;
};

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, separator);) parts.push_back(word);
  return parts;
}

std::vector<Hierarchy> Hierarchies() {
  std::vector<Hierarchy> found;
  std::ifstream table("/proc/self/mountinfo");
  for (std::string line; std::getline(table, line);) {
    const size_t dash = line.find(" - cgroup");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> left = Split(line.substr(0, dash), ' '), right = Split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3 || left[3] != "/") continue;   // not a hierarchy's beginning
    Hierarchy one{.directory = left[4], .controllers = {}};
    if (right[0] == "cgroup") one.controllers = Split(right[2], ',');
    found.push_back(std::move(one));
  }
  return found;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<uint64_t> Number(const std::string& text) {
  uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// The number behind `label`.
std::optional<uint64_t> Labelled(const std::string& text, const std::string& label) {
  const size_t at = text.find(label);
  return at == std::string::npos ? std::nullopt : Number(text.substr(at + label.size()));
}

std::vector<std::string> GroupsBelow(const std::string& directory) {
  std::vector<std::string> names;
  DIR* const opened = opendir(directory.c_str());
  if (opened == nullptr) return names;
  while (const dirent* entry = readdir(opened)) {
    if (entry->d_type == DT_DIR && std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) names.emplace_back(entry->d_name);
  }
  closedir(opened);
  return names;
}

// What a container made below its group is removed, too.
void KillAndRemove(const std::string& directory, int depth) {
  constexpr int kDeepest = 16;
  if (depth < kDeepest) {
    for (const std::string& name : GroupsBelow(directory)) KillAndRemove(directory + "/" + name, depth + 1);
  }
  std::istringstream processes(ReadFile(directory + "/cgroup.procs"));
  for (pid_t process = 0; processes >> process;) {
    if (process > 1 && process != getpid()) kill(process, SIGKILL);
  }
  rmdir(directory.c_str());
}

std::string DeploymentGroup(const std::string& deployment) { return "/paddock-oci-" + deployment; }

}  // namespace

std::string CgroupPath(const std::string& deployment, const std::string& id) { return DeploymentGroup(deployment) + "/" + id; }

bool CountsSwap() {
  for (const Hierarchy& one : Hierarchies()) {
    for (const std::string& controller : one.controllers) {
      if (controller == "memory") return access((one.directory + "/memory.memsw.limit_in_bytes").c_str(), F_OK) == 0;
    }
  }
  return access("/proc/swaps", F_OK) == 0;   // v2 counts it by itself where there is any
}

std::string UnifiedBesideV1() {
  std::string unified;
  bool has_old_memory = false;
  for (const Hierarchy& one : Hierarchies()) {
    if (one.controllers.empty()) unified = one.directory;
    for (const std::string& controller : one.controllers) has_old_memory |= controller == "memory";
  }
  return has_old_memory ? unified : "";
}

Result<ContainerGroup> ContainerGroup::Of(pid_t process, const std::string& path) {
  ContainerGroup group;
  const std::string table = ReadFile("/proc/" + std::to_string(process) + "/cgroup");
  const std::vector<Hierarchy> hierarchies = Hierarchies();
  for (const std::string& line : Split(table, '\n')) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || line.substr(second + 1) != path) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    for (const Hierarchy& one : hierarchies) {
      if (names.empty() && one.controllers.empty()) group.directories_[""] = one.directory + path;
      for (const std::string& name : Split(names, ',')) {
        for (const std::string& controller : one.controllers) {
          if (controller == name) group.directories_[name] = one.directory + path;
        }
      }
    }
  }
  for (const char* controller : {"memory", "pids", "cpu"}) {
    if (group.directories_.contains(controller)) continue;
    const auto v2 = group.directories_.find("");
    const std::string available = v2 == group.directories_.end() ? "" : " " + ReadFile(v2->second + "/cgroup.controllers");
    const size_t at = available.find(std::string(" ") + controller);
    if (at == std::string::npos) return Error(Code::kUnavailable, std::string("the runtime put the container in no group of its own for '") + controller + "'");
  }
  return group;
}

std::string ContainerGroup::Read(const char* controller, const char* v2, const char* v1) const {
  const auto old = directories_.find(controller), unified = directories_.find("");
  if (old != directories_.end()) return ReadFile(old->second + "/" + v1);
  return unified != directories_.end() ? ReadFile(unified->second + "/" + v2) : "";
}

Status ContainerGroup::CheckLimits(uint64_t memory_bytes, int64_t pids, int64_t nano_cpus) const {
  const auto refuse = [](const std::string& what) { return Error(Code::kUnavailable, "the runtime did not set the limit on " + what); };
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (Number(Read("memory", "memory.max", "memory.limit_in_bytes")).value_or(0) != memory_bytes / page * page) return refuse("memory");
  if (Number(Read("pids", "pids.max", "pids.max")) != static_cast<uint64_t>(pids)) return refuse("processes");
  std::istringstream times(Read("cpu", "cpu.max", "cpu.cfs_quota_us"));
  double quota = 0, period = 0;
  times >> quota;
  if (!(times >> period)) period = static_cast<double>(Number(Read("cpu", "cpu.max", "cpu.cfs_period_us")).value_or(0));
  if (quota <= 0 || period <= 0 || quota / period > static_cast<double>(nano_cpus) / 1e9 * 1.001) return refuse("processor time");
  return {};
}

GroupUsage ContainerGroup::Measure() const {
  GroupUsage usage;
  usage.memory_bytes = Number(Read("memory", "memory.current", "memory.usage_in_bytes"));
  if (directories_.contains("cpuacct")) {
    usage.cpu_nanoseconds = Number(Read("cpuacct", "", "cpuacct.usage"));
  } else if (const auto micros = Labelled(Read("cpu", "cpu.stat", "cpu.stat"), "usage_usec ")) {
    usage.cpu_nanoseconds = *micros * 1000;
  }
  const std::string bytes = Read("blkio", "io.stat", "blkio.throttle.io_service_bytes");
  if (directories_.contains("blkio")) {
    usage.disk_read_bytes = usage.disk_written_bytes = 0;
    std::istringstream lines(bytes);
    for (std::string line; std::getline(lines, line);) {
      *usage.disk_read_bytes += Labelled(line, " Read ").value_or(0);
      *usage.disk_written_bytes += Labelled(line, " Write ").value_or(0);
    }
  } else if (directories_.contains("")) {
    usage.disk_read_bytes = usage.disk_written_bytes = 0;
    std::istringstream lines(bytes);
    for (std::string line; std::getline(lines, line);) {
      *usage.disk_read_bytes += Labelled(line, " rbytes=").value_or(0);
      *usage.disk_written_bytes += Labelled(line, " wbytes=").value_or(0);
    }
  }
  return usage;
}

void ThawGroup(const std::string& path) {
  for (const Hierarchy& one : Hierarchies()) {
    for (const auto& [name, word] : {std::pair{"/freezer.state", "THAWED"}, {"/cgroup.freeze", "0"}}) {
      const Descriptor file(open((one.directory + path + name).c_str(), O_WRONLY | O_CLOEXEC));
      if (file.is_open()) (void)!write(file.get(), word, std::strlen(word));
    }
  }
}

Result<std::vector<std::string>> RemoveGroup(const std::string& path) {
  constexpr int kRounds = 200;   // of 10 ms: until what was killed is gone
  std::vector<std::string> removed;
  for (const Hierarchy& one : Hierarchies()) {
    const std::string directory = one.directory + path;
    if (access(directory.c_str(), F_OK) != 0) continue;
    for (int round = 0; access(directory.c_str(), F_OK) == 0; ++round) {
      if (round == kRounds) return Error(Code::kBusy, "the cgroup " + directory + " cannot be removed; something in it does not end");
      if (round > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      KillAndRemove(directory, 0);
    }
    removed.push_back("cgroup " + directory);
  }
  return removed;
}

std::set<std::string> GroupsOf(const std::string& deployment) {
  std::set<std::string> names;
  for (const Hierarchy& one : Hierarchies()) {
    for (std::string& name : GroupsBelow(one.directory + DeploymentGroup(deployment))) names.insert(std::move(name));
  }
  return names;
}

void RemoveDeploymentGroup(const std::string& deployment) {
  for (const Hierarchy& one : Hierarchies()) rmdir((one.directory + DeploymentGroup(deployment)).c_str());
}

}  // namespace paddock::oci
