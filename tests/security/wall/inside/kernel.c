/* Kernel surface: calls that a wall has no reason to leave open. */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/quota.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/io.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/quota.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helper.h"

static int IoUring(int argc, char** argv) {
  struct io_uring_params params;
  memset(&params, 0, sizeof params);
  return Judge("io_uring_setup", syscall(SYS_io_uring_setup, 4, &params));
}

static int BpfMap(int argc, char** argv) {
  union bpf_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.map_type = BPF_MAP_TYPE_ARRAY;
  attr.key_size = 4;
  attr.value_size = 8;
  attr.max_entries = 1;
  return Judge("bpf", syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr));
}

static int Perf(int argc, char** argv) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.exclude_kernel = 1;
  return Judge("perf_event_open", syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

static int Userfault(int argc, char** argv) { return Judge("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | 1)); }

/* add_key and keyctl: a key of its own. */
static int KeyAdd(int argc, char** argv) {
  return Judge("add_key", syscall(SYS_add_key, "user", "wall-probe", "x", 1, -1 /* thread keyring */));
}

static int KeyJoin(int argc, char** argv) { return Judge("keyctl join", syscall(SYS_keyctl, 1, NULL)); }

/* Reads the key NAME out of the keyrings that the caller came with. */
static int KeySteal(int argc, char** argv) {
  static const int kKeyrings[] = {-3 /* session */, -4 /* user */, -5 /* user session */};
  char text[512];
  for (size_t i = 0; argc > 1 && i < sizeof kKeyrings / sizeof *kKeyrings; ++i) {
    const long key = syscall(SYS_keyctl, 10 /* search */, kKeyrings[i], "user", argv[1], 0);
    if (key < 0) continue;
    const long length = syscall(SYS_keyctl, 11 /* read */, key, text, sizeof text - 1);
    if (length > 0) printf("%.*s\n", (int)length, text);
  }
  const long asked = syscall(SYS_request_key, "user", argv[1], NULL, 0);
  if (asked >= 0) {
    const long length = syscall(SYS_keyctl, 11, asked, text, sizeof text - 1);
    if (length > 0) printf("%.*s\n", (int)length, text);
  }
  return Refused("keyrings");
}

/* The host's part: a key in the user's keyring, gone after a minute. */
static int KeyGive(int argc, char** argv) {
  if (argc < 3) return 2;
  const long key = syscall(SYS_add_key, "user", argv[1], argv[2], strlen(argv[2]), -4);
  if (key < 0) return Refused("add_key");
  syscall(SYS_keyctl, 5 /* setperm */, key, 0x3f3f0000);
  return (int)syscall(SYS_keyctl, 15 /* set timeout */, key, 60);
}

static int Personality(int argc, char** argv) {
  if (personality(READ_IMPLIES_EXEC) < 0) return Refused("personality");
  return personality(0xffffffff) & READ_IMPLIES_EXEC ? Opened() : Refused("personality");
}

static int Ldt(int argc, char** argv) {
  struct user_desc entry;
  memset(&entry, 0, sizeof entry);
  entry.limit = 0xfffff;
  entry.seg_32bit = 1;
  entry.limit_in_pages = 1;
  entry.useable = 1;
  return Judge("modify_ldt", (int)syscall(SYS_modify_ldt, 1, &entry, sizeof entry));
}

/* A call that does nothing but needs the right, then another kernel answer than "not permitted". */
static int Reboot(int argc, char** argv) {
  if (syscall(SYS_reboot, 0xfee1dead, 672274793, 0x11111111, NULL) >= 0 || errno == EINVAL) return Opened();
  return Refused("reboot");
}

static int SwapOn(int argc, char** argv) {
  if (argc > 1 && (swapon(argv[1], 0) == 0 || errno == EINVAL || errno == ENOMEM)) return Opened();
  return Refused("swapon");
}

static int HostName(int argc, char** argv) { return argc > 1 ? Judge("sethostname", sethostname(argv[1], strlen(argv[1]))) : 1; }

static int DomainName(int argc, char** argv) { return argc > 1 ? Judge("setdomainname", setdomainname(argv[1], strlen(argv[1]))) : 1; }

static int ClockSet(int argc, char** argv) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return Judge("clock_settime", clock_settime(CLOCK_REALTIME, &now));
}

static int TimeOfDay(int argc, char** argv) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return Judge("settimeofday", settimeofday(&now, NULL));
}

/* Writes the tick that the clock has. */
static int ClockAdjust(int argc, char** argv) {
  struct timex found;
  memset(&found, 0, sizeof found);
  if (adjtimex(&found) < 0) return Refused("adjtimex");
  found.modes = ADJ_TICK;
  return Judge("adjtimex", adjtimex(&found));
}

static int Account(int argc, char** argv) {
  if (argc < 2 || acct(argv[1]) < 0) return Refused("acct");
  acct(NULL);
  return Opened();
}

static int Quota(int argc, char** argv) { return Judge("quotactl", quotactl(QCMD(Q_SYNC, USRQUOTA), NULL, 0, NULL)); }

static int KernelLog(int argc, char** argv) {
  static char text[1 << 20];
  const int length = klogctl(3 /* read all */, text, sizeof text);
  if (length < 0) return Refused("syslog");
  fwrite(text, 1, (size_t)length, stdout);
  return 0;
}

static int KernelLogSize(int argc, char** argv) { return Judge("syslog size", klogctl(10, NULL, 0)); }

static int Socket(int argc, char** argv) {
  return argc > 3 ? Judge("socket", socket(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]))) : 2;
}

