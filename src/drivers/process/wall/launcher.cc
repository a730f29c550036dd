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
#include <memory>
#include <string>
#include <vector>

#include "drivers/process/wall/confine.h"
#include "base/descriptor.h"
#include "drivers/process/wall/file_tree.h"
#include "drivers/process/wall/launch_channel.h"
#include "drivers/process/wall/network.h"
#include "drivers/process/wall/plan.h"
#include "drivers/process/wall/socket_guard.h"

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

void AddWritablePlaces(const std::vector<MountStep>& steps, std::vector<std::string>& places) {
  for (const MountStep& step : steps) {
    const bool is_bind = step.kind == MountStep::Kind::kBind && step.writable;
    if (is_bind || step.kind == MountStep::Kind::kTmpfs || step.kind == MountStep::Kind::kOverlay) places.push_back(step.target);
    if (step.kind == MountStep::Kind::kDevices) {
      places.push_back(step.target + "/shm");
      places.push_back(step.target + "/mqueue");
    }
  }
}

// The last step: from here on nothing is done that the filter refuses.
Status InstallFilter(const WallPlan& plan, const FileTree& tree, int launch) {
  if (!plan.guards_sockets) return InstallSeccomp(plan.seccomp);
  int denials[2];
  if (pipe2(denials, O_CLOEXEC | O_NONBLOCK) != 0) return Failure("make a pipe");
  const Descriptor read_end(denials[0]);
  PADDOCK_ASSIGN(std::unique_ptr<SocketGuard> guard, SocketGuard::Make(plan, tree.own_devices(), Descriptor(denials[1])));
  PADDOCK_TRY(SendLaunchMessage(launch, Kind::kDenials, 0, {}, read_end.get()));
  if (const std::string lacks = guard->Lacks(); !lacks.empty()) PADDOCK_TRY(SendLaunchMessage(launch, Kind::kWarning, 0, lacks));
  PADDOCK_TRY(guard->Start());
  auto listener = InstallListeningSeccomp(plan.seccomp);
  if (listener) return SocketGuard::Serve(std::move(guard), std::move(*listener));
  // The thread waits for good.
  (void)guard.release();
  PADDOCK_TRY(SendLaunchMessage(launch, Kind::kWarning, 0, "a socket that a program of the host makes in a directory shown inside can be connected to (" +
                                                               std::string(listener.error().Text()) + ": is this a sandbox in a sandbox?)"));
  return InstallSeccomp(plan.seccomp);
}

// A plan, and what its steps take of the host, as far as that comes with it.
struct Part {
  WallPlan plan;
  std::vector<MountSource> sources;
};

Result<Part> ReceivePart(int launch) {
  Part part;
  PADDOCK_ASSIGN(const std::string bytes, ReceiveBytes(launch));
  PADDOCK_ASSIGN(part.plan, WallPlan::Decode(bytes));
  if (part.plan.is_root) {
    PADDOCK_ASSIGN(part.sources, ReceiveSources(launch, part.plan.mounts.size()));
  }
  return part;
}

// A user's wall opens by itself what it shows.
Status AddToTree(Part& part, int launch, FileTree& tree) {
  if (!part.plan.is_root) {
    PADDOCK_ASSIGN(part.sources, OpenSources(part.plan, [launch](std::string_view text) {
      const Status sent = SendLaunchMessage(launch, Kind::kWarning, 0, text);
      (void)sent;
    }));
  }
  return tree.Add(part.plan.mounts, std::move(part.sources));
}

// In the new namespaces, as process 1: what a plan's first part decides, and what no plan does.
Status BuildBase(const WallOrder& order, int launch, FileTree& tree, std::vector<std::string>& writable) {
  // The network is made beside the rest: it takes as long as the file tree.
  NetworkBuilder network;
  PADDOCK_TRY(network.Start(!order.allows_namespaces));
  PADDOCK_ASSIGN(Part base, ReceivePart(launch));
  // As who the caller is, who may join them.
  for (const std::string& directory : base.plan.cgroups) PADDOCK_TRY(JoinGroup(directory));
  // Now, so that its root is what was joined.
  if (unshare(CLONE_NEWCGROUP) != 0) return Failure("make a cgroup namespace");
  char go = 0;
  if (read(kGateDescriptor, &go, 1) != 1) _exit(1);
  close(kGateDescriptor);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  PADDOCK_TRY(TakeIdentity(base.plan));
  PADDOCK_TRY(tree.Begin());
  PADDOCK_TRY(AddToTree(base, launch, tree));
  AddWritablePlaces(base.plan.mounts, writable);
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
  PADDOCK_TRY(EmptyBoundingSet());
  return network.Join();
}

Status BuildInside(const WallOrder& order, int launch) {
  FileTree tree;
  std::vector<std::string> writable;
  PADDOCK_TRY(BuildBase(order, launch, tree, writable));
  PADDOCK_ASSIGN(Part rest, ReceivePart(launch));
  const WallPlan& plan = rest.plan;
  if (sethostname(plan.hostname.data(), plan.hostname.size()) != 0) return Failure("set the host name");
  if (setdomainname("(none)", 6) != 0) return Failure("set the domain name");
  PADDOCK_TRY(AddToTree(rest, launch, tree));
  AddWritablePlaces(plan.mounts, writable);
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
  umask(022);
  PADDOCK_TRY(DropPrivileges());
  if (plan.uses_landlock) {
    // A program of the host that can be talked to may hand in a directory of the host's.
    const Reading reading = plan.host_sockets.empty() ? Reading::kFree : Reading::kHeld;
    PADDOCK_ASSIGN(const bool has_landlock, RestrictWithLandlock(writable, reading));
    if (!has_landlock) PADDOCK_TRY(SendLaunchMessage(launch, Kind::kWarning, 0, "this kernel has no Landlock; mounts and namespaces alone confine files"));
  }
  return InstallFilter(plan, tree, launch);
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
