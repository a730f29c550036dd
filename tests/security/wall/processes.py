"""Other processes of the host, and namespaces."""

import os
import pathlib
import subprocess

from .probe import ROOT, leaks, opens, probe


def dead(look):
    """The host's victim no longer runs; a signal may take a moment."""
    try:
        return f"the host's process ended with {look.world.victim.wait(0.5)}"
    except subprocess.TimeoutExpired:
        return None


def victim_file(name, test, what):
    def judge(look):
        try:
            text = pathlib.Path(f"/proc/{look.world.victim.pid}/{name}").read_text()
        except OSError:
            return None
        return f"the host's process {what}" if test(text) else None
    return judge


probe("processes/list", "the host's processes in /proc", "ls -d /proc/$VICTIM && cat /proc/$VICTIM/cmdline", leaks("victim-argv"))
probe("processes/environ", "a host process's environment", "cat /proc/$VICTIM/environ", leaks("victim-environ"))
probe("processes/memory-file", "a host process's memory file",
      "dd if=/proc/$VICTIM/mem bs=1 skip=$((VICTIM_ADDRESS)) count=60 2>&1", leaks("victim-memory"))
probe("processes/memory-call", "a host process's memory by process_vm_readv", "$P peek-memory $VICTIM $VICTIM_ADDRESS", leaks("victim-memory"))
probe("processes/memory-write", "writing a host process's memory", "$P poke-memory $VICTIM $VICTIM_ADDRESS", opens())
probe("processes/attach", "ptrace of a host process", "$P attach $VICTIM", opens())
probe("processes/descriptor", "a host process's descriptor by pidfd_getfd", "$P steal-descriptor $VICTIM 0", opens())
probe("processes/descriptor-init", "a descriptor of the sandbox's own init", "for fd in 0 1 2 3 4 5 6 7 8 9; do $P steal-descriptor 1 $fd; done", opens(),
      control="$P steal-descriptor $VICTIM 0")
probe("processes/init-memory", "the memory of the sandbox's own init, opened to write", "$P open-to-write /proc/1/mem", opens(),
      bites=("root", "ordinary"), control="$P open-to-write /proc/$VICTIM/mem")
probe("processes/init-attach", "ptrace of the sandbox's own init", "$P attach 1", opens(), control="$P attach $VICTIM")
probe("processes/init-environ", "the environment of the sandbox's own init", "tr '\\0' '\\n' < /proc/1/environ",
      leaks("AWS_SECRET_ACCESS_KEY", "SOME_PASSWORD", "GITHUB_TOKEN"), control="tr '\\0' '\\n' < /proc/$$/environ")
probe("processes/helpers", "a process of the wall itself inside, opened to write",
      "for p in /proc/[0-9]*; do case ${p#/proc/} in $$|$PPID) ;; *) grep -q -E 'wall/|timeout' $p/cmdline || $P open-to-write $p/mem;; esac; done", opens(),
      control="$P open-to-write /proc/$VICTIM/mem")
probe("processes/compare", "kernel addresses compared by kcmp", "$P compare $VICTIM", opens())
probe("processes/kill", "a host process killed by its number", "kill -9 $VICTIM", dead, alone=True)
probe("processes/kill-thread", "a host process killed by tgkill", "$P signal-thread $VICTIM", dead, alone=True)
probe("processes/kill-queue", "a host process signalled by sigqueue", "$P signal-queue $VICTIM", dead, alone=True)
probe("processes/kill-pidfd", "a host process killed through a pidfd", "$P signal-pidfd $VICTIM", dead, alone=True)
probe("processes/kill-pidfd-proc", "a host process killed through its directory in /proc",
      "/usr/bin/python3 -c \"import ctypes,os; ctypes.CDLL(None).syscall(424, os.open('/proc/'+os.environ['VICTIM'], os.O_DIRECTORY), 15, None, 0)\"",
      dead, alone=True)
