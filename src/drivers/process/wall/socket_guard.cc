#include "drivers/process/wall/socket_guard.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "drivers/process/wall/confine.h"

namespace paddock::process_wall {
namespace {

// A connection that has to wait (a full queue of a listener) occupies a thread. Beyond these, others wait for their turn.
constexpr int kMostThreads = 32;
constexpr size_t kStackBytes = 128 << 10;
// Of the guard's own table of descriptors.
constexpr int kListener = 3, kDiagnosis = 4, kDenials = 5, kFirstFree = 6;
constexpr size_t kMostAddress = 128;   // sockaddr_storage
constexpr size_t kMostPath = 108;      // sun_path

Error Failure(const char* what) {
  const int code = errno;
  return Error(static_cast<Code>(code), std::string(what) + ": " + std::strerror(code));
}

uint32_t KernelDevice(uint32_t major, uint32_t minor) { return major << 20 | minor; }

SocketFile FileOf(uint32_t device, uint64_t inode) { return {device, static_cast<uint32_t>(inode)}; }

// Of the thread that called. Kernels before 6.9 give one of a whole process only.
Descriptor OpenCaller(pid_t thread) {
  constexpr unsigned kOfThread = O_EXCL;   // PIDFD_THREAD
  Descriptor found(static_cast<int>(syscall(SYS_pidfd_open, thread, kOfThread)));
  if (found.is_open() || errno != EINVAL) return found;
  found.Reset(static_cast<int>(syscall(SYS_pidfd_open, thread, 0)));
  if (found.is_open()) return found;
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/status", thread);
  const Descriptor status(open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  if (!status.is_open() || read(status.get(), text.data(), text.size() - 1) <= 0) return found;
  const char* const line = std::strstr(text.data(), "\nTgid:");
  int process = 0;
  if (line == nullptr || std::sscanf(line, "\nTgid: %d", &process) != 1) return found;
  found.Reset(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  return found;
}

int OpenPath(int directory, const char* path, uint64_t resolve) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = resolve;
  return static_cast<int>(syscall(SYS_openat2, directory, path, &how, sizeof how));
}

Descriptor OpenPlace(pid_t caller, const char* name) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/%s", caller, name);
  return Descriptor(open(path.data(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// What the caller's path names, as it sees it: its directory, its root, its own /proc.
Descriptor OpenAsCaller(pid_t caller, const char* path, bool allows_nesting) {
  struct Alias {
    const char* prefix;
    const char* place;
  };
  for (const auto& [prefix, place] : {Alias{"/proc/self/", ""}, {"/proc/thread-self/", ""}, {"/dev/fd/", "fd/"}}) {
    const size_t length = std::strlen(prefix);
    if (std::strncmp(path, prefix, length) != 0) continue;
    std::array<char, kMostPath + 64> own{};
    std::snprintf(own.data(), own.size(), "/proc/%d/%s%s", caller, place, path + length);
    return Descriptor(OpenPath(AT_FDCWD, own.data(), 0));
  }
  const bool is_absolute = path[0] == '/';
  if (is_absolute && !allows_nesting) return Descriptor(OpenPath(AT_FDCWD, path, RESOLVE_NO_MAGICLINKS));
  const Descriptor start = OpenPlace(caller, is_absolute ? "root" : "cwd");
  if (!start.is_open()) return {};
  return Descriptor(OpenPath(start.get(), path, RESOLVE_NO_MAGICLINKS | (is_absolute ? RESOLVE_IN_ROOT : 0)));
}

int ConnectTo(int socket, int target) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/thread-self/fd/%d", target);
  return connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : -errno;
}

}  // namespace

struct SocketGuard::Call {
  uint64_t id = 0;
  pid_t caller = 0;
  int socket = -1;
  uint64_t address = 0;
  int size = 0;
};

// What two threads tell each other; lives as long as the process.
struct SocketGuard::Meeting {
  sem_t given, taken;
  std::atomic<int> threads = 1, waiting = 0;
};

SocketGuard::~SocketGuard() = default;

Result<std::unique_ptr<SocketGuard>> SocketGuard::Make(const WallPlan& plan, std::vector<uint32_t> own_devices, Descriptor denials) {
  std::unique_ptr<SocketGuard> guard(new SocketGuard);   // allow(raw-new): private constructor
  guard->meeting_ = std::make_unique<Meeting>();
  sem_init(&guard->meeting_->given, 0, 0);
  sem_init(&guard->meeting_->taken, 0, 0);
  guard->own_devices_ = std::move(own_devices);
  guard->denials_ = std::move(denials);
  guard->allows_nesting_ = plan.seccomp == SeccompProfile::kNested;
  for (const std::string& path : plan.host_sockets) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return Failure(path.c_str());
    // Its mount holds the inode, so the number stays its own.
    guard->granted_.push_back(FileOf(KernelDevice(major(status.st_dev), minor(status.st_dev)), status.st_ino));
  }
  return guard;
}

std::string SocketGuard::Lacks() const {
  return bound_.is_available() ? "" : "this kernel has no unix_diag: sockets in directories of the host that are shown inside cannot be connected to, whoever made them";
}

// Which file system each mount shows, for the rare ones (btrfs) that tell programs another number. The table of the wall's mounts does not change
// any more and is long, so it is read when it is first needed.
const std::vector<SocketGuard::Mount>& SocketGuard::Mounts() {
  std::call_once(mounts_are_read_, [this] {
    std::ifstream table("/proc/thread-self/mountinfo");
    for (std::string line; std::getline(table, line);) {
      unsigned long id = 0;
      unsigned parent = 0, device_major = 0, device_minor = 0;
      if (std::sscanf(line.c_str(), "%lu %u %u:%u", &id, &parent, &device_major, &device_minor) != 4) continue;
      mounts_.push_back({id, KernelDevice(device_major, device_minor)});
    }
  });
  return mounts_;
}

Status SocketGuard::Start() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Signals are for the agent.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto run = [](void* self) -> void* {
    static_cast<SocketGuard*>(self)->BeginServing();
    return nullptr;
  };
  pthread_t thread{};
  errno = pthread_create(&thread, &attributes, run, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return errno == 0 ? Status() : Status(Failure("start a thread"));
}

Status SocketGuard::Serve(std::unique_ptr<SocketGuard> guard, Descriptor listener) {
  SocketGuard* const self = guard.release();   // the thread's from here on
  self->listener_ = std::move(listener);
  sem_post(&self->meeting_->given);
  while (sem_wait(&self->meeting_->taken) != 0) {
  }
  const Status begun = self->begun_;
  // The guard's copies are in a table of its own.
  self->listener_.Reset();
  self->bound_.descriptor().Reset();
  self->denials_.Reset();
  sem_post(&self->meeting_->given);   // the last that this thread does with it
  return begun;
}

void SocketGuard::BeginServing() {
  while (sem_wait(&meeting_->given) != 0) {
  }
  // Its own descriptors and directory, and a filter that fits what it does.
  const auto begin = [this]() -> Status {
    if (unshare(CLONE_FILES | CLONE_FS) != 0) return Failure("leave the agent's descriptors");
    std::array<int, 3> kept{listener_.get(), bound_.descriptor().get(), denials_.get()};
    for (int& number : kept) {
      if (number >= 0 && (number = fcntl(number, F_DUPFD_CLOEXEC, kFirstFree)) < 0) return Failure("arrange descriptors");
    }
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] >= 0 && dup3(kept[i], kListener + static_cast<int>(i), O_CLOEXEC) < 0) return Failure("arrange descriptors");
    }
    if (syscall(SYS_close_range, kFirstFree, ~0u, 0) != 0) return Failure("close the agent's descriptors");
    // Who asks and who answers take turns on one processor: half the time. Linux 6.6.
    constexpr unsigned long kSetFlags = _IOW('!', 4, uint64_t), kTakeTurns = 1;   // SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
    (void)!ioctl(kListener, kSetFlags, kTakeTurns);
    return InstallGuardSeccomp();
  };
  begun_ = begin();
  sem_post(&meeting_->taken);
  while (sem_wait(&meeting_->given) != 0) {
  }
  const bool has_begun = static_cast<bool>(begun_);
  if (has_begun) {
    listener_ = Descriptor(kListener);
    bound_.descriptor() = Descriptor(kDiagnosis);
    denials_ = Descriptor(kDenials);
  }
  if (has_begun) AnswerCalls();
}