/* Asks nf_tables for a new table, as the exploits of the last years start. */
static int NfTables(int argc, char** argv) {
  struct {
    struct nlmsghdr begin;
    unsigned char begin_family, begin_version;
    unsigned short begin_subsystem;
    struct nlmsghdr add;
    unsigned char family, version;
    unsigned short subsystem;
    unsigned short length, type;
    char name[8];
    struct nlmsghdr end;
    unsigned char end_family, end_version;
    unsigned short end_subsystem;
  } message;
  memset(&message, 0, sizeof message);
  message.begin = (struct nlmsghdr){20, 16, NLM_F_REQUEST, 1, 0};
  message.begin_subsystem = __builtin_bswap16(10);
  message.add = (struct nlmsghdr){32, 10 << 8, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK, 2, 0};
  message.family = 2;
  message.length = 12;
  message.type = 1;
  strcpy(message.name, "probe");
  message.end = (struct nlmsghdr){20, 17, NLM_F_REQUEST, 3, 0};
  message.end_subsystem = __builtin_bswap16(10);
  if (argc > 1 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) return Refused("unshare");
  const int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER);
  if (netlink < 0) return Refused("netlink socket");
  if (send(netlink, &message, sizeof message, 0) < 0) return Refused("send");
  struct {
    struct nlmsghdr header;
    int error;
    char rest[512];
  } answer;
  const struct timeval wait = {1, 0};
  setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  if (recv(netlink, &answer, sizeof answer, 0) < 0) return Refused("recv");
  errno = -answer.error;
  return answer.error ? Refused("nf_tables") : Opened();
}

static int Fanotify(int argc, char** argv) { return Judge("fanotify_init", fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID, O_RDONLY)); }

static int FanotifyHost(int argc, char** argv) {
  const int group = fanotify_init(FAN_CLASS_CONTENT, O_RDONLY);
  if (group < 0) return Refused("fanotify_init");
  return Judge("fanotify_mark", fanotify_mark(group, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN, AT_FDCWD, "/"));
}

static int PortIo(int argc, char** argv) { return Judge("ioperm", ioperm(0x80, 1, 1)); }

static int PortLevel(int argc, char** argv) { return Judge("iopl", iopl(3)); }

static int Hangup(int argc, char** argv) { return Judge("vhangup", vhangup()); }

static int RealTime(int argc, char** argv) {
  const struct sched_param param = {1};
  return Judge("sched_setscheduler", sched_setscheduler(0, SCHED_FIFO, &param));
}

static int Nice(int argc, char** argv) { return Judge("setpriority", setpriority(PRIO_PROCESS, 0, -15)); }

static int IoPriority(int argc, char** argv) { return Judge("ioprio_set", syscall(SYS_ioprio_set, 1, 0, 1 << 13)); }

