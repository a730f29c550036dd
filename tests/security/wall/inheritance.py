"""What the launcher was started with and a sandbox must not get: descriptors, environment, groups, directories."""

import os

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
