"""The end: nothing of a sandbox outlives it, nothing of it stays on the host, and a launcher that is killed opens nothing."""

import contextlib
import os
import signal
import subprocess
import time

from .batch import processes, traces
from .probe import any_of, holds_mark, probe, survives

WAIT_S = 30


def inside(world, name, script):
    words = " ".join(f"{key}='{value}'" for key, value in world.variables.items())
    return ["sh", "-c", f"export {words} MARK={world.mark(name)}; {script}"]


def is_up(world, name):
    """Waits until a process with the probe's word runs, other than the launcher and its own command line."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        if any("posture-sleeper" in words and world.mark(name) in words for words in processes().values()) or os.path.exists(f"{world.work}/.wall/up"):
            return
        time.sleep(0.05)


def killed(name, script, number, group=False):
    """The launcher gets a signal while the script runs."""
    def drive(world, start):
        child = start(inside(world, name, ": > .wall/up; " + script))
        is_up(world, name)
        time.sleep(0.2)
        if group:
            os.killpg(child.pid, number)
        else:
            child.send_signal(number)
        try:
            child.wait(WAIT_S)
        except subprocess.TimeoutExpired:  # it ignores the signal: survives() finds it
            return "the launcher did not end"
        return "ended"
    return drive


# Longer than all waits here together, so that none goes by itself.
SLEEPERS = "$P linger $MARK 150 & (setsid $P linger $MARK 150 &) ; $P daemon $MARK 150; $P linger $MARK 150"
for name, number in (("kill", signal.SIGKILL), ("term", signal.SIGTERM), ("interrupt", signal.SIGINT), ("hangup", signal.SIGHUP), ("quit", signal.SIGQUIT),
                     ("abort", signal.SIGABRT), ("segfault", signal.SIGSEGV)):
    probe(f"lifetime/launcher-{name}", f"the launcher is ended by {number.name} while daemons run inside", judge=survives(),
          drive=killed(f"lifetime/launcher-{name}", SLEEPERS, number), alone=True)
probe("lifetime/launcher-kill-deaf", "the launcher is killed; inside all signals are ignored", judge=survives(),
      drive=killed("lifetime/launcher-kill-deaf", "(trap '' TERM INT HUP; while :; do $P linger $MARK 1; done) & wait", signal.SIGKILL), alone=True)


def beats(look):
    """The heart of a killed sandbox: does its file still grow?"""
    path = f"{look.world.work}/beat"
    first = os.path.getsize(path) if os.path.exists(path) else 0
    time.sleep(1)
    later = os.path.getsize(path) if os.path.exists(path) else 0
    return "it still writes after its launcher is gone" if later > first else None


probe("lifetime/writes-after-kill", "writes to the workspace after the launcher is killed", judge=beats, alone=True,
      drive=killed("lifetime/writes-after-kill", "setsid sh -c 'while :; do echo x >> beat; sleep 0.05; done' & wait", signal.SIGKILL))
probe("lifetime/network-after-kill", "a server inside goes on after the launcher is killed", judge=survives(), alone=True,
      drive=killed("lifetime/network-after-kill", "/usr/bin/python3 .wall/net.py listen 18888 30 & (setsid /usr/bin/python3 .wall/net.py listen 18889 30 &) ; wait; sleep 30",
                   signal.SIGKILL))
for name, script in (("daemon", "$P daemon $MARK 60"), ("background", "$P linger $MARK 60 &"), ("new-session", "setsid $P linger $MARK 60 &"),
                     ("no-hangup", "nohup $P linger $MARK 60 > /dev/null 2>&1 &"), ("stopped", "$P linger $MARK 60 & sleep 0.3; kill -STOP $!"),
                     ("many-daemons", "for i in 1 2 3 4 5 6 7 8 9; do $P daemon $MARK 60; done")):
    probe(f"lifetime/{name}", f"a process that stays when the command has ended: {name}", script, survives())
probe("lifetime/late-write", "a daemon that writes to the workspace after the end", "$P daemon $MARK 3 $W/late", lambda look: late(look), alone=True,
      control="echo $MARK > $W/late")
probe("lifetime/late-tmp", "a daemon that writes to the host's /tmp after the end", "$P daemon $MARK 3 /tmp/late; $P daemon $MARK 3 /var/tmp/late", lambda look: late_tmp(look), alone=True,
      control="echo $MARK > /tmp/late")


def late(look):
    time.sleep(3)
    return holds_mark("{W}/late")(look)


def late_tmp(look):
    time.sleep(3)
    return any_of(holds_mark("/tmp/late"), holds_mark("/var/tmp/late"))(look)


def left(kind):
    """Something on the host that was not there before."""
    def judge(look):
        new = traces(look.world)[kind] - look.world.traces[kind]
        if kind == "cgroups":
            new = {one for one in new if is_left(one)}
        return f"left on the host: {sorted(new)[0]}" if new else None
    return judge


def is_left(group):
    """A control group that nobody uses, after a second in which one that is being made gets its processes. The tree is
    the real host's: other sandboxes of this machine are in it."""
    time.sleep(1)
    try:
        os.rmdir(group)
    except OSError:
        return False
    return True


