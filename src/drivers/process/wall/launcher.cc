#include "drivers/process/wall/launcher.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "drivers/process/wall/confine.h"
#include "base/descriptor.h"
#include "drivers/process/wall/file_tree.h"
#include "drivers/process/wall/id_map.h"
#include "drivers/process/wall/launch_channel.h"
#include "drivers/process/wall/network.h"
#include "drivers/process/wall/new_process.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {
namespace {

using Kind = LaunchMessage::Kind;

Error Failure(const std::string& what) {
  const int code = errno;
  return Error(static_cast<Code>(code), what + ": " + std::strerror(code));
}

[[noreturn]] void Fail(int launch, const Error& error) {
  const Status sent = SendLaunchMessage(launch, Kind::kFailed, static_cast<int64_t>(error.code), error.Text());
  (void)sent;   // whoever waited is gone; the exit says the rest
  _exit(1);
}

Result<WallPlan> ReceivePlan(int launch) {
  std::string bytes;
  // The plan may be larger than a packet: it comes as a length and pieces.
  uint64_t size = 0;
  if (recv(launch, &size, sizeof size, 0) != static_cast<ssize_t>(sizeof size)) return Failure("read the plan");
  bytes.resize(size);
  for (size_t at = 0; at < size;) {
    const ssize_t got = recv(launch, bytes.data() + at, size - at, 0);
    if (got <= 0) return Failure("read the plan");
    at += static_cast<size_t>(got);
  }
  return WallPlan::Decode(bytes);
}

// Moves the calling thread, which is the whole process. "tasks" and "0", because any other way takes a lock that waits for
// an RCU grace period: milliseconds, on a busy machine tens of them.
Status JoinGroup(const std::string& directory) {
  const std::string path = directory + "/tasks";
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || write(file.get(), "0", 1) != 1) return Failure("join " + path);
  return {};
}

// Of version 2.
Status MoveIntoGroup(const std::string& directory, long process) {
  const std::string path = directory + "/cgroup.procs";
  const std::string number = std::to_string(process);
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || write(file.get(), number.data(), number.size()) < 0) return Failure("join " + path);
  return {};
}

// Ids are set while the process still has its namespace's capabilities, which changing them from an unmapped id keeps.
Status TakeIdentity(const WallPlan& plan) {
  if (plan.is_root && setgroups(0, nullptr) != 0) return Failure("leave the caller's groups");
  if (setresgid(plan.gid, plan.gid, plan.gid) != 0) return Failure("set the group id");
  prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
  if (setresuid(plan.uid, plan.uid, plan.uid) != 0) return Failure("set the user id");
  return {};
}

Status SetLimits(const WallPlan& plan) {
  for (const ResourceLimit& limit : plan.limits) {
    rlimit current{};
    if (getrlimit(static_cast<__rlimit_resource_t>(limit.resource), &current) != 0) return Failure("read a resource limit");
    const rlim_t value = std::min<rlim_t>(limit.value, current.rlim_max);
    // Processor time ends with SIGXCPU, which says why; the hard limit a second later is for who ignores that.
    const bool warns = limit.resource == RLIMIT_CPU && value < current.rlim_max;
    const rlimit wanted{value, warns ? value + 1 : value};
    if (setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &wanted) != 0) return Failure("set a resource limit");
  }
  return {};
}

// Bounds of the user namespace itself, besides what the filters refuse. Where the kernel has no such setting, they alone hold.
void BoundNamespace(const WallPlan& plan) {
  const auto set = [](const char* name, const char* value) {
    const Descriptor file(open(name, O_WRONLY | O_CLOEXEC));
    if (file.is_open() && write(file.get(), value, std::strlen(value)) < 0) return;
  };
  if (plan.seccomp != SeccompProfile::kNested) set("/proc/sys/user/max_user_namespaces", "0");
  // Counted against the caller, too, who must keep some.
  set("/proc/sys/user/max_inotify_instances", "96");
  std::array<char, 16> most{};
  const Descriptor watches(open("/proc/sys/fs/inotify/max_user_watches", O_RDONLY | O_CLOEXEC));
  if (watches.is_open() && read(watches.get(), most.data(), most.size() - 1) > 0) {
    set("/proc/sys/user/max_inotify_watches", std::to_string(std::max(1024L, std::strtol(most.data(), nullptr, 10) / 2)).c_str());
  }
}