probe("processes/kill-all", "every process killed by -1", "kill -9 -1", dead, alone=True)
probe("processes/kill-range", "every number killed", "n=1; while [ $n -lt 400 ]; do n=$((n+1)); [ $n = $$ ] || kill -9 $n; done 2>/dev/null", dead, alone=True)
probe("processes/kill-by-owner", "a signal to a descriptor's owner group (F_SETOWN)",
      "/usr/bin/python3 -c \"\nimport fcntl, os, socket, time\n"
      "a, b = socket.socketpair()\nfcntl.fcntl(a, 8, int(os.environ['VICTIM']))\nfcntl.fcntl(a, 10, 15)\n"
      "fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)\nb.send(b'x')\ntime.sleep(0.2)\"", dead, alone=True)
probe("processes/renice", "a host process slowed down", "$P renice-other $VICTIM",
      victim_file("stat", lambda text: text.rpartition(")")[2].split()[16] == "19", "has nice 19"), alone=True)
probe("processes/pin", "a host process pinned to one processor", "$P pin-other $VICTIM",
      victim_file("status", lambda text: "Cpus_allowed_list:\t0\n" in text, "is pinned"), alone=True,
      needs=lambda: None if os.cpu_count() > 1 else "one processor")
probe("processes/idle", "a host process put into the idle class", "$P idle-other $VICTIM",
      victim_file("stat", lambda text: text.rpartition(")")[2].split()[38] == "5", "is idle"), alone=True)
probe("processes/limit", "a host process's limits changed", "$P limit-other $VICTIM",
      victim_file("limits", lambda text: any(line.split()[4:6] == ["10", "10"] for line in text.splitlines() if "core" in line), "has new limits"),
      alone=True)
probe("processes/io-priority", "a host process's disk priority changed", "$P io-priority-other $VICTIM", opens())
probe("processes/oom-score", "a host process made the first to die", "echo 1000 > /proc/$VICTIM/oom_score_adj",
      victim_file("oom_score_adj", lambda text: text.strip() == "1000", "has oom_score_adj 1000"), alone=True)
probe("processes/core-filter", "what a host process dumps, changed", "echo 0x7f > /proc/$VICTIM/coredump_filter",
      victim_file("coredump_filter", lambda text: text.strip() == "0000007f", "has another filter"), alone=True)

probe("processes/new-user", "a user namespace by unshare", "$P new-user", opens())
probe("processes/clone-user", "a user namespace by clone", "$P clone-user", opens())
probe("processes/clone-user-high", "a user namespace by clone with bits above the filter's", "$P clone-user-high", opens())
probe("processes/clone3-user", "a user namespace by clone3, whose flags no filter can see", "$P clone3-user", opens())
for name, flag in (("mount", 0x20000), ("cgroup", 0x2000000), ("uts", 0x4000000), ("ipc", 0x8000000), ("pid", 0x20000000), ("net", 0x40000000),
                   ("time", 0x80)):
    probe(f"processes/new-{name}", f"a {name} namespace without a user namespace", f"$P new-namespace {flag}", opens(), bites=(ROOT,))
probe("processes/nested-root", "root in a nested namespace", "$P nested-root", opens())
for kind in ("mnt", "net", "pid", "ipc", "uts", "user"):
    probe(f"processes/join-{kind}", f"entering another process's {kind} namespace", f"for p in 1 $PPID $VICTIM; do $P join /proc/$p/ns/{kind}; done",
          opens(), bites=(ROOT,) if kind != "user" else (), control=f"$P join /proc/$VICTIM/ns/{kind}")
probe("processes/join-process", "entering all namespaces of a process", "$P join-process $VICTIM; $P join-process 1", opens(), bites=(ROOT,))
probe("processes/become-root", "setuid(0)", "$P become-root", leaks("shadow"), bites=(ROOT,))
probe("processes/set-groups", "setgroups() to the host's groups", "$P join-groups", opens(), bites=(ROOT,))