BUSY = "mkdir -p /tmp/x; echo x > /tmp/x/y; echo x > out; sleep 0.2; "
TRACES = {"mounts": ("a mount", "mkdir -p m; mount -t tmpfs t m", ("root",)), "files": ("a file in /tmp, /run, /dev/shm or /", ": > /tmp/left-$MARK", ("root", "ordinary")),
          "home": ("a file in the home", ": > $H/left", ("root", "ordinary")), "cgroups": ("a control group", "mkdir /sys/fs/cgroup/wall-left", ("root",)),
          "links": ("a network interface", "ip link add left type veth || ip tuntap add left mode tun", ("root",)), "objects": ("a System V object", "$P make-objects a b c", ("root", "ordinary")),
          "work": ("a name in the workspace that nobody asked for", ": > .ghost", ("root", "ordinary"))}
for kind, (what, control, users) in TRACES.items():
    probe(f"lifetime/left-{kind}", f"{what} is left after a run", BUSY if kind != "work" else "sleep 0.1", left(kind), control=control, bites=users, alone=True)


def random_ends(name, script):
    """Launchers killed at many moments of their life, the start included."""
    def drive(world, start):
        for round_number in range(8):
            child = start(inside(world, name, script))
            time.sleep(0.01 + round_number * 0.03)
            child.kill()
            child.wait()
        time.sleep(1)
        return "killed eight"
    return drive


for kind in ("mounts", "cgroups", "files", "links"):
    probe(f"lifetime/killed-{kind}", f"{TRACES[kind][0]} is left by launchers that are killed at any moment", judge=left(kind), alone=True,
          drive=random_ends(f"lifetime/killed-{kind}", "sleep 30"), bites=())
probe("lifetime/killed-processes", "a process is left by launchers that are killed at any moment", judge=survives(), alone=True,
      drive=random_ends("lifetime/killed-processes", "$P linger $MARK 30"), bites=())


def killed_helpers(world, start):
    """Every process on the host that the launcher started is killed, not the launcher: a proxy, a supervisor."""
    name = "lifetime/helpers-killed"
    before = set(processes())
    child = start(inside(world, name, "while :; do /usr/bin/python3 .wall/net.py tcp $DENIED_IP 80; cat $H/.ssh/id_ed25519; echo $MARK >> $H/.profile; sleep 0.1; done 2>/dev/null"))
    time.sleep(2)
    for pid in set(processes()) - before - {child.pid, os.getpid()}:
        with contextlib.suppress(OSError):  # it may be gone by now
            with open(f"/proc/{pid}/status", encoding="utf-8") as status:
                is_outside = next(len(line.split()) == 2 for line in status if line.startswith("NSpid:"))
            if is_outside:
                os.kill(pid, signal.SIGKILL)
                time.sleep(0.3)
    time.sleep(1)
    child.kill()
    child.wait()
    return ""


def replaced_by_the_host(world, start):
    """The host replaces a file that the wall holds, as git does; from then on no mount holds the new one."""
    name = "lifetime/host-replaces"
    path = f"{world.work}/.envrc"
    child = start(inside(world, name, ": > .wall/up; for i in $(seq 60); do (echo $MARK >> .envrc) 2>/dev/null; sleep 0.1; done"))
    is_up(world, name)
    world.write(f"{world.work}/envrc.new", "export A=2\n", 0o644)
    os.chown(f"{world.work}/envrc.new", world.uid, world.gid)
    os.rename(f"{world.work}/envrc.new", path)
    child.wait(WAIT_S)
    return ""


def relayed(world, start):
    """A sandbox plants a name, moves what holds it away while a second one starts, and ends before it."""
    name = "lifetime/relay"
    plant = "mkdir -p x/.vscode; echo $MARK > x/.vscode/tasks.json; ln -s $MARK .mcp.json; : > .wall/up; while ! [ -e second ]; do sleep 0.05; done; mv x y; mkdir x"
    first = start(inside(world, name, plant))
    is_up(world, name)
    second = start(inside(world, name, ": > second; sleep 2; mkdir -p x/.vscode; echo $MARK > x/.vscode/tasks.json"))
    for child in (first, second):
        child.wait(WAIT_S)
    return ""


def relayed_link(look):
    path = f"{look.world.work}/.mcp.json"
    return f"{path} was put back" if os.path.islink(path) and os.readlink(path) == look.mark else None


probe("lifetime/host-replaces", "a held file is written to after the host has replaced it", alone=True, seconds=10, drive=replaced_by_the_host,
      judge=holds_mark("{W}/.envrc"))
probe("lifetime/relay", "two sandboxes at once: one plants a protected name for the other to keep", alone=True, seconds=10, drive=relayed,
      judge=any_of(holds_mark("{W}/x/.vscode/tasks.json", "x/.vscode/tasks.json"), relayed_link))
probe("lifetime/helpers-killed", "the wall's helpers on the host are killed while it is up: nothing opens", alone=True,
      judge=any_of(lambda look: next((f"{name} received it" for name, data in look.world.received() if look.mark.encode() in data), None), holds_mark("{H}/.profile")),
      drive=killed_helpers)
