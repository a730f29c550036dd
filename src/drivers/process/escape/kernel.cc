// Parts of the kernel that code behind a wall has no business with. Arguments are such that nothing happens.
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/fanotify.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "drivers/process/escape/reading.h"

namespace paddock::escape {
namespace {

Verdict Bpf(const Facts&) {
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = 4;
  attributes.value_size = 4;
  attributes.max_entries = 1;
  return Judge("bpf", syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes));
}
Verdict IoUring(const Facts&) {
  std::array<char, 256> parameters{};
  return Judge("io_uring_setup", syscall(SYS_io_uring_setup, 2, parameters.data()));
}
Verdict UserFault(const Facts&) { return Judge("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | 1)); }
Verdict Perf(const Facts&) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.exclude_kernel = 1;
  attributes.disabled = 1;
  return Judge("perf_event_open", syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}
Verdict AddKey(const Facts&) { return Judge("add_key", syscall(SYS_add_key, "user", "paddock-escape", "x", 1, -1 /* the thread's keyring */)); }
Verdict LoadModule(const Facts&) { return JudgeRight("init_module", syscall(SYS_init_module, nullptr, 0, "")); }
Verdict Trace(const Facts&) {
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Escaped("ptrace is allowed") : Held("ptrace is refused");
}

// In a child, since the namespace would stay.
Verdict InChild(const char* what, long (*call)()) {
  const pid_t child = fork();
  if (child == 0) {
    errno = 0;
    const long result = call();
    _exit(result >= 0 ? 0 : errno == 0 ? 255 : errno);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return Held(std::string(what) + ": killed by signal " + std::to_string(WTERMSIG(status)));
  errno = WEXITSTATUS(status);
  return Judge(what, WEXITSTATUS(status) == 0 ? 0 : -1);
}
Verdict UserNamespace(const Facts&) {
  return InChild("unshare of a user namespace", [] { return static_cast<long>(unshare(CLONE_NEWUSER)); });
}
Verdict OtherNamespaces(const Facts&) {
  return InChild("unshare of mount and network namespaces", [] { return static_cast<long>(unshare(CLONE_NEWNS | CLONE_NEWNET)); });
}
Verdict CloneNamespace(const Facts&) {
  return InChild("clone of a user namespace", [] {
    const long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (child == 0) _exit(0);
    return child;
  });
}
Verdict Clone3Namespace(const Facts&) {
  return InChild("clone3 of a user namespace", [] {
    std::array<uint64_t, 8> arguments{CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0};
    const long child = syscall(SYS_clone3, arguments.data(), sizeof arguments);
    if (child == 0) _exit(0);
    return child;
  });
}
Verdict Persona(const Facts&) { return Judge("personality READ_IMPLIES_EXEC", personality(READ_IMPLIES_EXEC)); }
#ifdef __x86_64__
Verdict Ldt(const Facts&) {
  std::array<unsigned, 4> entry{0, 0, 0xfffff, 0x51};
  return Judge("modify_ldt", static_cast<int>(syscall(SYS_modify_ldt, 1, entry.data(), sizeof entry)));
}
Verdict Foreign32(const Facts&) {
  return InChild("a 32-bit system call", [] {
    long result = 20;   // getpid
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    return result == getpid() ? 0L : -1L;
  });
}
Verdict ForeignX32(const Facts&) {
  return InChild("an x32 system call", [] { return syscall(0x40000000L + SYS_getpid) == getpid() ? 0L : -1L; });
}
Verdict Ports(const Facts&) { return Judge("ioperm", syscall(SYS_ioperm, 0x80, 1, 1)); }
#endif

Verdict Socket(const char* what, int family, int type, int protocol) {
  const int made = socket(family, type | SOCK_CLOEXEC, protocol);
  const Verdict verdict = Judge(what, made);
  if (made >= 0) close(made);
  return verdict;
}
Verdict Vsock(const Facts&) { return Socket("an AF_VSOCK socket", AF_VSOCK, SOCK_STREAM, 0); }
Verdict Packet(const Facts&) { return Socket("an AF_PACKET socket", AF_PACKET, SOCK_RAW, 0x300); }
Verdict Raw(const Facts&) { return Socket("a raw socket", AF_INET, SOCK_RAW, 1); }
Verdict Alg(const Facts&) { return Socket("an AF_ALG socket", AF_ALG, SOCK_SEQPACKET, 0); }
Verdict Netfilter(const Facts&) { return Socket("a netfilter socket", AF_NETLINK, SOCK_RAW, 12); }
Verdict Events(const Facts&) { return Socket("a socket for the kernel's events", AF_NETLINK, SOCK_DGRAM, 15); }

Verdict Fanotify(const Facts&) { return Judge("fanotify_init", fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID, O_RDONLY)); }
Verdict Swap(const Facts&) { return JudgeRight("swapoff", swapoff("/paddock-escape-no-such-file")); }
Verdict Reboot(const Facts&) { return JudgeRight("reboot", syscall(SYS_reboot, 0, 0, 0, nullptr)); }   // without its magic numbers
Verdict HostName(const Facts&) {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return Judge("sethostname", sethostname(name.data(), std::strlen(name.data())));
}
Verdict Clock(const Facts&) {
  timex now{};
  if (adjtimex(&now) < 0) return Held(std::string("adjtimex: ") + std::strerror(errno));
  now.modes = ADJ_FREQUENCY;   // as it is
  return Judge("adjusting the clock", adjtimex(&now));
}
Verdict KernelLog(const Facts&) {
  std::array<char, 64> text{};
  return Judge("syslog", klogctl(3, text.data(), text.size()));
}
Verdict Accounting(const Facts&) { return JudgeRight("acct", acct("/paddock-escape-no-such-directory/file")); }
Verdict LockMemory(const Facts&) {
  constexpr size_t kBytes = 64 << 20;
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Held("mmap is refused");
  const Verdict verdict = Judge("locking 64 MiB of memory", mlock(memory, kBytes));
  munmap(memory, kBytes);
  return verdict;
}

constexpr Probe kProbes[] = {
    {"kernel/bpf", "a BPF map", Bpf},
    {"kernel/io-uring", "an io_uring, which goes round filters", IoUring},
    {"kernel/userfaultfd", "handling of its own page faults in the kernel", UserFault},
    {"kernel/perf", "performance events", Perf},
    {"kernel/add-key", "the kernel's keyrings", AddKey},
    {"kernel/module", "loading a module", LoadModule},
    {"kernel/ptrace", "tracing its own child", Trace, Needs::kNoPtrace},
    {"kernel/user-namespace", "a user namespace by unshare", UserNamespace, Needs::kNoNesting},
    {"kernel/namespaces", "mount and network namespaces by unshare", OtherNamespaces, Needs::kNoNesting},
    {"kernel/clone", "a user namespace by clone", CloneNamespace, Needs::kNoNesting},
    {"kernel/clone3", "a user namespace by clone3, whose flags filters cannot see", Clone3Namespace, Needs::kNoNesting},
    {"kernel/personality", "readable memory that is executable", Persona},
#ifdef __x86_64__
    {"kernel/modify-ldt", "a descriptor table of its own", Ldt},
    {"kernel/foreign-32", "32-bit system calls, which have other numbers", Foreign32},
    {"kernel/foreign-x32", "x32 system calls, which have other numbers", ForeignX32},
    {"kernel/ports", "input and output ports", Ports},
#endif
    {"kernel/vsock", "sockets to the hypervisor", Vsock},
    {"kernel/packet", "packet sockets", Packet},
    {"kernel/raw-socket", "raw sockets", Raw},
    {"kernel/alg", "sockets to the kernel's ciphers", Alg},
    {"kernel/netfilter", "the firewall's netlink sockets", Netfilter},
    {"kernel/events", "the device events' netlink sockets", Events},
    {"kernel/fanotify", "notifications about whole file systems", Fanotify},
    {"kernel/swap", "turning off swap (of a file that is not there)", Swap},
    {"kernel/reboot", "the right to reboot", Reboot},
    {"kernel/host-name", "the host's name, written back", HostName},
    {"kernel/clock", "the clock's frequency, written back", Clock},
    {"kernel/syslog", "the kernel's log by syslog", KernelLog},
    {"kernel/accounting", "process accounting (to a file that cannot be)", Accounting},
    {"kernel/lock-memory", "locking much memory", LockMemory},
};

}  // namespace

std::span<const Probe> KernelProbes() { return kProbes; }

}  // namespace paddock::escape
