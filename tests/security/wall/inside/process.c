/* Reaching other processes, and making namespaces. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"

static int Attach(int argc, char** argv) {
  const pid_t pid = argc > 1 ? atoi(argv[1]) : -1;
  if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0) return Refused("ptrace");
  return Opened();
}

static int PeekMemory(int argc, char** argv) {
  char text[128] = "";
  if (argc < 3) return 2;
  struct iovec local = {text, sizeof text - 1}, remote = {(void*)strtoul(argv[2], NULL, 0), sizeof text - 1};
  if (process_vm_readv(atoi(argv[1]), &local, 1, &remote, 1, 0) < 0) return Refused("process_vm_readv");
  printf("%s\n", text);
  return 0;
}

static int PokeMemory(int argc, char** argv) {
  char text[] = "changed";
  if (argc < 3) return 2;
  struct iovec local = {text, sizeof text}, remote = {(void*)(strtoul(argv[2], NULL, 0) + 200), sizeof text};
  return Judge("process_vm_writev", process_vm_writev(atoi(argv[1]), &local, 1, &remote, 1, 0));
}

static int StealDescriptor(int argc, char** argv) {
  if (argc < 3) return 2;
  const int process = (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0);
  if (process < 0) return Refused("pidfd_open");
  return Judge("pidfd_getfd", syscall(SYS_pidfd_getfd, process, atoi(argv[2]), 0));
}

static int Compare(int argc, char** argv) {
  return argc > 1 ? Judge("kcmp", syscall(SYS_kcmp, getpid(), atoi(argv[1]), KCMP_VM, 0, 0)) : 2;
}

static int ReniceOther(int argc, char** argv) { return argc > 1 ? Judge("setpriority", setpriority(PRIO_PROCESS, (id_t)atoi(argv[1]), 19)) : 2; }

static int PinOther(int argc, char** argv) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  return argc > 1 ? Judge("sched_setaffinity", sched_setaffinity(atoi(argv[1]), sizeof set, &set)) : 2;
}

static int IdleOther(int argc, char** argv) {
  const struct sched_param param = {0};
  return argc > 1 ? Judge("sched_setscheduler", sched_setscheduler(atoi(argv[1]), SCHED_IDLE, &param)) : 2;
}

static int LimitOther(int argc, char** argv) {
  struct rlimit limit = {10, 10};
  return argc > 1 ? Judge("prlimit", prlimit(atoi(argv[1]), RLIMIT_CORE, &limit, NULL)) : 2;
}

static int IoPriorityOther(int argc, char** argv) {
  return argc > 1 ? Judge("ioprio_set", syscall(SYS_ioprio_set, 1, atoi(argv[1]), 3 << 13)) : 2;
}

static int SignalByPidfd(int argc, char** argv) {
  const int process = argc > 1 ? (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0) : -1;
  if (process < 0) return Refused("pidfd_open");
  return Judge("pidfd_send_signal", syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0));
}

static int SignalThread(int argc, char** argv) {
  return argc > 1 ? Judge("tgkill", syscall(SYS_tgkill, atoi(argv[1]), atoi(argv[1]), SIGTERM)) : 2;
}

static int SignalQueue(int argc, char** argv) {
  const union sigval value = {1};
  return argc > 1 ? Judge("sigqueue", sigqueue(atoi(argv[1]), SIGTERM, value)) : 2;
}

static int NewUser(int argc, char** argv) { return Judge("unshare user", unshare(CLONE_NEWUSER)); }

static int NewNamespace(int argc, char** argv) { return argc > 1 ? Judge("unshare", unshare((int)strtoul(argv[1], NULL, 0))) : 2; }

static int CloneUser(int argc, char** argv) {
  const long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid((pid_t)pid, NULL, 0);
  return Judge("clone", pid);
}

/* Flags in the upper half of a register, which a filter that compares 32 bits does not see. */
static int CloneUserHigh(int argc, char** argv) {
  const long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD | (1UL << 40), NULL, NULL, NULL, NULL);
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid((pid_t)pid, NULL, 0);
  return Judge("clone", pid);
}

