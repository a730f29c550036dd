#include "guest/agent/machine.h"

#include <fcntl.h>
#include <linux/random.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "base/descriptor.h"
#include "guest/agent/process_mark.h"

#ifdef PADDOCK_SANITIZE
#include <sanitizer/asan_interface.h>
#endif

namespace paddock::guest {
namespace {

constexpr size_t kStackBytes = 64 * 1024;

// What the child of Spawn() works with. It shares the parent's memory until it executes, so it allocates nothing.
struct Child {
  const SpawnPlan* plan;
  char* const* arguments;
  char* const* environment;
  const ProcessMark* mark;
  uint64_t descriptor_limit;
  uint64_t ignored_signals;
  Step step = Step::kNone;
  int error_number = 0;
};

int Fail(Child& child, Step step) {
  child.step = step;
  child.error_number = errno;
  return 127;
}

// What a signal's handler is; the raw call's struct, since glibc keeps two signals of its own from sigaction().
struct PlainAction {
  void (*handler)(int) = SIG_DFL;
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  uint64_t mask = 0;
};

uint64_t IgnoredSignals() {
  uint64_t ignored = 0;
  for (int signal = 1; signal <= 64; ++signal) {
    PlainAction action;
    syscall(SYS_rt_sigaction, signal, nullptr, &action, sizeof action.mask);
    if (action.handler == SIG_IGN) ignored |= uint64_t{1} << (signal - 1);
  }
  return ignored;
}

// Handlers end with the execution by themselves; what is ignored would stay so.
void ResetSignals(uint64_t ignored) {
  const PlainAction plain;
  for (int signal = 1; signal <= 64; ++signal) {
    if ((ignored >> (signal - 1) & 1) != 0) syscall(SYS_rt_sigaction, signal, &plain, nullptr, sizeof plain.mask);
  }
  const uint64_t none = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof none);
}

// Puts the three descriptors at 0, 1 and 2 and closes all others.
bool ArrangeDescriptors(const int (&wanted)[3]) {
  int from[3] = {wanted[0], wanted[1], wanted[2]};
  for (int& fd : from) {
    // Out of the way of the targets.
    if (fd < 3) fd = fcntl(fd, F_DUPFD, 3);
    if (fd < 0) return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (dup2(from[i], i) < 0) return false;
  }
  if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return true;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (rlim_t fd = 3; fd < limit.rlim_cur && fd < 1'048'576; ++fd) close(static_cast<int>(fd));
  return true;
}

// The calls themselves, not glibc's: those would tell other threads, and this child is none of ours.
bool BecomeUser(const ProcessUser& user) {
  static_assert(sizeof(gid_t) == sizeof(uint32_t));
  const bool is_already = getuid() == user.uid && geteuid() == user.uid && getgid() == user.gid && getegid() == user.gid;
  if (syscall(SYS_setgroups, user.groups.size(), user.groups.data()) != 0 && !(is_already && user.groups.empty())) {
    return false;
  }
  return syscall(SYS_setresgid, user.gid, user.gid, user.gid) == 0 && syscall(SYS_setresuid, user.uid, user.uid, user.uid) == 0;
}

int RunChild(void* argument) {
  Child& child = *static_cast<Child*>(argument);
  const StartRequest& request = *child.plan->request;
  ResetSignals(child.ignored_signals);
  if (setsid() < 0) return Fail(child, Step::kSession);
  if (!ArrangeDescriptors(child.plan->descriptors)) return Fail(child, Step::kPipe);
  if (child.plan->has_terminal && ioctl(0, TIOCSCTTY, 0) != 0) return Fail(child, Step::kTerminal);
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = child.descriptor_limit;
  setrlimit(RLIMIT_NOFILE, &descriptors);
  child.mark->Apply();
  for (const ResourceLimit& limit : request.limits) {
    const rlimit value{limit.soft, limit.hard};
    if (setrlimit(static_cast<__rlimit_resource>(limit.resource), &value) != 0) return Fail(child, Step::kLimits);
  }
  if (request.user && !BecomeUser(*request.user)) return Fail(child, Step::kUser);
  umask(request.umask.value_or(022));
  if (chdir(request.directory.c_str()) != 0) return Fail(child, Step::kDirectory);
  int error_number = ENOENT;
  for (const std::string& path : child.plan->paths) {
    execve(path.c_str(), child.arguments, child.environment);
    // What is there but cannot be executed says more than what is not there.
    if (errno != ENOENT && errno != ENOTDIR) error_number = errno;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
  }
  errno = error_number;
  return Fail(child, Step::kExec);
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

RealMachine::RealMachine() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  descriptor_limit_ = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  // Two of them by the agent itself.
  ignored_signals_ = IgnoredSignals() | uint64_t{1} << (SIGPIPE - 1) | uint64_t{1} << (SIGXFSZ - 1);
}

Spawned RealMachine::Spawn(const SpawnPlan& plan) {
  const std::vector<char*> arguments = Pointers(plan.request->arguments);
  const std::vector<char*> environment = Pointers(plan.request->environment);
  const ProcessMark mark(plan.mark);
  Child child{&plan, arguments.data(), environment.data(), &mark, descriptor_limit_, ignored_signals_};
  void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return {-1, errno, Step::kFork};
#ifdef PADDOCK_SANITIZE
  // The child before this left from the middle of its functions: their variables still count as out of scope here.
  __asan_unpoison_memory_region(stack, kStackBytes);
#endif
  // No signal may run a handler of ours on the child's stack; all that the agent takes come by signalfd.
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  // Shares the memory and stops this thread until the child executes or ends: no page tables are copied.
  const pid_t pid = clone(RunChild, static_cast<char*>(stack) + kStackBytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
  const int fork_error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  munmap(stack, kStackBytes);
  if (pid < 0) return {-1, fork_error, Step::kFork};
  if (child.step != Step::kNone) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return {-1, child.error_number, child.step};
  }
  return {pid, 0, Step::kNone};
}

int RealMachine::Kill(pid_t pid, int signal) { return kill(pid, signal) == 0 ? 0 : errno; }

size_t RealMachine::SignalTree(const ProcessTree& tree, int signal) { return guest::SignalTree(tree, signal); }

void RealMachine::StopTree(const ProcessTree& tree) { guest::StopTree(tree); }

bool RealMachine::HasNobody() { return guest::HasNobody(); }

int RealMachine::SetOomScore(pid_t pid, int score) { return guest::SetOomScore(pid, score); }

int RealMachine::SetTime(int64_t nanoseconds) {
  constexpr int64_t kSecond = 1'000'000'000;
  if (nanoseconds < 0) return EINVAL;
  const timespec time{.tv_sec = nanoseconds / kSecond, .tv_nsec = nanoseconds % kSecond};
  return clock_settime(CLOCK_REALTIME, &time) == 0 ? 0 : errno;
}

int RealMachine::AddEntropy(std::string_view bytes) {
  const Descriptor pool(open("/dev/urandom", O_WRONLY | O_CLOEXEC));
  if (!pool) return errno;
  // rand_pool_info with its bytes behind it.
  std::string counted(2 * sizeof(int), '\0');
  const int sizes[2] = {static_cast<int>(bytes.size() * 8), static_cast<int>(bytes.size())};
  std::memcpy(counted.data(), sizes, sizeof sizes);
  counted.append(bytes);
  if (ioctl(pool.get(), RNDADDENTROPY, counted.data()) == 0) return 0;
  return write(pool.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) ? 0 : EIO;
}

}  // namespace paddock::guest
