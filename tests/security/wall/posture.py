"""What the host's kernel says about a process inside: identity, capabilities, filter, namespaces. The first probe
sleeps while batch.py looks at it from the host; the others are judged by what was seen."""

import os

from .probe import ROOT, probe

SLEEPER = "$P linger posture-sleeper 2"


def seen(name, test, what):
    def judge(look):
        value = look.world.watcher.posture.get(name)
        if value is None:
            return "the host did not see the process"
        return f"it {what} ({name}: {value})" if test(value) else None
    return judge


probe("posture/identity", "it runs as the host's root", SLEEPER, seen("Uid", lambda value: "0" in value.split(), "is root"), bites=(ROOT,))
for name, users in (("CapEff", (ROOT,)), ("CapPrm", (ROOT,)), ("CapBnd", ("root", "ordinary"))):
    probe(f"posture/{name.lower()}", f"capabilities are left in {name}", ":", seen(name, lambda value: int(value, 16) != 0, "has capabilities"),
          bites=users)
probe("posture/privileges", "programs may still raise privileges", ":", seen("NoNewPrivs", lambda value: value != "1", "may gain privileges"))
probe("posture/filter", "no system call filter", ":", seen("Seccomp", lambda value: value != "2", "has no filter"))
probe("posture/groups", "groups of the launcher are kept", ":", seen("Groups", lambda value: "4242" in value.split(), "has the host's groups"),
      users=(ROOT,))  # an ordinary user cannot drop groups; inheritance/group tries to use one
for kind in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
    probe(f"posture/namespace-{kind}", f"the host's {kind} namespace is shared", ":",
          seen(f"ns-{kind}", lambda value, kind=kind: value == os.readlink(f"/proc/self/ns/{kind}"), "shares the host's"))
probe("posture/session", "the launcher's session is kept, and with it its terminal", ":",
      seen("session", lambda value: value == "launcher", "is in the launcher's session"))
