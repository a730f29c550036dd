// Tries what a container must not be able to do, and prints what the kernel said, a line each. Static; started inside.
//
//   probe calls        "NAME ERRNO" for system calls that must be refused; "NAME killed" where the caller was ended
//   probe forks        how many children could be had, why no more, and whether one can be had after they ended
//   probe ids          the effective user and group
//   probe spin N MS    N busy children for MS of wall time: processor time of all, in milliseconds
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void Say(const char* name, long result) {
  if (result >= 0) printf("%s 0\n", name);
  else printf("%s %d\n", name, errno);
  fflush(stdout);
}

// In a child, since a call that works would change this process, and a foreign one ends it.
static void InChild(const char* name, long (*call)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const long result = call();
    _exit(result >= 0 ? 0 : errno);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("%s killed\n", name);
  else printf("%s %d\n", name, WEXITSTATUS(status));
  fflush(stdout);
}

static unsigned long g_flag;
static long Unshare(void) { return syscall(SYS_unshare, g_flag); }
static long Clone(void) {
  const long child = syscall(SYS_clone, g_flag | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return child;
}
static long CloneThree(void) {
  unsigned long long arguments[11] = {CLONE_NEWUSER};
  arguments[4] = SIGCHLD;
  const long child = syscall(SYS_clone3, arguments, 64);
  if (child == 0) _exit(0);
  return child;
}
static long TraceMe(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0); }
static long ReadOther(void) {
  static char secret[16], copy[16];
  const pid_t child = fork();
  if (child == 0) pause();
  struct iovec here = {copy, sizeof copy}, there = {secret, sizeof secret};
  const long result = syscall(SYS_process_vm_readv, child, &here, 1UL, &there, 1UL, 0UL);
  const int error = errno;
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  errno = error;
  return result;
}
static long AttachOther(void) {
  const pid_t child = fork();
  if (child == 0) pause();
  const long result = ptrace(PTRACE_ATTACH, child, 0, 0);
  const int error = errno;
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  errno = error;
  return result;
}
static long TakeDescriptor(void) {
  const pid_t child = fork();
  if (child == 0) pause();
  const int handle = (int)syscall(SYS_pidfd_open, child, 0);
  const long result = syscall(438 /* pidfd_getfd */, handle, 1, 0);
  const int error = errno;
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  errno = error;
  return result;
}
static long InitMemory(void) { return open("/proc/1/mem", O_RDWR); }
#if defined(__x86_64__)
static long ForeignCall(void) {
  long result = 20;   // getpid of i386
  __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
  if (result < 0) errno = (int)-result;
  return result < 0 ? -1 : result;
}
static long OtherAbi(void) { return syscall(0x40000000 | SYS_getpid); }
#endif

