// Other processes: to see, read, stop, or outlive them; and rights that a process should not have.
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <grp.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "drivers/process/escape/reading.h"

namespace paddock::escape {
namespace {

pid_t Victim(const Facts& facts) { return static_cast<pid_t>(facts.Number("victim")); }

Verdict Environments(const Facts& facts) {
  std::string text;
  // In the control only the victim, so that no other secret is printed.
  if (facts.is_control()) return Show("the environment of a process", ReadSome("/proc/" + facts.Text("victim") + "/environ"));
  AnyProcess([&](const std::string& process) {
    const std::string own = ReadSome(process + "/environ");
    if (own.find("PADDOCK_ESCAPE_SECRET=") != std::string::npos) text = own;
    return !text.empty();
  });
  return Show("the environment of a process outside", text);
}

Verdict CommandLines(const Facts& facts) {
  std::string text;
  AnyProcess([&](const std::string& process) {
    const std::string line = ReadSome(process + "/cmdline");
    if (line.find("paddock-escape-victim") != std::string::npos) text = line;
    return !text.empty();
  });
  (void)facts;
  return Show("the command line of a process outside", text);
}

// Success may concern a process inside with the same number: the stage sees whether its own was hit.
Verdict SignalVictim(const Facts& facts) {
  const int sent = kill(Victim(facts), SIGUSR1);
  return sent == 0 ? Held("a signal was sent to that number") : Held(std::string("kill: ") + std::strerror(errno));
}

std::string ReadVictimMemory(const Facts& facts) {
  std::array<char, 64> buffer{};
  const iovec local{buffer.data(), buffer.size()};
  const iovec remote{reinterpret_cast<void*>(static_cast<uintptr_t>(facts.Number("victim_address"))), buffer.size()};
  const auto got = process_vm_readv(Victim(facts), &local, 1, &remote, 1, 0);
  return got > 0 ? std::string(buffer.data(), static_cast<size_t>(got)) : std::string();
}
Verdict ReadMemory(const Facts& facts) { return Show("memory of a process outside", ReadVictimMemory(facts)); }

Verdict ReadMemoryFile(const Facts& facts) {
  const int file = open(("/proc/" + facts.Text("victim") + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Held(std::string("/proc/PID/mem: ") + std::strerror(errno));
  std::array<char, 64> buffer{};
  const ssize_t got = pread(file, buffer.data(), buffer.size(), static_cast<off_t>(facts.Number("victim_address")));
  close(file);
  return Show("memory of a process outside", got > 0 ? std::string(buffer.data(), static_cast<size_t>(got)) : std::string());
}

Verdict Attach(const Facts& facts) {
  const pid_t victim = Victim(facts);
  if (ptrace(PTRACE_SEIZE, victim, nullptr, nullptr) != 0) return Held(std::string("ptrace: ") + std::strerror(errno));
  std::array<char, 64> text{};
  for (size_t at = 0; at < text.size(); at += sizeof(long)) {
    errno = 0;
    ptrace(PTRACE_INTERRUPT, victim, nullptr, nullptr);
    int status = 0;
    if (at == 0) waitpid(victim, &status, __WALL);
    const long word = ptrace(PTRACE_PEEKDATA, victim, facts.Number("victim_address") + static_cast<int64_t>(at), nullptr);
    if (errno != 0) break;
    std::memcpy(text.data() + at, &word, sizeof word);
  }
  ptrace(PTRACE_DETACH, victim, nullptr, nullptr);
  return Show("a process outside, attached to,", text.data());
}

Verdict TakeDescriptor(const Facts& facts) {
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, Victim(facts), 0));
  if (process < 0) return Held(std::string("pidfd_open: ") + std::strerror(errno));
  const auto taken = static_cast<int>(syscall(SYS_pidfd_getfd, process, facts.Number("victim_descriptor"), 0));
  if (taken < 0) return Held(std::string("pidfd_getfd: ") + std::strerror(errno));
  return Show("a descriptor of a process outside", ReadSome("/proc/self/fd/" + std::to_string(taken)));
}

Verdict InitProgram(const Facts& facts) {
  const std::string process = facts.is_control() ? "/proc/" + facts.Text("victim") : "/proc/1";
  const int file = open((process + "/exe").c_str(), O_RDONLY | O_CLOEXEC);
  const Verdict verdict = Judge("opening the program of process 1", file);
  if (file >= 0) close(file);
  return verdict;
}

Verdict TraceInit(const Facts& facts) {
  const pid_t process = facts.is_control() ? Victim(facts) : 1;
  const Verdict verdict = Judge("attaching to process 1", ptrace(PTRACE_SEIZE, process, nullptr, nullptr));
  ptrace(PTRACE_DETACH, process, nullptr, nullptr);
  return verdict;
}

Verdict EnterNamespace(const Facts& facts) {
  const std::string process = facts.is_control() ? "/proc/" + facts.Text("victim") : "/proc/1";
  const int space = open((process + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0) return Held(std::string("the namespace of process 1: ") + std::strerror(errno));
  return Judge("entering the namespace of process 1", setns(space, CLONE_NEWNS));
}

Verdict Capabilities(const Facts&) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return Held("capget is refused");
  for (const auto& set : sets) {
    if ((set.effective | set.permitted | set.inheritable) != 0) return Escaped("a capability is held");
  }
  for (int capability = 0; capability < 64; ++capability) {
    if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1) return Escaped("capability " + std::to_string(capability) + " could be gained");
  }
  return Held("no capability is held or can be gained");
}

Verdict NoNewPrivileges(const Facts&) {
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? Held("no_new_privs is set") : Escaped("programs with set-user-id bits gain rights");
}

Verdict BecomeRoot(const Facts&) {
  const uid_t before = geteuid();
  if (before != 0 && setresuid(0, 0, 0) != 0) return Held(std::string("setresuid: ") + std::strerror(errno));
  return Escaped("this process is user 0");
}

Verdict LeaveGroups(const Facts&) { return Judge("setgroups", setgroups(0, nullptr)); }

Verdict RaisePriority(const Facts&) { return Judge("a higher priority", setpriority(PRIO_PROCESS, 0, -5)); }
Verdict RealTime(const Facts&) {
  const sched_param priority{1};
  return Judge("real-time scheduling", sched_setscheduler(0, SCHED_FIFO, &priority));
}

// A process that leaves its group and session; the stage looks for it when the sandbox has ended.
Verdict Outlive(const Facts& facts) {
  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0) return NotApplicable("no pipe can be made");
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    for (int number = 0; number < 3; ++number) close(number);
    execl("/proc/self/exe", facts.Text("mark").c_str(), "sleep", nullptr);
    _exit(1);
  }
  waitpid(child, nullptr, 0);
  close(started[1]);
  char byte = 0;
  while (read(started[0], &byte, 1) < 0 && errno == EINTR) {   // ends when it has become another program
  }
  return Held("a process that left its session was started");
}