void SocketGuard::EnsureOneWaits() {
  if (meeting_->waiting > 0 || meeting_->threads >= kMostThreads) return;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ++meeting_->threads;
  const auto run = [](void* self) -> void* {
    static_cast<SocketGuard*>(self)->AnswerCalls();
    return nullptr;
  };
  pthread_t thread{};
  // When there is no room for another process, calls are answered one after the other.
  if (pthread_create(&thread, &attributes, run, this) != 0) --meeting_->threads;
  pthread_attr_destroy(&attributes);
}

void SocketGuard::AnswerCalls() {
  while (true) {
    seccomp_notif asked{};
    ++meeting_->waiting;
    const int got = ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &asked);
    --meeting_->waiting;
    if (got != 0) {
      if (errno == EINTR || errno == ENOENT) continue;   // ENOENT: the caller has been killed
      return;   // without an answer every further call fails
    }
    EnsureOneWaits();
    const Call call{asked.id, static_cast<pid_t>(asked.pid), static_cast<int>(asked.data.args[0]), asked.data.args[1], static_cast<int>(asked.data.args[2])};
    seccomp_notif_resp answer{};
    answer.id = asked.id;
    answer.error = Answer(call);
    ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);   // fails when the caller has been killed
  }
}

// What connect(2) would return: 0, or a negative errno.
int SocketGuard::Answer(const Call& call) {
  const Descriptor caller = OpenCaller(call.caller);
  if (!caller.is_open()) return -EPERM;
  const Descriptor socket(static_cast<int>(syscall(SYS_pidfd_getfd, caller.get(), call.socket, 0)));
  if (!socket.is_open()) return errno == EBADF ? -EBADF : -EPERM;
  int family = 0;
  socklen_t length = sizeof family;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &family, &length) != 0) return -errno;
  if (call.size < 0 || static_cast<size_t>(call.size) > kMostAddress) return -EINVAL;
  alignas(sockaddr_un) std::array<char, kMostAddress + 1> address{};
  const auto size = static_cast<size_t>(call.size);
  if (size > 0) {
    const iovec here{address.data(), size}, there{reinterpret_cast<void*>(call.address), size};
    const ssize_t got = process_vm_readv(call.caller, &here, 1, &there, 1, 0);
    if (got != static_cast<ssize_t>(size)) return got < 0 && errno != EFAULT ? -EPERM : -EFAULT;
  }
  // Still the same process: what was read is the caller's.
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) != 0) return -EINTR;
  sa_family_t named = AF_UNSPEC;
  if (size >= sizeof named) std::memcpy(&named, address.data(), sizeof named);
  constexpr size_t kPathOffset = offsetof(sockaddr_un, sun_path);
  const bool has_path = family == AF_UNIX && named == AF_UNIX && size > kPathOffset && size <= sizeof(sockaddr_un) && address[kPathOffset] != '\0';
  if (!has_path) {
    return connect(socket.get(), reinterpret_cast<const sockaddr*>(address.data()), static_cast<socklen_t>(size)) == 0 ? 0 : -errno;
  }
  address[size] = '\0';
  const char* const path = address.data() + kPathOffset;
  const Descriptor target = OpenAsCaller(call.caller, path, allows_nesting_);
  if (!target.is_open()) return -errno;
  struct stat status{};
  if (fstat(target.get(), &status) != 0) return -errno;
  if (!S_ISSOCK(status.st_mode)) return -ECONNREFUSED;
  return IsMadeInside(target.get()) ? ConnectTo(socket.get(), target.get()) : Refuse(path, target.get());
}