static int Calls(void) {
  static const struct { const char* name; unsigned long flag; } spaces[] = {
      {"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID}, {"net", CLONE_NEWNET}, {"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; ++i) {
    char name[64];
    g_flag = spaces[i].flag;
    snprintf(name, sizeof name, "unshare-%s", spaces[i].name);
    InChild(name, Unshare);
    snprintf(name, sizeof name, "clone-%s", spaces[i].name);
    InChild(name, Clone);
  }
  InChild("clone3-user", CloneThree);
  Say("mount", syscall(SYS_mount, "x", "/tmp", "tmpfs", 0UL, 0UL));
  Say("umount", syscall(SYS_umount2, "/tmp", 2));
  Say("pivot_root", syscall(SYS_pivot_root, "/", "/"));
  Say("fsopen", syscall(430, "tmpfs", 0));
  Say("fsmount", syscall(432, -1, 0, 0));
  Say("fspick", syscall(433, AT_FDCWD, "/", 0));
  Say("open_tree", syscall(428, AT_FDCWD, "/", 1));
  Say("move_mount", syscall(429, -1, "", -1, "", 0));
  Say("mount_setattr", syscall(442, -1, "", 0, 0, 0));
  Say("chroot", syscall(SYS_chroot, "/"));
  Say("setns", syscall(SYS_setns, -1, 0));
  Say("keyctl", syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1));
  Say("add_key", syscall(SYS_add_key, "user", "probe", "x", 1UL, KEY_SPEC_PROCESS_KEYRING));
  Say("request_key", syscall(SYS_request_key, "user", "probe", 0, 0));
  Say("bpf", syscall(SYS_bpf, 5, 0, 0));
  Say("perf_event_open", syscall(SYS_perf_event_open, 0, 0, -1, -1, 0));
  Say("userfaultfd", syscall(SYS_userfaultfd, 1));
  Say("io_uring_setup", syscall(425, 1, 0));
  Say("io_uring_enter", syscall(426, -1, 0, 0, 0, 0, 0));
  Say("name_to_handle_at", syscall(SYS_name_to_handle_at, AT_FDCWD, "/", 0, 0, 0));
  Say("open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, 0, 0));
  InChild("ptrace-self", TraceMe);
  InChild("ptrace-other", AttachOther);
  InChild("process_vm_readv", ReadOther);
  InChild("pidfd_getfd", TakeDescriptor);
  InChild("init-memory", InitMemory);
  Say("kcmp", syscall(SYS_kcmp, getpid(), getpid(), 0, 0UL, 1UL));
  Say("kexec_load", syscall(SYS_kexec_load, 0UL, 0UL, 0, ~0UL));
  Say("init_module", syscall(SYS_init_module, 0, 0UL, ""));
  Say("finit_module", syscall(SYS_finit_module, -1, "", 0));
  Say("delete_module", syscall(SYS_delete_module, "no_such_module", 0));
  Say("reboot", syscall(SYS_reboot, 1, 2, 3, 0));   // magic numbers that no kernel takes
  Say("settimeofday", syscall(SYS_settimeofday, -1L, -1L));
  Say("clock_settime", syscall(SYS_clock_settime, CLOCK_REALTIME, -1L));
  Say("swapon", syscall(SYS_swapon, "/nonexistent", 0));
  Say("acct", syscall(SYS_acct, "/nonexistent"));
  Say("syslog", syscall(SYS_syslog, 3, 0, 0));
  Say("quotactl", syscall(SYS_quotactl, 0, 0, 0, 0));
  Say("personality", syscall(SYS_personality, 0x0400000UL));
  Say("socket-vsock", socket(40, SOCK_STREAM, 0));
  Say("socket-packet", socket(AF_PACKET, SOCK_RAW, 0));
  Say("socket-alg", socket(38, SOCK_SEQPACKET, 0));
  Say("socket-raw", socket(AF_INET, SOCK_RAW, 1));
  Say("socket-netlink-audit", socket(AF_NETLINK, SOCK_RAW, 9));
  const int null = open("/dev/null", O_RDWR);
  Say("tiocsti", syscall(SYS_ioctl, null, 0x5412UL, "x"));
  Say("tiocsti-high-half", syscall(SYS_ioctl, null, 0x100005412UL, "x"));
  Say("tioclinux", syscall(SYS_ioctl, null, 0x541CUL, "x"));
#if defined(__x86_64__)
  Say("iopl", syscall(SYS_iopl, 3));
  Say("modify_ldt", syscall(SYS_modify_ldt, 0, 0, 0UL));
  InChild("i386", ForeignCall);
  InChild("x32", OtherAbi);
#endif
  return 0;
}

static int Forks(void) {
  static pid_t children[100000];
  int count = 0;
  while (count < 100000) {
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    if (child < 0) break;
    children[count++] = child;
  }
  const int error = errno;
  for (int i = 0; i < count; ++i) kill(children[i], SIGKILL);
  for (int i = 0; i < count; ++i) waitpid(children[i], NULL, 0);
  const pid_t again = fork();
  if (again == 0) _exit(0);
  if (again > 0) waitpid(again, NULL, 0);
  printf("children %d error %d again %d\n", count, error, again > 0);
  return 0;
}

static int Spin(int children, int milliseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < children; ++i) {
    if (fork() != 0) continue;
    for (;;) {
      clock_gettime(CLOCK_MONOTONIC, &now);
      if ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 >= milliseconds) _exit(0);
    }
  }
  while (wait(NULL) > 0) continue;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  printf("cpu %ld wall %ld\n", (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000,
         (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000);
  return 0;
}

int main(int count, char** arguments) {
  if (count >= 2 && strcmp(arguments[1], "calls") == 0) return Calls();
  if (count >= 2 && strcmp(arguments[1], "forks") == 0) return Forks();
  if (count >= 2 && strcmp(arguments[1], "ids") == 0) return printf("%d %d\n", (int)geteuid(), (int)getegid()) < 0;
  if (count >= 4 && strcmp(arguments[1], "spin") == 0) return Spin(atoi(arguments[2]), atoi(arguments[3]));
  fprintf(stderr, "usage: probe calls|forks|ids|spin N MS\n");
  return 2;
}
