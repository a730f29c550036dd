#!/usr/bin/env python3
"""Kills parts of a running wall with SIGKILL at random moments, and plays other faults of a host: nothing may stay behind.

    run_faults.py [--paddock PATH] [--seed N] [--kills ROOT,ORDINARY] [--only RE] [-v]

Takes root. The faults of root and of an ordinary user run at once, each in namespaces and cgroups of their own, so that
every process, mount, socket and cgroup found after a fault is one that the wall left. Without --seed a fixed one holds.
The last line is "N passed, N failed, N skipped".
"""

import argparse
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from faults import kills, others  # noqa: E402
from faults.place import CGROUPS, Place  # noqa: E402

MS_REC, MS_SHARED = 0x4000, 0x100000


def hierarchies():
    """Roots of the cgroup trees that can be written (v1 and v2), with the group this process is in."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        number, names, path = line.split(":", 2)
        for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
            left, right = line.split(" - ")
            kind, _, options = right.split(" ", 2)
            if (kind == "cgroup2" if number == "0" else kind == "cgroup" and set(names.split(",")) <= set(options.split(","))):
                fields = left.split()
                inside = os.path.relpath(path, fields[3])
                yield pathlib.Path(fields[4]) if inside.startswith("..") else pathlib.Path(fields[4], inside)
                break


def own_cgroups(name):
    """Puts this process into a new group of every tree, so that what a wall makes is found below it."""
    made = []
    for parent in hierarchies():
        group = parent / name
        try:
            group.mkdir()
            for file in ("cpuset.cpus", "cpuset.mems"):  # empty ones take no process
                if (parent / file).exists() and not (parent / "cgroup.controllers").exists():
                    (group / file).write_text((parent / file).read_text())
            (group / "cgroup.procs").write_text(str(os.getpid()))
            made.append(str(group))
        except OSError:
            continue
    return made


def remove_cgroups(groups):
    for group in groups:
        for folder, _, _ in os.walk(group, topdown=False):
            try:
                os.rmdir(folder)
            except OSError:
                pass


def in_scratch(order):
    """Inside the namespaces of one user's faults."""
    order = json.loads(order)
    libc = ctypes.CDLL(None, use_errno=True)
    for source, target, kind, flags in ((b"proc", b"/proc", b"proc", 0), (b"tmpfs", b"/tmp", b"tmpfs", 0), (b"tmpfs", b"/dev/shm", b"tmpfs", 0),
                                        (None, b"/", None, MS_REC | MS_SHARED)):  # shared: a mount that leaked would be seen
        if libc.mount(source, target, kind, flags, None) != 0:
            sys.exit(f"mount {target.decode()}: {os.strerror(ctypes.get_errno())}")
    os.chmod("/tmp", 0o1777)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    CGROUPS.extend(order["cgroups"])
    place = Place(order["paddock"], pathlib.Path(order["base"]), order["uid"], order["seed"], re.compile(order["only"]), order["verbose"])
    kills.run(place, order["kills"])
    others.run(place)
    place.shut()


def begin(options, user, uid, kill_count):
    """Starts one user's faults; (user, child, base, cgroups)."""
    base = tempfile.mkdtemp(prefix=f"faults-{user}-", dir="/var/tmp")
    os.chmod(base, 0o755)
    name = f"faults-{os.getpid()}-{user}"
    order = {"paddock": str(options.paddock), "base": base, "uid": uid, "seed": options.seed, "kills": kill_count,
             "only": options.only, "verbose": options.verbose}
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(writing, 1)
        order["cgroups"] = own_cgroups(name)
        os.execvpe("unshare", ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child=KILL", "--propagation", "private",
                               sys.executable, __file__, "--in-scratch", json.dumps(order)],
                   {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"})
    os.close(writing)
    return child, open(reading, encoding="utf-8", errors="replace"), base, [str(parent / name) for parent in hierarchies()]


def main():
    parser = argparse.ArgumentParser(description="Kills parts of a running wall at random moments, and plays other faults.")
    parser.add_argument("--paddock", default=ROOT / "build/release/bin/paddock", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seed", default=3, type=int)
    parser.add_argument("--kills", default="60,32", help="how many as root, and as an ordinary user")
    parser.add_argument("--only", default="", help="faults whose name matches")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("ip"):
        print("not run: the faults need root, setpriv and ip\n0 passed, 0 failed, 1 skipped")
        return 0
    if not os.access(options.paddock, os.X_OK):
        sys.exit(f"{options.paddock} is not built")

    counts = {"passed": 0, "failed": 0, "skipped": 0}
    first, second = map(int, options.kills.split(","))
    started = [begin(options, "root", 0, first), begin(options, "ordinary", 61234, second)]
    for child, output, base, groups in started:
        ended = False
        for line in output:
            word = line.rstrip("\n").split(" ", 1)[0]
            if word in counts:
                counts[word] += 1
            ended = ended or line == "done\n"
            if word not in ("passed", "done") or options.verbose:
                print(line, end="", flush=True)
        _, status = os.waitpid(child, 0)
        if status != 0 or not ended:
            print(f"failed {base}: the faults of this user did not come to their end")
            counts["failed"] += 1
        remove_cgroups(groups)
        shutil.rmtree(base, ignore_errors=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in-scratch"]:
        in_scratch(sys.argv[2])
        sys.exit(0)
    sys.exit(main())
