"""What the launcher was started with and a sandbox must not get: descriptors, environment, groups, directories."""

import ctypes
import os
import subprocess

from .batch import DIRECTORY_FD, SECRET_FD, SOCKET_FD
from .probe import any_of, leaks, probe, says
from .scratch import ENVIRONMENT_SECRETS

for name in ENVIRONMENT_SECRETS:
    probe(f"inheritance/variable-{name.lower().replace('_', '-')}", f"the launcher's variable {name}", "env; cat /proc/self/environ", leaks(name))
probe("inheritance/variable-paths", "variables that name the host's sockets", "env", says("SSH_AUTH_SOCK=/tmp/ssh-agent|DBUS_SESSION_BUS_ADDRESS=unix|/run/user/1500"))
probe("inheritance/descriptor-read", "an open file", f"$P read-descriptor {SECRET_FD}", leaks("fd"))
probe("inheritance/descriptor-scan", "every descriptor number", "n=3; while [ $n -lt 300 ]; do timeout 1 $P read-descriptor $n; n=$((n+1)); done 2>/dev/null | grep -a SECRET",
      leaks("fd"), seconds=20)
probe("inheritance/descriptor-proc", "descriptors in /proc/self/fd", "cat /proc/self/fd/[3-9] /proc/$$/fd/[3-9]", leaks("fd"),
      control=f"cat /proc/self/fd/{SECRET_FD}")


def file_changed(look):
    with open(f"{look.world.home}/.fd-secret", encoding="utf-8") as file:
        return "the host's file changed" if look.mark in file.read() else None


def pipe_written(look):
    try:
        return "the host's pipe has it" if look.mark.encode() in os.read(look.world.pipe, 65536) else None
    except BlockingIOError:
        return None


probe("inheritance/descriptor-write", "an open file written to", f"$P write-descriptor {SECRET_FD} $MARK", file_changed)
probe("inheritance/pipe", "a pipe of the host written to", f"$P write-descriptor {SOCKET_FD} $MARK", pipe_written)
probe("inheritance/directory", "an open directory", f"$P open-at {DIRECTORY_FD} .directory-secret; cat /proc/self/fd/{DIRECTORY_FD}/.directory-secret", leaks("directory-fd"))
probe("inheritance/directory-climb", "an open directory, and up from there", f"$P open-at {DIRECTORY_FD} ../..$H/.netrc; $P open-at {DIRECTORY_FD} ../../home/other/notes.txt", leaks("netrc", "other"))
probe("inheritance/init-descriptors", "descriptors of the sandbox's own processes", "cat /proc/1/fd/[3-9] /proc/[0-9]*/fd/[3-9] & sleep 1; kill $!", leaks("fd"),
      control=f"cat /proc/self/fd/{SECRET_FD}")
probe("inheritance/group", "a file that a supplementary group of the launcher may read", "cat /var/log/audit-secret.log", leaks("varlog"))
probe("inheritance/directory-descriptor-root", "the working directory's parents after a chdir through a descriptor", f"cd /proc/self/fd/{DIRECTORY_FD} && cat .netrc", leaks("netrc"))


def raised(change):
    """The launcher stands better than others: first at the processor or the disk, last to be killed."""
    def drive(world, start):
        child = start(["sh", "-c", "chrt -p $$; ionice; nice; cat /proc/self/personality; echo score $(cat /proc/self/oom_score_adj)"],
                      stdout=subprocess.PIPE, preexec_fn=change)
        return child.communicate(timeout=30)[0].decode("utf-8", "replace")
    return drive


def lowest_score():
    with open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:
        file.write("-500")


def may_lower_score():
    if os.geteuid() != 0:
        return "takes root"
    with open("/proc/self/oom_score_adj", encoding="utf-8") as file:
        was = file.read()
    try:
        lowest_score()
    except OSError:
        return "root may not lower the score here"
    with open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:
        file.write(was)
    return None


LIBC = ctypes.CDLL(None)
IOPRIO_SET, REAL_TIME_FIRST, NO_RANDOM_ADDRESSES = 251, 1 << 13, 0x40000
for name, trick, change, pattern, more in (
        ("real-time", "the launcher's real-time class", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5)), "SCHED_(FIFO|RR)", {}),
        ("nice", "the launcher's better priority", lambda: os.nice(-5), "(?m)^-[0-9]+$", {}),
        ("disk-class", "the launcher's real-time class at the disk", lambda: LIBC.syscall(IOPRIO_SET, 1, 0, REAL_TIME_FIRST), "realtime", {}),
        ("score", "the launcher is the last to be killed when memory is short", lowest_score, "score -", {"needs": may_lower_score}),
        ("addresses", "the launcher's addresses are not random", lambda: LIBC.personality(NO_RANDOM_ADDRESSES), "(?m)^00040000$",
         {"users": ("root", "ordinary"), "bites": ("root", "ordinary")})):
    probe(f"inheritance/{name}", trick, judge=says(pattern), drive=raised(change), alone=True, **({"users": ("root",), "bites": ("root",)} | more))
