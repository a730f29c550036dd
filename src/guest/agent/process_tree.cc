#include "guest/agent/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "guest/agent/process_mark.h"

namespace paddock::guest {
namespace {

struct Stat {
  char state = 'X';
  pid_t parent = 0;
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
  int group = 0;
  if (behind == nullptr || std::sscanf(behind + 1, " %c %d %d %d", &stat.state, &stat.parent, &group, &stat.session) != 4) {
    return std::nullopt;
  }
  return stat;
}

// The agent is the subreaper of all that it has started.
bool IsDescendant(pid_t pid) {
  const pid_t self = getpid();
  if (self == 1) return true;
  constexpr int kMostGenerations = 10'000;
  for (int generation = 0; generation < kMostGenerations && pid > 1; ++generation) {
    const auto stat = ReadStat(pid);
    if (!stat) return false;
    pid = stat->parent;
    if (pid == self) return true;
  }
  return false;
}

bool Belongs(const ProcessTree& tree, pid_t pid) {
  if (!ProcessMark::IsPossible()) {
    const auto stat = ReadStat(pid);
    return tree.number == 0 ? IsDescendant(pid) : stat && stat->session == tree.leader;
  }
  switch (ProcessMark(tree.number).Of(pid)) {
    case ProcessMark::Owner::kThis:
      return true;
    case ProcessMark::Owner::kOther:
      return tree.number == 0;
    case ProcessMark::Owner::kNobody:
      return false;
    case ProcessMark::Owner::kUnknown:
      // Outside a PID namespace of its own an agent sees those of other agents too.
      return IsDescendant(pid);
  }
  return false;
}

// All processes but this and PID 1, in order.
std::vector<pid_t> ListProcesses() {
  std::vector<pid_t> list;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return list;
  const pid_t self = getpid();
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size() && pid > 1 && pid != self) list.push_back(pid);
  }
  std::sort(list.begin(), list.end());
  return list;
}

// True when the process is alive, belongs to the tree, and has got the signal.
bool SignalMember(const ProcessTree& tree, pid_t pid, int signal) {
  // Opened before the look: if the process still lives when the signal goes out, it is the one that was looked at.
  const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!handle && errno != ENOSYS) return false;
  if (!Belongs(tree, pid)) return false;
  const auto stat = ReadStat(pid);
  if (!stat || stat->state == 'Z' || stat->state == 'X') return false;
  if (!handle) return kill(pid, signal) == 0;
  return syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) == 0;
}

}  // namespace

// Whose parent dies becomes the agent's child, so where it has no child there is nobody else either.
bool HasNobody() {
  int is_reaper = 0;
  if (getpid() != 1 && (prctl(PR_GET_CHILD_SUBREAPER, &is_reaper) != 0 || is_reaper == 0)) return false;
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 && errno == ECHILD;
}

size_t SignalTree(const ProcessTree& tree, int signal) {
  constexpr int kMaxLooks = 256, kQuietLooks = 2;
  if (HasNobody()) return 0;
  size_t found = 0;
  std::vector<pid_t> known;
  for (int look = 0, quiet = 0; look < kMaxLooks && quiet < kQuietLooks; ++look) {
    const std::vector<pid_t> now = ListProcesses();
    std::vector<pid_t> fresh;
    std::set_difference(now.begin(), now.end(), known.begin(), known.end(), std::back_inserter(fresh));
    quiet = fresh.empty() ? quiet + 1 : 0;
    // The youngest first: they may not be there for long.
    for (size_t i = fresh.size(); i-- > 0;) found += SignalMember(tree, fresh[i], signal) ? 1 : 0;
    known = now;
  }
  return found;
}

void StopTree(const ProcessTree& tree) {
  constexpr int kMaxLooks = 32;
  size_t before = 0;
  for (int look = 0; look < kMaxLooks; ++look) {
    const size_t found = SignalTree(tree, SIGSTOP);
    if (found == before) return;
    before = found;
  }
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