static int Clone3User(int argc, char** argv) {
  struct clone_args arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.flags = CLONE_NEWUSER;
  arguments.exit_signal = SIGCHLD;
  const long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid((pid_t)pid, NULL, 0);
  return Judge("clone3", pid);
}

/* setns FILE: another namespace than the one that the caller is in. */
static int Join(int argc, char** argv) {
  const int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0) return Refused("open");
  return Judge("setns", setns(file, 0));
}

/* setns by process, all kinds at once. */
static int JoinProcess(int argc, char** argv) {
  const int process = argc > 1 ? (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0) : -1;
  if (process < 0) return Refused("pidfd_open");
  return Judge("setns", setns(process, CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC));
}

/* The capabilities that a new user namespace would give, used on the host's name. */
static int NestedRoot(int argc, char** argv) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWNET) < 0) return Refused("unshare");
  return Judge("sethostname", sethostname("nested", 6));
}

/* A process group, session and parent of its own, then a wait: what stays when a wall forgets daemons. */
static int Daemon(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int round = 0; round < 2; ++round) {
    const pid_t pid = fork();
    if (pid < 0) return Refused("fork");
    if (pid > 0) {
      if (round == 0) return 0;
      _exit(0);
    }
    setsid();
  }
  signal(SIGHUP, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  for (int i = 0; i < 3; ++i) close(i);
  prctl(PR_SET_PDEATHSIG, 0);
  sleep((unsigned)atoi(argv[2]));
  if (argc > 3) {
    const int file = open(argv[3], O_WRONLY | O_CREAT, 0644);
    if (file >= 0 && write(file, argv[1], strlen(argv[1])) < 0) _exit(1);
  }
  sleep(60);
  _exit(0);
}

/* Takes what the parent's end of life would do to it away, then stays. */
static int Linger(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, 0);
  signal(SIGHUP, SIG_IGN);
  sleep(argc > 2 ? (unsigned)atoi(argv[2]) : 60);
  return 0;
}

static int Dump(int argc, char** argv) {
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &limit);
  if (getrlimit(RLIMIT_CORE, &limit) || limit.rlim_cur == 0) return Refused("core limit is 0");
  prctl(PR_SET_DUMPABLE, 1);
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGABRT, SIG_DFL);
    abort();
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WCOREDUMP(status) ? Opened() : Refused("no core");
}

/* Raises what the bounding set and the keep-capabilities bits would let come back. */
static int Regain(int argc, char** argv) {
  if (prctl(PR_CAPBSET_READ, 21 /* CAP_SYS_ADMIN */) == 1) return Opened();
  return Refused("bounding set");
}

static int BecomeRoot(int argc, char** argv) {
  if (setresuid(0, 0, 0) < 0 && getuid() != 0) return Refused("setresuid");
  const int file = open("/etc/shadow", O_RDONLY);
  if (file < 0) return Refused("open");
  char text[65536];
  const ssize_t length = read(file, text, sizeof text);
  return length > 0 && fwrite(text, 1, (size_t)length, stdout) ? 0 : 1;
}

static int JoinGroups(int argc, char** argv) {
  const gid_t groups[] = {4242, 0};
  return Judge("setgroups", syscall(SYS_setgroups, 2, groups));
}

const struct Trick kProcessTricks[] = {
    {"attach", Attach}, {"peek-memory", PeekMemory}, {"poke-memory", PokeMemory}, {"steal-descriptor", StealDescriptor},
    {"compare", Compare}, {"renice-other", ReniceOther}, {"pin-other", PinOther}, {"idle-other", IdleOther},
    {"limit-other", LimitOther}, {"io-priority-other", IoPriorityOther}, {"signal-pidfd", SignalByPidfd},
    {"signal-thread", SignalThread}, {"signal-queue", SignalQueue}, {"new-user", NewUser},
    {"new-namespace", NewNamespace}, {"clone-user", CloneUser}, {"clone-user-high", CloneUserHigh},
    {"clone3-user", Clone3User}, {"join", Join}, {"join-process", JoinProcess}, {"nested-root", NestedRoot},
    {"daemon", Daemon}, {"linger", Linger}, {"dump", Dump}, {"regain", Regain}, {"become-root", BecomeRoot},
    {"join-groups", JoinGroups}, {NULL, NULL}};
