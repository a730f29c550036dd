"""SIGKILL for parts of a wall, at random moments of its life.

The parts: the launcher (`paddock run`), the zygote (`paddock-guest walls`, outside), init (paddock-guest inside), and the sweep
(the process that sweeps protected names when the launcher was killed).
"""

import os
import pty
import signal
import subprocess
import time

from faults.place import SETTLE_S, Failure, groups, living

SCRIPT = "mkdir .vscode; echo x > .vscode/tasks.json; (setsid sleep 300 &) ; sleep 300 & sleep 300"
VARIANTS = {"plain": (), "network": ("--allow-host", "name.example:443"), "overlay": ("--overlay",), "publish": ("--publish", "18080:8000"),
            "terminal": ("--tty",)}
TARGETS = (("launcher",), ("zygote",), ("init",), ("sweep",), ("launcher", "zygote"), ("launcher", "init"), ("zygote", "init"),
           ("launcher", "sweep"), ("zygote", "sweep"), ("launcher", "zygote", "sweep"))
LATEST_S = 0.4
APPEARS_S = 5


def find(part, launcher):
    """The pid of a part of the wall that `launcher` leads, or None."""
    if part == "launcher":
        return launcher
    for pid, (name, _, depth) in living().items():
        if part == "sweep" and name == "paddock-sweep":
            return pid
        if name == "paddock-guest" and part == ("zygote" if depth == 1 else "init"):
            return pid
    return None


def begin(place, folder, variant):
    """Starts the wall: (child, the master of its terminal or None)."""
    if variant != "terminal":
        return place.start([*VARIANTS[variant], SCRIPT], folder), None
    master, slave = pty.openpty()
    os.set_blocking(master, False)
    child = place.start([*VARIANTS[variant], SCRIPT], folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    return child, master


def kill(place, variant, targets, delay):
    folder = place.workspace()
    child, master = begin(place, folder, variant)
    try:
        time.sleep(delay)
        wanted = [part for part in targets if not (part == "sweep" and variant == "overlay")]  # it has nothing to sweep
        end = time.monotonic() + APPEARS_S
        while not all(pids := [find(part, child.pid) for part in wanted]):
            if time.monotonic() > end or child.poll() is not None:
                raise Failure(f"parts {wanted} have pids {pids}; the launcher's status is {child.poll()}")
            time.sleep(0.001)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:  # the other's end has ended it
                pass
        went_on = after(child, targets, pids)
        error = b""
        if master is None:
            error = child.communicate(timeout=10)[1]
        gone_by_next_run(place, targets, variant)
        place.settle()
        if "init" in targets and "launcher" not in targets and variant != "terminal" and not went_on:
            if child.returncode != 125 or b"paddock" not in error:
                raise Failure(f"after the end of init it ended with {child.returncode}: {error!r}")
        left = (folder / ".vscode").exists()
        if left and not {"launcher", "sweep"} <= set(targets):
            raise Failure("a protected name is still there")
        place.works(folder, *(("--overlay",) if variant == "overlay" else VARIANTS[variant] if variant == "publish" else ()))
    except subprocess.TimeoutExpired:
        raise Failure("the launcher hangs") from None
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
        if master is not None:
            os.close(master)


def gone_by_next_run(place, targets, variant):
    """Cgroups whose launcher and zygote were both killed: empty, and removed by the next run when they are a minute old."""
    if not {"launcher", "zygote"} <= set(targets):
        return
    end = time.monotonic() + SETTLE_S
    while place.left_but_groups() or any(processes(group) for group in groups()):
        if time.monotonic() > end:
            raise Failure(f"left behind: {place.left()}")
        time.sleep(0.01)
    for group in groups():
        os.utime(group, (0, 0))
    place.run(["true"], place.workspace())


def processes(group):
    try:
        with open(os.path.join(group, "cgroup.procs"), encoding="ascii") as file:
            return file.read().split()
    except OSError:  # gone meanwhile
        return []


def after(child, targets, killed):
    """Lets the launcher come to its end. Whether it had to be told to."""
    if "launcher" in targets:
        child.wait(timeout=10)
        return False
    if "init" in targets and not ("zygote" in targets and makes_another(child, killed)):
        child.wait(timeout=10)
        return False
    time.sleep(0.05)  # it goes on without its zygote, or its sweep
    child.terminate()
    child.wait(timeout=10)
    return True


def makes_another(child, killed):
    """The launcher makes another wall, because the zygote was killed while it made the first one."""
    end = time.monotonic() + 10
    while child.poll() is None and time.monotonic() < end:
        if find("zygote", child.pid) not in (None, *killed):
            return True
        time.sleep(0.001)
    return False


def run(place, count):
    chosen = [(variant, targets) for targets in TARGETS for variant in VARIANTS
              if (variant, targets) != ("overlay", ("sweep",))]  # there is none to kill
    place.random.shuffle(chosen)
    for number in range(count):
        variant, targets = chosen[number % len(chosen)]
        delay = place.random.uniform(0, LATEST_S)
        place.play(f"kill {number} {'+'.join(targets)} of {variant} after {delay * 1000:.0f} ms", kill, variant, targets, delay)
