"""Kernel surface: system calls, socket families, settings in /proc and /sys that a sandboxed program has no need of."""

import ctypes
import os
import pathlib
import socket as sockets

from .probe import ROOT, changes, kernel_has, leaks, opens, probe

BOTH = ("root", "ordinary")


def no_port_io():
    libc = ctypes.CDLL(None, use_errno=True)
    works = libc.ioperm(0x80, 1, 1) == 0
    return None if works and libc.ioperm(0x80, 1, 0) == 0 else "no port access in this kernel"


def call(name, trick, command=None, **more):
    probe(f"kernel/{name}", trick, f"$P {command or name}", opens(), **more)


call("io-uring", "io_uring: system calls that no filter sees")
call("bpf-map", "bpf(): programs in the kernel", bites=(ROOT,))
call("perf", "perf_event_open()")
call("userfault", "userfaultfd(), the exploit writer's stop watch")
call("key-add", "add_key(): memory that is charged to the user on the host")
call("key-join", "a session keyring of its own")
call("personality", "personality(READ_IMPLIES_EXEC)")
call("ldt", "modify_ldt()")
call("reboot", "reboot()", bites=(ROOT,))
call("swap-on", "swapon() of a file of the workspace", "swap-on $W/README", bites=(ROOT,))
call("clock-set", "clock_settime()", bites=(ROOT,))
call("time-of-day", "settimeofday()", bites=(ROOT,))
call("clock-adjust", "adjtimex()", bites=(ROOT,))
call("account", "acct() to a file of the workspace", "account $W/README", bites=(ROOT,))
call("quota", "quotactl()")
call("fanotify", "fanotify_init(), open to all users", "fanotify")
call("fanotify-host", "fanotify of everything that a file system's other users open", "fanotify-host", bites=(ROOT,))
for name, asked in (("port-io", "ioperm()"), ("port-level", "iopl()")):
    call(name, asked, bites=(ROOT,), needs=no_port_io)
call("hangup", "vhangup()", bites=(ROOT,))
call("real-time", "real-time scheduling", bites=(ROOT,))
call("nice", "a better priority than the host's programs", bites=(ROOT,))
call("io-priority", "the real-time disk class", bites=(ROOT,))
call("lock-memory", "a quarter of a gigabyte locked into memory", bites=(ROOT,))
call("foreign-32", "32-bit system calls of a 64-bit program",
     needs=lambda: None if os.path.exists("/proc/sys/abi/vsyscall32") or os.path.exists("/proc/sys/vm/legacy_va_layout") else "no 32-bit calls")
call("foreign-32-socket", "a netfilter socket by the 32-bit socketcall()")
call("nf-tables", "nf_tables in this network namespace", bites=(ROOT,))
call("nf-tables-nested", "nf_tables in a nested one", "nf-tables nested")
probe("kernel/log", "the kernel's log by syslog()", "$P kernel-log; dmesg", leaks("kmsg"), bites=(ROOT,))
call("log-size", "syslog() at all", "kernel-log-size", bites=(ROOT,))
probe("kernel/log-device", "the kernel's log by /dev/kmsg and /proc/kmsg", "timeout 1 cat /dev/kmsg; timeout 1 cat /proc/kmsg", leaks("kmsg"), bites=(ROOT,),
      needs=kernel_has("/dev/kmsg", "/dev/kmsg"))
probe("kernel/log-write", "a line written into the kernel's log", "echo $MARK > /dev/kmsg",
      lambda look: "the host's log has it" if look.mark in os.popen("dmesg").read() else None, bites=(ROOT,))
probe("kernel/host-name", "sethostname()", "$P host-name $MARK", lambda look: "the host has a new name" if sockets.gethostname() == look.mark else None,
      bites=(ROOT,), alone=True)
probe("kernel/domain-name", "setdomainname() and its file", "$P domain-name $MARK; echo $MARK > /proc/sys/kernel/domainname",
      lambda look: "the host has a new domain name" if look.mark in pathlib.Path("/proc/sys/kernel/domainname").read_text() else None,
      bites=(ROOT,), alone=True)