std::vector<std::string> WritablePlaces(const WallPlan& plan) {
  std::vector<std::string> places;
  for (const MountStep& step : plan.mounts) {
    const bool is_bind = step.kind == MountStep::Kind::kBind && step.writable;
    if (is_bind || step.kind == MountStep::Kind::kTmpfs || step.kind == MountStep::Kind::kOverlay) places.push_back(step.target);
    if (step.kind == MountStep::Kind::kDevices) {
      places.push_back(step.target + "/shm");
      places.push_back(step.target + "/mqueue");
    }
  }
  return places;
}

// In the new namespaces, as process 1.
Status BuildInside(const WallPlan& plan, FileTree& tree, int launch) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (!plan.is_root) PADDOCK_TRY(tree.OpenSources());
  PADDOCK_TRY(TakeIdentity(plan));
  PADDOCK_TRY(SetUpNetwork(plan.captures_network));
  BoundNamespace(plan);
  for (size_t i = 0; i < plan.listeners.size(); ++i) {
    auto listener = MakeListener(plan.listeners[i]);
    // Without IPv6 there is nothing to listen for on it.
    if (!listener && plan.listeners[i].kind == ListenerSpec::Kind::kTcp6) continue;
    if (!listener) return Error(listener.error().code, "port " + std::to_string(plan.listeners[i].port) + " inside: " + std::string(listener.error().Text()));
    PADDOCK_TRY(SendLaunchMessage(launch, Kind::kListener, static_cast<int64_t>(i), {}, listener->get()));
  }
  if (sethostname(plan.hostname.data(), plan.hostname.size()) != 0) return Failure("set the host name");
  if (setdomainname("(none)", 6) != 0) return Failure("set the domain name");
  PADDOCK_TRY(tree.Build());
  PADDOCK_TRY(SetLimits(plan));
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
  umask(022);
  PADDOCK_TRY(DropPrivileges());
  if (plan.uses_landlock) {
    PADDOCK_ASSIGN(const bool has_landlock, RestrictWithLandlock(WritablePlaces(plan)));
    if (!has_landlock) PADDOCK_TRY(SendLaunchMessage(launch, Kind::kWarning, 0, "this kernel has no Landlock; mounts and namespaces alone confine files"));
  }
  return InstallSeccomp(plan.seccomp);
}

// A caller that is better placed than others (real-time, first at the disk, last to be killed when memory is short) does not lend that, nor a
// process image that is easier to attack.
Status TakeUsualPlace() {
  const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  const sched_param usual{};
  const bool is_usual = policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
  if (!is_usual && sched_setscheduler(0, SCHED_OTHER, &usual) != 0) return Failure("leave the real-time class");
  if (getpriority(PRIO_PROCESS, 0) < 0 && setpriority(PRIO_PROCESS, 0, 0) != 0) return Failure("take the usual priority");
  constexpr int kProcess = 1, kClassShift = 13, kRealTime = 1, kBestEffort = 2, kUsualLevel = 4;   // ioprio.h, which no C library has
  const long disk = syscall(SYS_ioprio_get, kProcess, 0);
  const long disk_class = disk >> kClassShift;
  const bool is_first = disk_class == kRealTime || (disk_class == kBestEffort && (disk & 7) < kUsualLevel);
  if (disk >= 0 && is_first && syscall(SYS_ioprio_set, kProcess, 0, 0) != 0) return Failure("take the usual priority at the disk");
  std::array<char, 16> score{};
  const Descriptor file(open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC));
  if (file.is_open() && read(file.get(), score.data(), score.size() - 1) > 0 && score[0] == '-' && pwrite(file.get(), "0", 1, 0) != 1) {
    return Failure("become as likely to be killed as others");
  }
  personality(PER_LINUX);
  return {};
}

void ResetSignals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The first process: everything it does until the wall has ended, with the rights of the caller.
class Guard {
 public:
  explicit Guard(std::vector<std::string> cgroups) : cgroups_(std::move(cgroups)) {}

  // True in the new process 1, once the wall stands; does not return in the guard.
  bool Run();

 private:
  static constexpr int kLaunch = kLaunchDescriptor;

