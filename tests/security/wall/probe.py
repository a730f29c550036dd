"""What a probe is, and how an escape shows.

A probe is a record: a trick, a shell script that plays it inside the wall, and a judge that looks for the traces of an
escape, on the host wherever there are any. Theme files make records with `probe(...)`; importing them fills PROBES.
"""

import dataclasses
import os
import pathlib
import re
import stat
import typing

ROOT, ORDINARY = "root", "ordinary"
BOTH = (ROOT, ORDINARY)
NOBODY = ()
PROBES = {}


@dataclasses.dataclass
class Probe:
    """One trick.

    name     theme/trick, the key everywhere
    trick    what is tried, in one line
    inside   sh script; $P is the compiled helper, $W the workspace, $H the home, $MARK a word of this probe alone
    judge    judge(look) -> the evidence of an escape, or None
    setup    setup(world), on the host as root before the wall starts
    drive    drive(world, start) instead of `inside`: the host's side plays the trick; returns the output to judge
    control  script for the run without a wall where `inside` would harm the host: a bounded variant
    bites    the users for whom the run without a wall must show an escape; for the others the kernel says no by itself
    needs    needs() -> why this kernel cannot run it, or None
    alone    gets a wall (and a scratch host) of its own: it changes what others would see
    seconds  how long it may run inside
    hosts    names that the policy allows
    limits   limits that the wall is given
    options  further words for paddock: another preset, say; the peers have no such thing
    """
    name: str
    trick: str
    inside: str = ""
    judge: typing.Callable = None
    setup: typing.Callable = None
    drive: typing.Callable = None
    control: str = None
    bites: tuple = BOTH
    users: tuple = BOTH
    needs: typing.Callable = None
    alone: bool = False
    seconds: int = 5
    hosts: tuple = ()
    limits: tuple = ()
    options: tuple = ()

    @property
    def theme(self):
        return self.name.partition("/")[0]


def probe(name, trick, inside="", judge=None, **more):
    if name in PROBES:
        raise ValueError(f"second probe with this name: {name}")
    if judge is None or not (inside or more.get("drive")):
        raise ValueError(f"{name}: a probe needs a judge, and a script or a driver")
    PROBES[name] = Probe(name, trick, inside, judge, **more)


class Look:
    """What a judge sees: the world as it is after the run, and what the probe printed."""

    def __init__(self, world, one, out):
        self.world, self.probe, self.out = world, one, out
        self.mark, self.nonce = world.mark(one.name), world.nonce(one.name)


def leaks(*names):
    """A secret that only the host knows was printed inside."""
    def judge(look):
        for name in names:
            if look.world.tokens[name] in look.out:
                return f"printed the secret '{name}'"
        return None
    return judge


def opens():
    """The helper printed the word that it prints only after the forbidden call did its work. Kernel surface leaves no
    trace on the host, so this is the one judge that rests on what the inside says."""
    return lambda look: "the call worked" if f"OPEN {look.nonce}" in look.out else None


def says(pattern):
    """The output has a fact about the host."""
    def judge(look):
        found = re.search(pattern.format(**look.world.variables), look.out)
        return f"printed {found[0][:60]!r}" if found else None
    return judge


def reaches(*servers):
    """A server on the host received this probe's word; with no names any server that is not allowed."""
    def judge(look):
        for name, data in look.world.received():
            if look.mark.encode() in data and (name in servers if servers else not name.startswith("allowed")):
                return f"{name} received it"
        return None
    return judge


def state_of(path):
    """What a path is, so that two looks compare."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    content = b""
    if stat.S_ISREG(found.st_mode):
        content = pathlib.Path(path).read_bytes()[:1 << 20]
    elif stat.S_ISLNK(found.st_mode):
        content = os.readlink(path).encode()
    elif stat.S_ISDIR(found.st_mode):
        content = "/".join(sorted(os.listdir(path))).encode()
    return stat.S_IFMT(found.st_mode), stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid, content


def changes(*paths):
    """A path of the host differs from before the run: content, kind, mode, owner, existence."""
    def judge(look):
        for path in paths:
            full = path.format(**look.world.variables)
            if look.world.before[full] != state_of(full):
                return f"the host's {full} changed"
        return None
    judge.watched = paths
    return judge


def holds_mark(path, name="a file of the host"):
    """The host's file holds this probe's word."""
    def judge(look):
        full = pathlib.Path(path.format(**look.world.variables))
        try:
            return f"{name} holds the probe's word" if look.mark.encode() in full.read_bytes() else None
        except OSError:
            return None
    return judge


def survives():
    """A process that carries this probe's word is alive on the host after the wall has ended."""
    def judge(look):
        for pid, words in look.world.survivors.items():
            if look.mark in words:
                return f"process {pid} is alive after the end"
        return None
    return judge


def any_of(*judges):
    def judge(look):
        return next((found for found in (one(look) for one in judges) if found), None)
    judge.watched = tuple(path for one in judges for path in getattr(one, "watched", ()))
    return judge


def kernel_has(path, what):
    """For `needs`: a file that only some kernels have."""
    return lambda: None if os.path.exists(path) else f"this kernel has no {what}"