ELF32 = ("7f454c4601010100000000000000000002000300010000005480040834000000000000000000000034002000010000000000000001000000"
         "00000000008004080080040800010000000100000500000000100000")
probe("kernel/foreign-program", "a 32-bit program, which makes 32-bit calls",
      "/usr/bin/python3 - <<'PY'\nimport os, subprocess\n"
      f"head = bytes.fromhex('{ELF32}')\n"
      "code = bytes.fromhex('b814000000cd80' '89c3' 'b801000000' 'bb2a000000' 'cd80')\n"  # getpid(); exit(42)
      "open('elf32', 'wb').write(head + code)\nos.chmod('elf32', 0o755)\n"
      "if subprocess.run(['./elf32']).returncode == 42: print('OPEN', os.environ['NONCE'])\nPY", opens())

# Socket families that lead past the network namespace or into little-used code. (family, type, protocol)
FAMILIES = {
    "vsock": (40, 1, 0, BOTH), "packet": (17, 3, 0, (ROOT,)), "alg": (38, 5, 0, BOTH), "key": (15, 3, 2, (ROOT,)),
    "can": (29, 3, 1, BOTH), "bluetooth": (31, 3, 1, BOTH), "tipc": (30, 2, 0, BOTH), "rds": (21, 5, 0, BOTH), "xdp": (44, 3, 0, (ROOT,)),
    "kcm": (41, 5, 0, BOTH), "smc": (43, 1, 0, BOTH), "pppox": (24, 1, 0, (ROOT,)), "qipcrtr": (42, 2, 0, BOTH), "nfc": (39, 5, 0, BOTH),
    "ax25": (3, 5, 0, BOTH), "x25": (9, 5, 0, BOTH), "appletalk": (5, 2, 0, BOTH), "llc": (26, 1, 0, BOTH), "phonet": (35, 5, 0, BOTH),
    "raw-tcp": (2, 3, 6, (ROOT,)), "raw6": (10, 3, 58, (ROOT,)), "raw-icmp": (2, 3, 1, (ROOT,)),
    "netlink-firewall": (16, 3, 12, BOTH), "netlink-ipsec": (16, 3, 6, BOTH), "netlink-audit": (16, 3, 9, BOTH), "netlink-events": (16, 3, 15, BOTH),
    "netlink-connector": (16, 3, 11, BOTH), "netlink-diagnosis": (16, 3, 4, BOTH), "netlink-generic": (16, 3, 16, BOTH),
    "netlink-crypto": (16, 3, 21, BOTH), "netlink-scsi": (16, 3, 18, BOTH), "netlink-iscsi": (16, 3, 8, BOTH), "netlink-rdma": (16, 3, 20, BOTH),
    "netlink-selinux": (16, 3, 7, BOTH), "netlink-fib": (16, 3, 10, BOTH), "sctp": (2, 1, 132, BOTH), "dccp": (2, 6, 33, BOTH),
}


def has_family(family, kind, protocol):
    def needs():
        try:
            sockets.socket(family, kind, protocol).close()
        except OSError as e:
            return f"this kernel or host has no such socket: {e.strerror}"
        return None
    return needs


for name, (family, kind, protocol, users) in FAMILIES.items():
    probe(f"kernel/socket-{name}", f"a socket of family {family}, protocol {protocol}", f"$P socket {family} {kind} {protocol}", opens(), bites=users,
          needs=has_family(family, kind, protocol))

