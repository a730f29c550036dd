// The system calls that the filters of every wall know by name. Those that depend on arguments are added by who makes a filter: the process
// wall's generator (drivers/process/seccomp/generate.cc) and the profile for container runtimes (runtime_profile.h).
#pragma once

namespace paddock::seccomp {

// Ordinary work of programs: files, memory, threads, signals, time, sockets that exist already.
inline constexpr const char* kAllowedCalls[] = {
    "accept", "accept4", "access", "alarm", "arch_prctl", "bind", "brk", "cachestat", "capget", "capset", "chdir",
    "chmod", "chown", "clock_getres", "clock_gettime", "clock_nanosleep", "clone", "close", "close_range", "connect",
    "copy_file_range", "creat", "dup", "dup2", "dup3", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait",
    "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "execve", "execveat", "exit", "exit_group", "faccessat",
    "faccessat2", "fadvise64", "fallocate", "fchdir", "fchmod", "fchmodat", "fchmodat2", "fchown", "fchownat", "fcntl", "fdatasync", "fgetxattr",
    "flistxattr", "flock", "fork", "fremovexattr", "fsetxattr", "fstat", "fstatfs", "fsync", "ftruncate", "futex",
    "futex_requeue", "futex_wait", "futex_waitv", "futex_wake", "futimesat", "get_mempolicy", "get_robust_list",
    "getcpu", "getcwd", "getdents", "getdents64", "getegid", "geteuid", "getgid", "getgroups", "getitimer",
    "getpeername", "getpgid", "getpgrp", "getpid", "getppid", "getpriority", "getrandom", "getresgid", "getresuid",
    "getrlimit", "getrusage", "getsid", "getsockname", "getsockopt", "gettid", "gettimeofday", "getuid", "getxattr",
    "inotify_add_watch", "inotify_init", "inotify_init1", "inotify_rm_watch", "ioctl", "ioprio_get", "ioprio_set", "kill",
    "landlock_add_rule", "landlock_create_ruleset", "landlock_restrict_self", "lchown", "lgetxattr", "link",
    "linkat", "listen", "listxattr", "llistxattr", "lremovexattr", "lseek", "lsetxattr", "lstat", "madvise",
    "map_shadow_stack", "mbind", "membarrier", "memfd_create", "mincore", "mkdir", "mkdirat", "mknod", "mknodat", "mlock", "mlock2",
    "mlockall", "mmap", "mprotect", "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive", "mq_timedsend",
    "mq_unlink", "mremap", "mseal", "msgctl", "msgget", "msgrcv", "msgsnd", "msync", "munlock", "munlockall",
    "munmap", "nanosleep", "newfstatat", "open", "openat", "pause", "pidfd_open", "pidfd_send_signal", "pipe", "pipe2", "pkey_alloc",
    "pkey_free", "pkey_mprotect", "poll", "ppoll", "prctl", "pread64", "preadv", "preadv2", "prlimit64", "process_madvise",
    "process_mrelease", "pselect6", "pwrite64", "pwritev", "pwritev2", "read", "readahead", "readlink",
    "readlinkat", "readv", "recvfrom", "recvmmsg", "recvmsg", "remap_file_pages", "removexattr", "rename",
    "renameat", "renameat2", "restart_syscall", "rmdir", "rseq", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
    "rt_sigqueueinfo", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_tgsigqueueinfo",
    "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity", "sched_getattr", "sched_getparam",
    "sched_getscheduler", "sched_rr_get_interval", "sched_setaffinity", "sched_setattr", "sched_setparam",
    "sched_setscheduler", "sched_yield", "seccomp", "select", "semctl", "semget", "semop", "semtimedop", "sendfile",
    "sendmmsg", "sendmsg", "sendto", "set_mempolicy", "set_robust_list", "set_tid_address", "setfsgid", "setfsuid",
    "setgid", "setgroups", "setitimer", "setpgid", "setpriority", "setregid", "setresgid", "setresuid", "setreuid",
    "setrlimit", "setsid", "setsockopt", "setuid", "setxattr", "shmat", "shmctl", "shmdt", "shmget", "shutdown",
    "sigaltstack", "signalfd", "signalfd4", "splice", "stat", "statfs", "statx", "symlink", "symlinkat", "sync",
    "sync_file_range", "syncfs", "sysinfo", "tee", "tgkill", "time", "timer_create", "timer_delete",
    "timer_getoverrun", "timer_gettime", "timer_settime", "timerfd_create", "timerfd_gettime", "timerfd_settime",
    "times", "tkill", "truncate", "umask", "uname", "unlink", "unlinkat", "unshare", "utime", "utimensat", "utimes", "vfork",
    "vmsplice", "wait4", "waitid", "write", "writev",
};

// Known, and closed: they answer EPERM, which tells a person more than ENOSYS would.
inline constexpr const char* kRefusedCalls[] = {
    "acct", "add_key", "adjtimex", "bpf", "chroot", "clock_adjtime", "clock_settime", "delete_module",
    "fanotify_init", "fanotify_mark", "finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "init_module",
    "io_uring_enter", "io_uring_register", "io_uring_setup", "ioperm", "iopl", "kcmp", "kexec_file_load",
    "kexec_load", "keyctl", "listmount", "lookup_dcookie", "migrate_pages", "modify_ldt", "mount", "mount_setattr",
    "move_mount", "move_pages", "name_to_handle_at", "nfsservctl", "open_by_handle_at", "open_tree",
    "open_tree_attr", "perf_event_open", "pidfd_getfd", "pivot_root", "process_vm_readv", "process_vm_writev",
    "ptrace", "quotactl", "quotactl_fd", "reboot", "request_key", "setdomainname", "sethostname", "setns",
    "settimeofday", "statmount", "swapoff", "swapon", "sysfs", "syslog", "umount2", "uselib", "userfaultfd", "ustat",
    "vhangup",
};

// Of the refused ones, what a debugger needs (policy: kernel.ptrace).
inline constexpr const char* kPtraceCalls[] = {"ptrace", "process_vm_readv", "process_vm_writev", "kcmp"};

// What a thread of process 1 needs that answers connect(2) for others (wall/socket_guard.h).
inline constexpr const char* kGuardCalls[] = {
    "brk", "clone", "close", "close_range", "connect", "exit", "exit_group", "fcntl", "fstat", "futex", "getpid", "getsockopt", "gettid", "madvise", "mmap",
    "mprotect", "munmap", "newfstatat", "open", "openat", "openat2", "pidfd_getfd", "pidfd_open", "process_vm_readv", "read", "recvfrom", "rseq",
    "rt_sigprocmask", "rt_sigreturn", "sched_yield", "sendto", "set_robust_list", "socket", "statx", "tgkill", "write",
};

// Of the refused ones, what a sandbox in the sandbox needs (policy: kernel.nested).
inline constexpr const char* kNestedCalls[] = {
    "chroot", "fsconfig", "fsmount", "fsopen", "mount", "mount_setattr", "move_mount", "open_tree", "pivot_root",
    "setdomainname", "sethostname", "setns", "umount2",
};

}  // namespace paddock::seccomp
