#include "drivers/process/wall/launcher.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
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
#include "drivers/process/wall/launch_channel.h"
#include "drivers/process/wall/network.h"
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

// Moves the calling thread, which stays: the one that makes the network ends soon. "tasks" and "0", because any other way takes a lock that waits for
// an RCU grace period: milliseconds, on a busy machine tens of them.
Status JoinGroup(const std::string& directory) {
  const std::string path = directory + "/tasks";
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || write(file.get(), "0", 1) != 1) return Failure("join " + path);
  return {};
}

// Ids are set while the process still has its namespace's capabilities, which changing them from an unmapped id keeps. The
// calls themselves, not glibc's, which would have the thread that makes the network do the same.
Status TakeIdentity(const WallPlan& plan) {
  if (plan.is_root && syscall(SYS_setgroups, 0, nullptr) != 0) return Failure("leave the caller's groups");
  if (syscall(SYS_setresgid, plan.gid, plan.gid, plan.gid) != 0) return Failure("set the group id");
  prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
  if (syscall(SYS_setresuid, plan.uid, plan.uid, plan.uid) != 0) return Failure("set the user id");
  return {};
}

// 0 to 2 came with the copy: every wall of the zygote has the same open files there.
Status TakeOwnStandardDescriptors() {
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int standard = 0; standard < 3; ++standard) {
    if (!null.is_open() || dup2(null.get(), standard) < 0) return Failure("open /dev/null");
  }
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
Status BuildInside(const WallOrder& order, int launch) {
  // The network is made beside the rest: it takes as long as the file tree.
  NetworkBuilder network;
  PADDOCK_TRY(network.Start(!order.allows_namespaces));
  PADDOCK_ASSIGN(const std::string bytes, ReceiveBytes(launch));
  PADDOCK_ASSIGN(const WallPlan plan, WallPlan::Decode(bytes));
  std::vector<MountSource> sources;
  if (plan.is_root) {
    PADDOCK_ASSIGN(sources, ReceiveSources(launch, plan.mounts.size()));
  }
  // As who the caller is, who may join them.
  for (const std::string& directory : plan.cgroups) PADDOCK_TRY(JoinGroup(directory));
  // Now, so that its root is what was joined.
  if (unshare(CLONE_NEWCGROUP) != 0) return Failure("make a cgroup namespace");
  char go = 0;
  if (read(kGateDescriptor, &go, 1) != 1) _exit(1);
  close(kGateDescriptor);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (!plan.is_root) {
    PADDOCK_ASSIGN(sources, OpenSources(plan, [launch](std::string_view text) {
      const Status sent = SendLaunchMessage(launch, Kind::kWarning, 0, text);
      (void)sent;
    }));
  }
  PADDOCK_TRY(TakeIdentity(plan));
  if (sethostname(plan.hostname.data(), plan.hostname.size()) != 0) return Failure("set the host name");
  if (setdomainname("(none)", 6) != 0) return Failure("set the domain name");
  FileTree tree(plan, std::move(sources));
  PADDOCK_TRY(tree.Build());
  PADDOCK_TRY(network.Join());
  if (plan.captures_network) PADDOCK_TRY(CaptureNetwork());
  for (size_t i = 0; i < plan.listeners.size(); ++i) {
    auto listener = MakeListener(plan.listeners[i]);
    // Without IPv6 there is nothing to listen for on it.
    if (!listener && plan.listeners[i].kind == ListenerSpec::Kind::kTcp6) continue;
    if (!listener) return Error(listener.error().code, "port " + std::to_string(plan.listeners[i].port) + " inside: " + std::string(listener.error().Text()));
    PADDOCK_TRY(SendLaunchMessage(launch, Kind::kListener, static_cast<int64_t>(i), {}, listener->get()));
  }
  PADDOCK_TRY(tree.Enter());
  PADDOCK_TRY(TakeOwnStandardDescriptors());
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

}  // namespace

bool BuildWall(const WallOrder& order) {
  setsid();   // apart from the other walls
  if (const Status built = BuildInside(order, kLaunchDescriptor); !built) Fail(kLaunchDescriptor, built.error());
  if (const Status sent = SendLaunchMessage(kLaunchDescriptor, Kind::kReady); !sent) _exit(1);
  close(kLaunchDescriptor);
  return true;
}

}  // namespace paddock::process_wall
