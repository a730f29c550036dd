// Calls that no container may make, one line each: "NAME ERRNO", or "NAME done" for one that went through. Also a socket of the kinds that
// must work. Static, so that it runs in any root file system.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void tell(const char* name, long result) {
  if (result >= 0) printf("%s done\n", name);
  else printf("%s %s\n", name, errno == EPERM ? "EPERM" : errno == ENOSYS ? "ENOSYS" : strerror(errno));
}

int main(void) {
  struct io_uring_params ring = {0};
  struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event};
  char bytes[64] = {0};
  struct clone_args {
    unsigned long long flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } clone3 = {.flags = CLONE_NEWUSER, .exit_signal = 17};
  tell("unshare-user", syscall(SYS_unshare, CLONE_NEWUSER));
  tell("unshare-user-high", syscall(SYS_unshare, CLONE_NEWUSER | 1ul << 40));
  tell("unshare-mount", syscall(SYS_unshare, CLONE_NEWNS));
  tell("clone-user", syscall(SYS_clone, CLONE_NEWUSER | 17, 0, 0, 0, 0));
  tell("clone3", syscall(SYS_clone3, &clone3, sizeof clone3));
  tell("setns", syscall(SYS_setns, 0, 0));
  tell("mount", syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, ""));
  tell("umount", syscall(SYS_umount2, "/tmp", 0));
  tell("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
  tell("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1));
  tell("pivot_root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
  tell("chroot", syscall(SYS_chroot, "/tmp"));
  tell("keyctl", syscall(SYS_keyctl, 0, -3, 0, 0, 0));
  tell("add_key", syscall(SYS_add_key, "user", "x", "y", 1, -3));
  tell("request_key", syscall(SYS_request_key, "user", "x", "", -3));
  tell("bpf", syscall(SYS_bpf, 0, bytes, sizeof bytes));
  tell("perf_event_open", syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
  tell("userfaultfd", syscall(SYS_userfaultfd, 1));
  tell("io_uring_setup", syscall(SYS_io_uring_setup, 1, &ring));
  tell("ptrace-init", syscall(SYS_ptrace, PTRACE_ATTACH, 1, 0, 0));
  tell("ptrace-parent", syscall(SYS_ptrace, PTRACE_SEIZE, getppid(), 0, 0));
  tell("process_vm_readv", syscall(SYS_process_vm_readv, getppid(), 0, 0, 0, 0, 0));
  tell("kcmp", syscall(SYS_kcmp, getpid(), getppid(), 0, 0, 0));
  tell("open_by_handle_at", syscall(SYS_open_by_handle_at, -1, 0, 0));
  tell("init_module", syscall(SYS_init_module, 0, 0, ""));
  tell("kexec_load", syscall(SYS_kexec_load, 0, 0, 0, 0));
  tell("reboot", syscall(SYS_reboot, 0, 0, 0, 0));
  tell("settimeofday", syscall(SYS_settimeofday, bytes, 0));
  tell("swapon", syscall(SYS_swapon, "/tmp", 0));
  tell("syslog", syscall(SYS_syslog, 3, bytes, sizeof bytes));
  tell("iopl", syscall(SYS_iopl, 3));
  tell("tiocsti", syscall(SYS_ioctl, 0, 0x5412, "x"));
  tell("tiocsti-high", syscall(SYS_ioctl, 0, 0x5412ul | 1ul << 40, "x"));
  tell("tioclinux", syscall(SYS_ioctl, 0, 0x541C, bytes));
  tell("chmod-setuid", syscall(SYS_chmod, "/tmp", 04755));
  tell("open-setuid", syscall(SYS_open, "/tmp/setuid", O_CREAT | O_RDWR, 04755));
  tell("vsock", syscall(SYS_socket, 40, SOCK_STREAM, 0));
  tell("packet", syscall(SYS_socket, 17, SOCK_RAW, 0));
  tell("raw", syscall(SYS_socket, AF_INET, SOCK_RAW, 1));
  tell("alg", syscall(SYS_socket, 38, SOCK_SEQPACKET, 0));
  // And what must go on working.
  tell("works-unix", syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
  tell("works-tcp", syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  tell("works-udp6", syscall(SYS_socket, AF_INET6, SOCK_DGRAM, 17));
  tell("works-netlink", syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0));
  tell("works-chmod", syscall(SYS_mkdir, "/tmp/works", 0700) < 0 ? -1 : syscall(SYS_chmod, "/tmp/works", 0755));
  tell("works-open", syscall(SYS_open, "/tmp/works/file", O_CREAT | O_RDWR, 0755));
  tell("works-ioctl", syscall(SYS_ioctl, syscall(SYS_open, "/tmp/works/file", O_RDONLY, 07777), FIONREAD, bytes));
  return 0;
}
