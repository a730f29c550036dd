#include "guest/agent/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "guest/agent/descriptor.h"
#include "guest/agent/machine.h"
#include "guest/agent/process_mark.h"

namespace paddock::guest {
namespace {

struct Stat {
  char state = 'X';
  pid_t session = 0;
};

// Of /proc/PID/stat: what stands behind the name, which may hold anything.
std::optional<Stat> ReadStat(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const Descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  char text[1024];
  const ssize_t size = read(file.get(), text, sizeof text - 1);
  if (size <= 0) return std::nullopt;
  text[size] = '\0';
  const char* behind = std::strrchr(text, ')');
  Stat stat;
  int parent = 0, group = 0;
  if (behind == nullptr || std::sscanf(behind + 1, " %c %d %d %d", &stat.state, &parent, &group, &stat.session) != 4) {
    return std::nullopt;
  }
  return stat;
}

bool Belongs(const ProcessTree& tree, pid_t pid, const Stat& stat) {
  if (!ProcessMark::IsPossible()) return stat.session == tree.leader;
  return ProcessMark(tree.number).Of(pid) != ProcessMark::Owner::kOther;
}

}  // namespace

size_t SignalTree(const ProcessTree& tree, int signal, Machine& machine) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return 0;
  size_t found = 0;
  const pid_t self = getpid();
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size() || pid <= 1 || pid == self) continue;
    // Opened before the look: if the process still lives when the signal goes out, it is the one that was looked at.
    const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!handle && errno != ENOSYS) continue;
    const auto stat = ReadStat(pid);
    if (!stat || stat->state == 'Z' || stat->state == 'X' || !Belongs(tree, pid, *stat)) continue;
    if (machine.KillByHandle(handle.get(), pid, signal) == 0) ++found;
  }
  return found;
}

int SetOomScore(pid_t pid, int score) {
  char path[64], text[16];
  std::snprintf(path, sizeof path, "/proc/%d/oom_score_adj", static_cast<int>(pid));
  const int size = std::snprintf(text, sizeof text, "%d", score);
  const Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
  if (!file || write(file.get(), text, static_cast<size_t>(size)) < 0) return errno;
  return 0;
}

}  // namespace paddock::guest
