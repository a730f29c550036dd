#include "drivers/process/wall/host_probe.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "drivers/process/wall/confine.h"
#include "base/descriptor.h"
#include "drivers/process/wall/id_map.h"
#include "drivers/process/wall/network.h"
#include "drivers/process/wall/new_process.h"

namespace paddock::process_wall {
namespace {

constexpr uint32_t kInsideId = 1000, kHostId = 0x70ffffff;

struct NamedFlag {
  const char* name;
  int flag;
};
constexpr NamedFlag kEach[] = {{"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID}, {"net", CLONE_NEWNET},
                               {"ipc", CLONE_NEWIPC},  {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}};

class Reporter {
 public:
  explicit Reporter(int output) : output_(output) {}
  void Say(std::string_view step, int error, std::string_view text = {}) const {
    const std::string line = std::string(step) + " " + std::to_string(error) + " " + std::string(text) + "\n";
    const ssize_t written = write(output_, line.data(), line.size());
    (void)written;   // a reader that is gone asks for nothing
  }
  // For what returns -1 and sets errno.
  bool Try(std::string_view step, long result, std::string_view text = {}) const {
    Say(step, result < 0 ? errno : 0, text);
    return result >= 0;
  }
  bool Try(std::string_view step, const Status& status) const {
    if (status) Say(step, 0);
    else Say(step, static_cast<int>(status.error().code), status.error().Text());
    return static_cast<bool>(status);
  }

 private:
  int output_;
};

// Runs `body` in a child that may go away with whatever it has made.
template <class Body>
void InChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

void TryOwnerMaps(const Reporter& report, const std::string& directory) {
  auto map = MakeIdMap({0, kHostId}, {0, kHostId});
  if (!map) return report.Say("idmap", static_cast<int>(map.error().code), map.error().Text());
  const Descriptor mount(open_tree(AT_FDCWD, directory.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!mount.is_open()) return report.Say("idmap", errno, "take the directory");
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<uint64_t>(map->get());
  report.Try("idmap", mount_setattr(mount.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes), directory);
}

void TryMounts(const Reporter& report) {
  report.Try("private", mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
  // A directory of the host's that the mounts of this namespace may cover.
  const char* base = nullptr;
  for (const char* candidate : {"/tmp", "/run", "/mnt", "/var"}) {
    if (mount("paddock", candidate, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") == 0) {
      base = candidate;
      break;
    }
  }
  if (!report.Try("tmpfs", base == nullptr ? -1 : 0) || chdir(base) != 0) return;
  for (const char* name : {"a", "b", "p", "lower", "upper", "work", "merged"}) {
    if (mkdir(name, 0755) != 0) return report.Say("tmpfs", errno, "make a directory on it");
  }
  const Descriptor context(fsopen("tmpfs", FSOPEN_CLOEXEC));
  if (report.Try("fsopen", context.get())) {
    const int created = fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0);
    const Descriptor made(created < 0 ? -1 : fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID));
    report.Try("fsmount", made.get());
  }
  const Descriptor clone(open_tree(AT_FDCWD, "/usr", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
  if (report.Try("open_tree", clone.get())) {
    mount_attr readonly{};
    readonly.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    report.Try("mount_setattr", mount_setattr(clone.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &readonly, sizeof readonly));
    report.Try("move_mount", move_mount(clone.get(), "", AT_FDCWD, "a", MOVE_MOUNT_F_EMPTY_PATH));
  }
  report.Try("overlay", mount("paddock", "merged", "overlay", MS_NOSUID | MS_NODEV, "userxattr,lowerdir=lower,upperdir=upper,workdir=work"));
  report.Try("proc", mount("proc", "p", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr));
}

void TryNetwork(const Reporter& report) {
  if (!report.Try("loopback", BringUpLoopback())) return;
  if (!report.Try("capture", CaptureNetwork())) return;
  for (const uint16_t port : {uint16_t{53}, uint16_t{80}, uint16_t{443}}) {
    const auto listener = MakeListener({.kind = ListenerSpec::Kind::kTcp4, .is_any = true, .port = port});
    report.Try("listen-" + std::to_string(port), listener ? Status() : Status(listener.error()));
  }
  const auto six = MakeListener({.kind = ListenerSpec::Kind::kTcp6, .is_any = true, .port = 80});
  report.Try("ipv6", six ? Status() : Status(six.error()));
}

void TryFilters(const Reporter& report) {
  if (!report.Try("privileges", DropPrivileges())) return;
  const auto landlock = RestrictWithLandlock({}, Reading::kHeld);
  if (!landlock) report.Say("landlock-rules", static_cast<int>(landlock.error().code), landlock.error().Text());
  else report.Say("landlock-rules", *landlock ? 0 : ENOSYS);
  if (!report.Try("seccomp", InstallSeccomp(SeccompProfile::kDefault))) return;
  const bool is_refused = unshare(CLONE_NEWUSER) != 0 && errno == EPERM;
  report.Say("seccomp-acts", is_refused ? 0 : EINVAL);
}

// Process 1 of the new namespaces.
[[noreturn]] void Inside(const Reporter& report, bool is_root) {
  if (is_root) {
    if (!report.Try("groups", setgroups(0, nullptr))) _exit(0);
    if (!report.Try("identity", setresgid(kInsideId, kInsideId, kInsideId))) _exit(0);
    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    if (!report.Try("identity", setresuid(kInsideId, kInsideId, kInsideId))) _exit(0);
  }
  TryNetwork(report);
  TryMounts(report);
  TryFilters(report);
  report.Say("end", 0);
  _exit(0);
}

// Which of them it is, when all at once are refused.
void TryEachNamespace(const Reporter& report) {
  InChild([&report] {
    if (!report.Try("unshare-user", unshare(CLONE_NEWUSER))) return;
    for (const NamedFlag& each : kEach) report.Try(std::string("unshare-") + each.name, unshare(each.flag));
  });
}

}  // namespace

int ProbeHost(int output, const std::string& directory) {
  signal(SIGPIPE, SIG_IGN);
  const Reporter report(output);
  const bool is_root = geteuid() == 0;
  const long abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  report.Try("landlock", abi, std::to_string(abi));
  if (is_root) TryOwnerMaps(report, directory);
  int gate[2];
  if (pipe2(gate, O_CLOEXEC) != 0) return 1;
  const long child = CloneProcess(WallNamespaces(), SIGCHLD, -1).pid;
  if (child == 0) {
    char go = 0;
    close(gate[1]);
    if (read(gate[0], &go, 1) != 1) _exit(1);
    Inside(report, is_root);
  }
  if (!report.Try("clone", child)) {
    TryEachNamespace(report);
    return 0;
  }
  const auto process = static_cast<pid_t>(child);
  const IdPair uid = is_root ? IdPair{kInsideId, kHostId} : IdPair{geteuid(), geteuid()};
  const IdPair gid = is_root ? IdPair{kInsideId, kHostId} : IdPair{getegid(), getegid()};
  if (report.Try("maps", WriteIdMaps(process, uid, gid, !is_root))) {
    if (write(gate[1], "g", 1) != 1) kill(process, SIGKILL);
  } else {
    kill(process, SIGKILL);
  }
  waitpid(process, nullptr, 0);
  return 0;
}

}  // namespace paddock::process_wall
