"""Looks at the scratch host while a wall is up: the sleeper's state, and the most processes there were."""

import contextlib
import os
import pathlib
import threading

FACTS = ("Uid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
PERIOD_S = 0.05


class Watcher:
    def __init__(self, world, launcher):
        self.world, self.launcher = world, launcher
        self.posture, self.most_processes, self.most_zombies, self.most_terminals = {}, 0, 0, 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def stop(self):
        self.over.set()
        self.thread.join()

    def run(self):
        while not self.over.wait(PERIOD_S):
            zombies = tasks = 0
            for pid in filter(str.isdigit, os.listdir("/proc")):
                with contextlib.suppress(OSError, IndexError):
                    zombies += pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
                    tasks += len(os.listdir(f"/proc/{pid}/task"))
                if not self.posture:
                    self.look(pid)
            self.most_processes, self.most_zombies = max(self.most_processes, tasks), max(self.most_zombies, zombies)
            self.most_terminals = max(self.most_terminals, int(pathlib.Path("/proc/sys/kernel/pty/nr").read_text()))

    def look(self, pid):
        with contextlib.suppress(OSError, ValueError):
            folder = pathlib.Path("/proc", pid)
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"posture-sleeper" not in words or not words[0].endswith(b"helper"):
                return
            lines = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
            found = {name: lines[name].strip() for name in FACTS if name in lines}
            for link in (folder / "ns").iterdir():
                found[f"ns-{link.name}"] = os.readlink(link)
            found["session"] = "launcher" if os.getsid(int(pid)) == os.getsid(self.launcher) else "own"
            self.posture = found
