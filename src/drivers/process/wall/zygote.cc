#include "drivers/process/wall/zygote.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/process/wall/launch_channel.h"
#include "drivers/process/wall/new_process.h"
#include "drivers/process/wall/remove_groups.h"
#include "drivers/process/wall/wiped_pages.h"
#include "drivers/process/wall/zygote_request.h"

namespace paddock::process_wall {
namespace {

Error Failure(const char* what) {
  const int code = errno;
  return Error(static_cast<Code>(code), std::string(what) + ": " + std::strerror(code));
}

// Of cgroup v2, where a filter around this program hides clone3(2).
Status MoveIntoGroup(int group, long process) {
  const std::string number = std::to_string(process);
  const Descriptor file(openat(group, "cgroup.procs", O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || write(file.get(), number.data(), number.size()) < 0) {
    return Failure("join a cgroup");
  }
  return {};
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

// Signals that are sent to whole groups of processes are for the driver, which ends us by its own end; and a wall that dies
// early closes a pipe that we write to.
void IgnoreSignals() {
  sigset_t none;
  sigemptyset(&none);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void ResetSignals() {
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
}

class Zygote {
 public:
  // `is_usual`: whether it could take its usual place; without it no wall is made.
  explicit Zygote(Status is_usual) : is_usual_(std::move(is_usual)) {}
  bool Run();

 private:
  struct Kept {
    WipedPages groups;   // directories, each with a NUL behind it
    int pidfd = -1;
  };
  // True in the wall's process 1.
  bool Launch(ReceivedRequest& received);
  bool BecomeWall(ReceivedRequest& received, int gate);
  // What the driver is told on the launch socket. Whoever waited may be gone.
  void Fail(int launch, const Error& error) {
    const Status sent = SendLaunchMessage(launch, LaunchMessage::Kind::kFailed, static_cast<int64_t>(error.code), error.Text());
    (void)sent;
  }
  void Reserve(uint64_t wall, std::string_view text);
  void Release(uint64_t wall);
  void CleanOnce(uint64_t wall);
  // No wall stands and no cgroup stays when the driver is gone.
  [[noreturn]] void EndAll();

  const WipedPages buffer_{kMostRequestText};
  std::map<uint64_t, Kept> walls_;
  const Status is_usual_;
  bool has_cleaned_ = false;
};

void Zygote::Reserve(uint64_t wall, std::string_view text) {
  Kept& kept = walls_[wall];
  if (text.empty()) return;
  kept.groups = WipedPages(text.size() + 1);   // ends with an empty name
  if (kept.groups.data() != nullptr) text.copy(kept.groups.data(), text.size());
}

void Zygote::Release(uint64_t wall) {
  const auto found = walls_.find(wall);
  if (found == walls_.end()) return;
  if (found->second.pidfd >= 0) close(found->second.pidfd);
  walls_.erase(found);
}

bool Zygote::BecomeWall(ReceivedRequest& received, int gate) {
  ResetSignals();
  const WallOrder order = received.request.order;
  // First out of the way of their new numbers, which may be another's.
  constexpr std::array<int, 3> kNumbers{kLaunchDescriptor, kControlDescriptor, kGateDescriptor};
  std::array<int, 3> wanted{received.descriptors[0].get(), received.descriptors[1].get(), gate};
  for (Descriptor& descriptor : received.descriptors) descriptor.Release();   // the number will be another's
  for (int& number : wanted) {
    const int aside = fcntl(number, F_DUPFD_CLOEXEC, kGateDescriptor + 1);
    if (aside < 0) {
      Fail(wanted[0], Failure("arrange a wall's descriptors"));
      _exit(1);
    }
    number = aside;
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (dup2(wanted[i], kNumbers[i]) < 0) _exit(1);
  }
  if (close_range(kGateDescriptor + 1, ~0u, 0) != 0) _exit(1);
  return BuildWall(order);
}

bool Zygote::Launch(ReceivedRequest& received) {
  const ZygoteRequest& request = received.request;
  if (received.descriptors.empty()) return false;   // the driver sees the other ends closed
  const int launch = received.descriptors[0].get(), group = request.has_group ? received.descriptors.back().get() : -1;
  const auto kept = walls_.find(request.wall);
  int gate[2] = {-1, -1};
  Status ready = is_usual_;
  if (ready && (kept == walls_.end() || buffer_.data() == nullptr)) ready = Error(Code::kNoMemory, "the zygote has no memory");
  if (ready && received.descriptors.size() != (request.has_group ? 3u : 2u)) ready = Error(Code::kTooManyFiles, "the zygote has too many open files");
  if (ready && pipe2(gate, O_CLOEXEC) != 0) ready = Failure("make a pipe");
  if (!ready) {
    Fail(launch, ready.error());
    return false;
  }
  constexpr uint64_t kMadeByTheWall = CLONE_NEWNET | CLONE_NEWCGROUP;
  const NewProcess made = CloneProcess((WallNamespaces() & ~kMadeByTheWall) | CLONE_PARENT, 0, group);
  if (made.pid == 0) {
    close(gate[1]);
    return BecomeWall(received, gate[0]);
  }
  if (made.pid < 0) ready = Failure("make the namespaces");
  close(gate[0]);
  const Descriptor opener(gate[1]);   // closed unused it tells the wall to end
  if (!ready) {
    Fail(launch, ready.error());
    return false;
  }
  kept->second.pidfd = made.pidfd;
  const WallOrder& order = request.order;
  if (!SendLaunchMessage(launch, LaunchMessage::Kind::kProcess, made.pid, {}, made.pidfd)) return false;
  if (group >= 0 && !made.is_in_cgroup) ready = MoveIntoGroup(group, made.pid);
  if (ready) ready = WriteIdMaps(static_cast<pid_t>(made.pid), order.uid, order.gid, !order.is_root);
  if (ready && write(opener.get(), "g", 1) != 1) ready = Failure("let the wall begin");
  if (!ready) Fail(launch, ready.error());
  return false;
}

// What an earlier run left, once the first wall is on its way.
void Zygote::CleanOnce(uint64_t wall) {
  if (std::exchange(has_cleaned_, true)) return;
  const auto kept = walls_.find(wall);
  if (kept == walls_.end() || kept->second.groups.data() == nullptr) return;
  for (const char* name = kept->second.groups.data(); *name != '\0'; name += std::strlen(name) + 1) RemoveOrphanGroups(name, buffer_);
}

void Zygote::EndAll() {
  constexpr int kPatienceMs = 30'000;
  for (const auto& [wall, kept] : walls_) {
    if (kept.pidfd >= 0) syscall(SYS_pidfd_send_signal, kept.pidfd, SIGKILL, nullptr, 0);
  }
  for (const auto& [wall, kept] : walls_) {
    pollfd end{kept.pidfd, POLLIN, 0};
    while (kept.pidfd >= 0 && poll(&end, 1, kPatienceMs) < 0 && errno == EINTR) {
    }
    std::vector<std::string> groups;
    for (const char* name = kept.groups.data(); name != nullptr && *name != '\0'; name += std::strlen(name) + 1) groups.emplace_back(name);
    RemoveGroups(groups);
  }
  _exit(0);
}

bool Zygote::Run() {
  while (true) {
    ReceivedRequest received = ReceiveRequest(kZygoteDescriptor, buffer_);
    if (received.is_end) EndAll();
    const uint64_t wall = received.request.wall;
    switch (received.request.kind) {
      case ZygoteRequest::Kind::kReserve: Reserve(wall, received.text); break;
      case ZygoteRequest::Kind::kRelease: Release(wall); break;
      case ZygoteRequest::Kind::kLaunch:
        if (Launch(received)) return true;
        received.descriptors.clear();
        CleanOnce(wall);
        break;
    }
  }
}

}  // namespace

bool RunZygote() {
  if (close_range(kZygoteDescriptor + 1, ~0u, 0) != 0) _exit(1);
  fcntl(kZygoteDescriptor, F_SETFD, FD_CLOEXEC);
  IgnoreSignals();
  (void)!chdir("/");   // holds no directory of the driver's
  // A descriptor for each wall; what walls get is in their plans.
  rlimit most{};
  if (getrlimit(RLIMIT_NOFILE, &most) == 0) {
    most.rlim_cur = most.rlim_max;
    setrlimit(RLIMIT_NOFILE, &most);
  }
  // Lives as long as the process: a wall, whose copy of it is partly wiped, must not destroy it.
  alignas(Zygote) static std::array<std::byte, sizeof(Zygote)> place;
  return (new (place.data()) Zygote(TakeUsualPlace()))->Run();   // allow(raw-new): never destroyed
}

}  // namespace paddock::process_wall