bool SocketGuard::IsMadeInside(int target) {
  struct statx status{};
  constexpr unsigned kMountId = 0x1000;   // STATX_MNT_ID
  if (statx(target, "", AT_EMPTY_PATH, STATX_BASIC_STATS | kMountId, &status) != 0) return false;
  uint32_t device = KernelDevice(status.stx_dev_major, status.stx_dev_minor);
  const auto is_granted = std::find(granted_.begin(), granted_.end(), FileOf(device, status.stx_ino)) != granted_.end();
  if (is_granted) return true;
  const std::vector<Mount>& mounts = Mounts();
  const auto mount = std::find_if(mounts.begin(), mounts.end(), [&](const Mount& each) { return each.id == status.stx_mnt_id; });
  if ((status.stx_mask & kMountId) != 0 && mount != mounts.end()) device = mount->device;
  if (std::find(own_devices_.begin(), own_devices_.end(), device) != own_devices_.end()) return true;
  return bound_.Has(FileOf(device, status.stx_ino));
}

// A name that a program has left behind answers as ever. To tell, a socket of another type asks: it is refused before the other side
// notices anything.
int SocketGuard::Refuse(const char* path, int target) {
  const Descriptor other(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (other.is_open() && ConnectTo(other.get(), target) == -ECONNREFUSED) return -ECONNREFUSED;
  // A pipe that nobody empties drops what comes.
  if (write(denials_.get(), path, std::strlen(path) + 1) < 0) return -EACCES;
  return -EACCES;
}

}  // namespace paddock::process_wall