  Result<long> MakeNamespaces(const WallPlan& plan, int* pidfd);
  void Watch();
  [[noreturn]] void Fail(const Error& error) {
    const Status sent = SendLaunchMessage(kLaunch, Kind::kFailed, static_cast<int64_t>(error.code), error.Text());
    (void)sent;
    End(1);
  }
  // No cgroup stays behind, however far it came: also not one that a process 1 is in which still waits to begin.
  [[noreturn]] void End(int status) {
    if (pidfd_ >= 0) {
      syscall(SYS_pidfd_send_signal, pidfd_, SIGKILL, nullptr, 0);
      pollfd ended{pidfd_, POLLIN, 0};
      while (poll(&ended, 1, -1) < 0 && errno == EINTR) {
      }
    }
    LeaveGroups();
    for (const std::string& directory : cgroups_) rmdir(directory.c_str());
    _exit(status);
  }
  // The limits are not meant for this process. Where it cannot go back up it stays in.
  void LeaveGroups() {
    for (const std::string& directory : joined_) {
      const Status left = JoinGroup(directory.substr(0, directory.rfind('/')));
      (void)left;
    }
    joined_.clear();
  }

  const std::vector<std::string> cgroups_;
  std::vector<std::string> joined_;
  int pidfd_ = -1;
};

Result<long> Guard::MakeNamespaces(const WallPlan& plan, int* pidfd) {
  Descriptor group;
  if (!plan.cgroup2.empty()) {
    group.Reset(open(plan.cgroup2.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!group.is_open()) return Failure("open " + plan.cgroup2);
  }
  const NewProcess made = CloneProcess(WallNamespaces() | CLONE_PARENT, 0, group.get());
  if (made.pid < 0) return Failure("make the namespaces");
  *pidfd = made.pidfd;
  // It waits at the gate meanwhile.
  if (made.pid > 0 && group.is_open() && !made.is_in_cgroup) PADDOCK_TRY(MoveIntoGroup(plan.cgroup2, made.pid));
  return made.pid;
}

bool Guard::Run() {
  auto plan = ReceivePlan(kLaunch);
  if (!plan) Fail(plan.error());
  FileTree tree(*plan, [](std::string_view text) {
    const Status sent = SendLaunchMessage(kLaunch, Kind::kWarning, 0, text);
    (void)sent;
  });
  if (plan->is_root) {
    if (Status opened = tree.OpenSources(); !opened) Fail(opened.error());
  }
  for (const std::string& directory : plan->cgroups) {
    if (Status joined = JoinGroup(directory); !joined) Fail(joined.error());
    joined_.push_back(directory);
  }
  int gate[2];
  if (pipe2(gate, O_CLOEXEC) != 0) Fail(Failure("make a pipe"));
  const auto child = MakeNamespaces(*plan, &pidfd_);
  if (!child) Fail(child.error());
  if (*child == 0) {
    close(gate[1]);
    char go = 0;
    if (read(gate[0], &go, 1) != 1) _exit(1);
    close(gate[0]);
    if (Status built = BuildInside(*plan, tree, kLaunch); !built) process_wall::Fail(kLaunch, built.error());
    if (Status sent = SendLaunchMessage(kLaunch, Kind::kReady); !sent) _exit(1);
    close(kLaunch);
    return true;
  }
  if (Status sent = SendLaunchMessage(kLaunch, Kind::kProcess, *child, {}, pidfd_); !sent) End(1);
  const Status mapped = WriteIdMaps(static_cast<pid_t>(*child), {plan->uid, plan->host_uid}, {plan->gid, plan->host_gid}, !plan->is_root);
  if (!mapped) Fail(mapped.error());
  if (write(gate[1], "g", 1) != 1) Fail(Failure("let the wall begin"));
  close(gate[0]);
  close(gate[1]);
  LeaveGroups();
  close(kControlDescriptor);
  Watch();
  End(0);
}

// Until the wall has ended; ends it when the driver is gone.
void Guard::Watch() {
  pollfd watched[2] = {{pidfd_, POLLIN, 0}, {kLaunch, 0, 0}};
  while (watched[0].revents == 0) {
    if (poll(watched, 2, -1) < 0 && errno != EINTR) return;
    if (watched[1].revents != 0) {
      syscall(SYS_pidfd_send_signal, pidfd_, SIGKILL, nullptr, 0);
      watched[1] = {-1, 0, 0};
    }
  }
}

}  // namespace

bool BuildWall(std::vector<std::string> cgroups) {
  if (close_range(kControlDescriptor + 1, ~0u, 0) != 0) Fail(kLaunchDescriptor, Failure("close descriptors"));
  // Out of the caller's terminal: its Ctrl-C is for the driver, and nothing inside has it as /dev/tty.
  setsid();
  ResetSignals();
  if (Status taken = TakeUsualPlace(); !taken) Fail(kLaunchDescriptor, taken.error());
  Guard guard(std::move(cgroups));
  return guard.Run();
}

}  // namespace paddock::process_wall