# Settings that hold for the whole machine: written with the value that they have, or only opened to write where any write acts.
REWRITE = {
    "core-pattern": "/proc/sys/kernel/core_pattern", "core-pipe-limit": "/proc/sys/kernel/core_pipe_limit", "modprobe": "/proc/sys/kernel/modprobe",
    "hotplug": "/sys/kernel/uevent_helper", "poweroff": "/proc/sys/kernel/poweroff_cmd", "panic": "/proc/sys/kernel/panic",
    "dump-mode": "/proc/sys/fs/suid_dumpable", "aslr": "/proc/sys/kernel/randomize_va_space", "log-restrict": "/proc/sys/kernel/dmesg_restrict",
    "pointer-restrict": "/proc/sys/kernel/kptr_restrict", "overcommit": "/proc/sys/vm/overcommit_memory", "file-max": "/proc/sys/fs/file-max",
    "threads-max": "/proc/sys/kernel/threads-max", "printk": "/proc/sys/kernel/printk",
    "protected-links": "/proc/sys/fs/protected_symlinks", "user-namespaces": "/proc/sys/user/max_user_namespaces",
    "perf-paranoid": "/proc/sys/kernel/perf_event_paranoid", "terminal-input": "/proc/sys/dev/tty/legacy_tiocsti",
    "min-address": "/proc/sys/vm/mmap_min_addr", "hung-task": "/proc/sys/kernel/hung_task_panic", "huge-pages": "/sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_none",
    "debug-level": "/sys/module/printk/parameters/time",
}
for name, path in REWRITE.items():
    if os.path.exists(path):
        probe(f"kernel/setting-{name}", f"writing {path} (the value that it has)", f"$P rewrite {path}", opens(), bites=(ROOT,),
              needs=None if os.access(path, os.W_OK) else lambda path=path: f"{path} cannot be written by root")
ACTING = {
    "sysrq": "/proc/sysrq-trigger", "drop-caches": "/proc/sys/vm/drop_caches", "power-state": "/sys/power/state", "compact": "/proc/sys/vm/compact_memory",
    "trace": "/sys/kernel/tracing/trace_marker", "uevent": "/sys/class/mem/null/uevent",
    "binfmt": "/proc/sys/fs/binfmt_misc/register", "wake-lock": "/sys/power/wake_lock", "mtrr": "/proc/mtrr",
    "cpu-online": "/sys/devices/system/cpu/cpu1/online", "scheduler": "/sys/block/vda/queue/scheduler", "rps": "/sys/class/net/lo/mtu",
}
for name, path in ACTING.items():
    if os.path.exists(path):
        probe(f"kernel/trigger-{name}", f"{path} opened to write", f"$P open-to-write {path}", opens(), bites=(ROOT,),
              control=f"[ -w {path} ] && echo OPEN $NONCE")
for name, pattern in (("release-agent", "release_agent"), ("tasks", "tasks"), ("procs", "cgroup.procs"), ("memory-limit", "memory.limit_in_bytes"),
                      ("devices", "devices.allow"), ("freezer", "notify_on_release")):
    probe(f"kernel/cgroup-{name}", f"a host's cgroup file {pattern} opened to write",
          f"for f in $(find /sys/fs/cgroup -maxdepth 3 -name {pattern} | head -20); do $P open-to-write $f; done", opens(), bites=(ROOT,),
          needs=lambda pattern=pattern: None if any(pathlib.Path("/sys/fs/cgroup").glob(f"*/{pattern}")) or
          any(pathlib.Path("/sys/fs/cgroup").glob(pattern)) else f"no {pattern} here")
probe("kernel/debug-files", "debugfs and tracefs", "head -c 100 /sys/kernel/debug/sleep_time /sys/kernel/debug/*/* /sys/kernel/tracing/available_tracers /sys/kernel/debug/clear_warn_once 2>/dev/null | "
      "grep -a . && echo OPEN $NONCE", opens(), bites=(ROOT,), needs=lambda: None if os.path.isdir("/sys/kernel/debug") and os.listdir("/sys/kernel/debug")
      else "debugfs is not mounted")
for name, path, value in (("forwarding", "/proc/sys/net/ipv4/ip_forward", 1), ("message-max", "/proc/sys/kernel/msgmax", 77),
                          ("queue-max", "/proc/sys/fs/mqueue/queues_max", 77), ("ports", "/proc/sys/net/ipv4/ip_unprivileged_port_start", 77),
                          ("pid-max", "/proc/sys/kernel/pid_max", 100077)):
    probe(f"kernel/namespaced-{name}", f"{path}, which each namespace has for itself, changed for the host", f"echo {value} > {path}",
          changes(path), bites=(ROOT,), alone=True)