static int LockMemory(int argc, char** argv) {
  const size_t size = 256 << 20;
  void* const memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Refused("mmap");
  return Judge("mlock", mlock(memory, size));
}

/* 32-bit system calls of a 64-bit program: their numbers are others, which a filter that forgets them lets through. */
static long Call32(long number, long one, long two, long three) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(one), "c"(two), "d"(three) : "memory", "r8", "r9", "r10", "r11");
  return (int)result;
}

static int Foreign32(int argc, char** argv) {
  const long pid = Call32(20 /* getpid */, 0, 0, 0);
  errno = ENOSYS;
  return pid == getpid() ? Opened() : Refused("int 0x80");
}

/* socketcall(socket(AF_UNIX)) */
static int Foreign32Socket(int argc, char** argv) {
  int* const arguments = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (arguments == MAP_FAILED) return Refused("mmap");
  arguments[0] = AF_NETLINK;
  arguments[1] = SOCK_RAW;
  arguments[2] = NETLINK_NETFILTER;
  const long result = Call32(102, 1, (long)arguments, 0);
  errno = (int)-result;
  return result >= 0 ? Opened() : Refused("socketcall");
}

static int ForeignX32(int argc, char** argv) {
  return syscall(0x40000000L + SYS_getpid) == getpid() ? Opened() : Refused("x32 getpid");
}

/* Host-wide tuning that is not in any namespace: writes what is there already. */
static int Rewrite(int argc, char** argv) {
  char text[4096];
  if (argc < 2) return 2;
  int file = open(argv[1], O_RDONLY);
  if (file < 0) return Refused("open to read");
  const ssize_t length = read(file, text, sizeof text);
  close(file);
  if (length < 0) return Refused("read");
  file = open(argv[1], O_WRONLY);
  if (file < 0) return Refused("open to write");
  return Judge("write", write(file, text, (size_t)length));
}

/* Opens to write, and writes nothing: for files where any write acts. */
static int OpenToWrite(int argc, char** argv) { return argc > 1 ? Judge("open to write", open(argv[1], O_WRONLY)) : 2; }

static int OpenToRead(int argc, char** argv) {
  char byte[64];
  const int file = argc > 1 ? open(argv[1], O_RDONLY | O_NONBLOCK) : -1;
  if (file < 0) return Refused("open");
  return Judge("read", read(file, byte, sizeof byte));
}

static int Rlimit(int argc, char** argv) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return Refused("getrlimit");
  limit.rlim_max += 1000;
  limit.rlim_cur = limit.rlim_max;
  return Judge("setrlimit", setrlimit(RLIMIT_NOFILE, &limit));
}

const struct Trick kKernelTricks[] = {
    {"io-uring", IoUring}, {"bpf-map", BpfMap}, {"perf", Perf}, {"userfault", Userfault}, {"key-add", KeyAdd},
    {"key-join", KeyJoin}, {"key-steal", KeySteal}, {"key-give", KeyGive}, {"personality", Personality}, {"ldt", Ldt}, {"reboot", Reboot},
    {"swap-on", SwapOn}, {"host-name", HostName}, {"domain-name", DomainName}, {"clock-set", ClockSet},
    {"time-of-day", TimeOfDay}, {"clock-adjust", ClockAdjust}, {"account", Account}, {"quota", Quota},
    {"kernel-log", KernelLog}, {"kernel-log-size", KernelLogSize}, {"socket", Socket}, {"nf-tables", NfTables},
    {"fanotify", Fanotify}, {"fanotify-host", FanotifyHost}, {"port-io", PortIo}, {"port-level", PortLevel},
    {"hangup", Hangup}, {"real-time", RealTime}, {"nice", Nice}, {"io-priority", IoPriority},
    {"lock-memory", LockMemory}, {"foreign-32", Foreign32}, {"foreign-32-socket", Foreign32Socket},
    {"foreign-x32", ForeignX32}, {"rewrite", Rewrite}, {"open-to-write", OpenToWrite}, {"open-to-read", OpenToRead},
    {"raise-limit", Rlimit}, {NULL, NULL}};
