"""Where one user's faults are played: starts paddock, and finds what was left behind."""

import os
import pathlib
import random
import subprocess
import time

CGROUPS = []  # the groups this process was put into, one a tree
SETTLE_S = 10  # how long a wall may take to be gone


class Failure(Exception):
    """What a fault left behind, or did not do."""


class Skip(Exception):
    """Why a fault cannot be played here."""


def living():
    """Processes of this PID namespace but our own and zombies: pid -> (name, parent, depth of PID namespaces)."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            fields = dict(line.split(":\t", 1) for line in pathlib.Path("/proc", entry, "status").read_text().splitlines() if ":\t" in line)
        except (OSError, ValueError):
            continue
        if fields["State"][0] not in "ZX":
            found[int(entry)] = (fields["Name"], int(fields["PPid"]), len(fields["NSpid"].split()))
    return found


def listeners():
    """Sockets that listen in this network namespace."""
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:] + pathlib.Path("/proc/net/tcp6").read_text().splitlines()[1:]
    return {line.split()[1] for line in lines if line.split()[3] == "0A"}


def groups():
    return {os.path.join(folder, name) for top in CGROUPS for folder, names, _ in os.walk(top) for name in names if name.startswith("paddock-")}


class Place:
    def __init__(self, binary, base, uid, seed, only, verbose):
        self.binary, self.base, self.uid, self.only, self.verbose = binary, base, uid, only, verbose
        self.random = random.Random(seed * 1000 + uid)
        self.user = "root" if uid == 0 else "ordinary"
        os.chown(base, uid, uid)
        self.state = base / "state"
        self.count = 0
        self.calm = self.seen()

    def seen(self):
        """All that may not be more after a fault."""
        return {"mounts": set(pathlib.Path("/proc/self/mountinfo").read_text().splitlines()), "processes": set(living().items()),
                "listening sockets": listeners(), "cgroups": groups(), "files in /tmp": set(os.listdir("/tmp")),
                "files in /dev/shm": set(os.listdir("/dev/shm")), "files in the home": set(os.listdir(self.base)) - {"state"} - self.own_names()}

    def own_names(self):
        return {name for name in os.listdir(self.base) if name.startswith("work-") or name.startswith("full-")}

    def left(self):
        """What is there that was not there at first, as text; empty when nothing is."""
        now = self.seen()
        return "; ".join(f"{what}: {sorted(map(str, now[what] - self.calm[what]))[:4]}" for what in now if now[what] - self.calm[what])

    def left_but_groups(self):
        now = self.seen()
        return any(now[what] - self.calm[what] for what in now if what != "cgroups")

    def settle(self):
        """Waits until nothing is left of any wall."""
        end = time.monotonic() + SETTLE_S
        while left := self.left():
            if time.monotonic() > end:
                raise Failure(f"left behind: {left}")
            time.sleep(0.01)

    def clear(self):
        """After a failure: ends what was left, so that the next fault starts calm."""
        for pid in living():
            try:
                os.kill(pid, 9)
            except OSError:
                pass
        time.sleep(0.2)
        self.calm = self.seen()

    def workspace(self):
        self.count += 1
        folder = self.base / f"work-{self.count}"
        folder.mkdir()
        os.chown(folder, self.uid, self.uid)
        return folder

    def command(self, *arguments):
        prefix = [] if self.uid == 0 else ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
        return [*prefix, str(self.binary), *map(str, arguments)]

    def environment(self, state=None):
        return {"HOME": str(self.base), "XDG_STATE_HOME": str(state or self.state), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "TERM": "xterm"}

    def start(self, arguments, folder, state=None, **settings):
        settings = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
        return subprocess.Popen(self.command("run", "-i", "process", *arguments), cwd=folder, env=self.environment(state), **settings)

    def run(self, arguments, folder, timeout=60, **settings):
        """(status, stdout, stderr); fails when it does not end."""
        child = self.start(arguments, folder, **settings)
        try:
            out, error = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            raise Failure(f"did not end within {timeout} s: {arguments}") from None
        return child.returncode, (out or b"").decode("utf-8", "replace"), (error or b"").decode("utf-8", "replace")

    def works(self, folder, *options):
        """The workspace can be used again."""
        status, out, error = self.run([*options, "echo again > again.txt && cat again.txt"], folder)
        if status != 0 or out != "again\n":
            raise Failure(f"the next run ended with {status}: {out}{error}")
        return error

    def play(self, name, fault, *arguments):
        """Plays one fault and reports it."""
        if not self.only.search(name):
            return
        started = time.monotonic()
        try:
            fault(self, *arguments)
            self.settle()
            word, text = "passed", ""
        except Skip as e:
            word, text = "skipped", f": {e}"
        except (Failure, OSError, subprocess.SubprocessError) as e:
            word, text = "failed", f": {e}"
            self.clear()
        print(f"{word} {self.user} {name}{text} ({time.monotonic() - started:.2f} s)", flush=True)

    def shut(self):
        print("done", flush=True)
