"""Runs probes together behind one start of a wall, inside a scratch host, and judges them."""

import contextlib
import os
import pathlib
import shlex
import signal
import socket
import subprocess
import time

from . import probe as probes
from . import scratch, walls
from .watcher import Watcher

# How long what is still running after the launcher has ended may take to go. A killed launcher cannot wait for it: the zygote, process 1 and what it kills each need
# their turn, which takes 0.03 s on an idle machine and seconds on one with ten times as much to do as processors.
STRAGGLERS_S, SHORT_S = 30, 3   # of a probe's own processes behind our wall; of others
MAX_OUTPUT = 1 << 20
START_S = 40  # for the slowest wall on a busy machine
SECRET_FD, DIRECTORY_FD, SOCKET_FD = 7, 8, 9


def run(user, wall, names, mounts, base):
    """name -> {evidence, ran, output}. In the namespaces that are to become the scratch host."""
    for number in (SECRET_FD, DIRECTORY_FD, SOCKET_FD):  # kept free for inherit()
        os.dup2(0, number)
    scratch.enter(base, mounts)
    uid, home = (0, "/root") if user == probes.ROOT else (scratch.UID, f"/home/{scratch.USER}")
    world = scratch.World("root" if uid == 0 else scratch.USER, uid, uid, home)
    world.build("/opt/helper/helper")
    chosen = [probes.PROBES[name] for name in names]
    for one in chosen:
        if one.setup:
            one.setup(world)
    inherit(world)
    for one in chosen:
        for path in getattr(one.judge, "watched", ()):
            full = path.format(**world.variables)
            world.before[full] = probes.state_of(full)
    world.traces = traces(world)
    start = Start(world, wall, chosen[0].hosts, chosen[0].limits, chosen[0].options)
    if chosen[0].drive:
        outputs = {chosen[0].name: chosen[0].drive(world, start) or ""}
        ran = {chosen[0].name: True}
    else:
        ran, outputs = play(world, start, wall, chosen)
    world.survivors = survivors(world, [world.mark(one.name) for one in chosen] if wall == "paddock" else [])
    found = {}
    for one in chosen:
        evidence = one.judge(probes.Look(world, one, outputs[one.name])) if ran[one.name] else None
        found[one.name] = {"evidence": evidence, "ran": ran[one.name], "output": outputs[one.name][-1500:]}
    return found, start.errors()[-1500:]


def inherit(world):
    """Descriptors that the launcher was started with and never meant for what it runs."""
    secret = world.write(f"{world.home}/.fd-secret", world.tokens["fd"] + "\n")
    world.write(f"{world.home}/.directory-secret", world.tokens["directory-fd"] + "\n")
    os.dup2(os.open(secret, os.O_RDWR), SECRET_FD)
    os.dup2(os.open(world.home, os.O_RDONLY | os.O_DIRECTORY), DIRECTORY_FD)
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.dup2(writer, SOCKET_FD)
    world.pipe = reader


class Start:
    """Starts the wall around a command, as the user whose host this is."""

    def __init__(self, world, wall, hosts, limits, options=()):
        self.world, self.wall, self.hosts, self.limits, self.options = world, wall, hosts, limits, options
        self.log = open("/opt/wall-output", "wb+")

    def __call__(self, command, stdin=subprocess.DEVNULL, stdout=None, stderr=None, session=True, environment=None, program=None, **more):
        world = self.world
        words = walls.WALLS[self.wall](world, command, self.hosts, self.limits, self.options)
        if program and self.wall == "paddock":
            words[0] = program
        return subprocess.Popen(
            words, stdin=stdin, stdout=stdout or self.log, stderr=stderr or self.log, cwd=world.work,
            env=world.environment() | (environment or {}), user=world.uid, group=world.gid,
            extra_groups=[world.gid, scratch.EXTRA_GROUP], pass_fds=(SECRET_FD, DIRECTORY_FD, SOCKET_FD),
            start_new_session=session, **more)

    def note(self, text):
        self.log.seek(0, os.SEEK_END)
        self.log.write(text.encode() + b"\n")

    def errors(self):
        self.log.seek(0)
        return self.log.read(MAX_OUTPUT).decode("utf-8", "replace")


def play(world, start, wall, chosen):
    """All scripts one after another in one start."""
    folder = pathlib.Path(world.work, ".wall")
    driver = ["#!/bin/sh", f"cd {shlex.quote(world.work)} || exit 1"]
    variables = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in world.variables.items())
    for number, one in enumerate(chosen):
        script = one.control if wall == "none" and one.control else one.inside
        (folder / f"{number}.sh").write_text(
            f"{variables}export MARK={world.mark(one.name)} NONCE={world.nonce(one.name)}\n{script}\n")
        driver.append(f"{{ echo ran; timeout -s KILL {one.seconds} sh .wall/{number}.sh; }} </dev/null >.wall/out/{number} 2>&1")
    (folder / "run.sh").write_text("\n".join(driver) + "\n")
    child = start(["sh", ".wall/run.sh"])
    world.watcher = Watcher(world, child.pid)
    try:
        child.wait(START_S + sum(one.seconds for one in chosen))
    except subprocess.TimeoutExpired:
        pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    status = child.wait()
    world.watcher.stop()
    start.note(f"the launcher ended with {status}")
    ran, outputs = {}, {}
    for number, one in enumerate(chosen):
        text = read_output(folder / f"out/{number}")
        ran[one.name], outputs[one.name] = text.startswith("ran\n"), text[4:]
    return ran, outputs


def read_output(path):
    """What a probe printed; the file is the probe's to replace, so nothing is followed."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with open(file, "rb") as out:
        return out.read(MAX_OUTPUT).decode("utf-8", "replace")


def processes():
    found = {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        words = ""
        for name in ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                words += pathlib.Path(f"/proc/{pid}/{name}").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        with contextlib.suppress(OSError, IndexError):
            if pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found[pid] = words
    return found


def survivors(world, patient_with):
    """Processes of the scratch host that were not there before the wall; those with a word of `patient_with` have longer to go."""
    ours = {1, os.getpid(), *world.children}
    begun = time.monotonic()
    while True:
        left = {pid: words for pid, words in processes().items() if pid not in ours}
        is_marked = any(mark in words for words in left.values() for mark in patient_with)
        if not left or time.monotonic() - begun > (STRAGGLERS_S if is_marked else SHORT_S):
            return left
        time.sleep(0.02)


def traces(world):
    """What a wall may leave behind: kind -> set of things."""
    def names(*folders):
        return {f"{folder}/{name}" for folder in folders for name in os.listdir(folder)}
    groups = {root for root, _, _ in os.walk("/sys/fs/cgroup")}
    return {
        "mounts": {" ".join(line.split()[4:5]) for line in open("/proc/self/mountinfo", encoding="utf-8")},
        "files": names("/tmp", "/var/tmp", "/run", "/dev/shm", "/"), "home": names(world.home, f"{world.home}/work"),
        "cgroups": groups, "links": {name for _, name in socket.if_nameindex()}, "work": names(world.work),
        "objects": {line for kind in ("shm", "sem", "msg") for line in open(f"/proc/sysvipc/{kind}", encoding="utf-8")},
    }