constexpr Probe kProbes[] = {
    {"processes/environ", "secrets in the environments of other processes", Environments},
    {"processes/cmdline", "the command lines of other processes", CommandLines},
    {"processes/signal", "a signal to a process of the same user outside", SignalVictim},
    {"processes/memory", "memory of a process outside, by process_vm_readv", ReadMemory},
    {"processes/memory-file", "memory of a process outside, by /proc/PID/mem", ReadMemoryFile},
    {"processes/ptrace", "attaching to a process outside", Attach},
    {"processes/descriptor", "a descriptor of a process outside, by pidfd", TakeDescriptor},
    {"processes/init-program", "the program file of process 1", InitProgram},
    {"processes/init-trace", "attaching to process 1", TraceInit},
    {"processes/setns", "the namespaces of process 1", EnterNamespace},
    {"processes/capabilities", "capabilities held or to be gained", Capabilities},
    {"processes/new-privileges", "rights by set-user-id programs", NoNewPrivileges},
    {"processes/root", "user id 0", BecomeRoot},
    {"processes/groups", "changing supplementary groups", LeaveGroups},
    {"processes/priority", "a higher priority than the host's own work", RaisePriority},
    {"processes/real-time", "real-time scheduling", RealTime},
    {"processes/outlive", "a daemon that outlives its sandbox", Outlive, Needs::kEnd},
};

}  // namespace

std::span<const Probe> ProcessProbes() { return kProbes; }

}  // namespace paddock::escape
