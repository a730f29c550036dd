"""What a case is: a program at ordinary work behind the process wall.

Theme files make cases with `script(...)` (a script inside, and what it must print) or `@driven(...)` (the host's side
plays a part); importing them fills CASES. docs/process-wall-compatibility.md lists the same cases.
"""

import dataclasses
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import typing

ROOT, ORDINARY = "root", "ordinary"
BOTH = (ROOT, ORDINARY)
CASES = {}


class Skip(Exception):
    """This machine cannot run the case; the text says why."""


@dataclasses.dataclass
class Case:
    """One case.

    name      theme/words, the key everywhere
    program   what is used, for the table in the docs
    shows     what is shown, in one line
    inside    Bash script, run with -e
    out       exactly what it prints on stdout, surrounding blank lines aside
    match     or: an expression that is found in its stdout
    status    of `paddock run`
    drive     drive(box) instead of `inside`: the host's side plays a part
    preset    of `paddock run`
    policy    or: lines of a TOML document that extends that preset
    options   more options of `paddock run`
    files     workspace files to begin with: name to content
    needs     programs that the host must have
    registry  a host name that must answer, asked from outside the wall
    users     who starts the wall
    seconds   how long it may take; generous, since the machine may be busy
    """
    name: str
    program: str
    shows: str
    inside: str = ""
    out: str = None
    match: str = None
    status: int = 0
    drive: typing.Callable = None
    preset: str = "workspace"
    options: tuple = ()
    policy: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    needs: tuple = ()
    registry: str = None
    users: tuple = BOTH
    seconds: int = 180

    @property
    def options_text(self):
        rules = " ".join(line for line in self.policy.splitlines() if not line.startswith("["))
        return ", ".join([f"`{self.preset}`", *([f"`{rules}`"] if rules else []), *([f"`{' '.join(self.options)}`"] if self.options else [])])


def add(one):
    if one.name in CASES:
        raise ValueError(f"second case with this name: {one.name}")
    CASES[one.name] = one


def script(name, program, shows, inside, **more):
    if more.get("out") is None and more.get("match") is None:
        raise ValueError(f"{name}: says nothing about what it must print")
    add(Case(name, program, shows, inside, **more))


def driven(name, program, shows, **more):
    def keep(function):
        add(Case(name, program, shows, drive=function, **more))
        return function
    return keep


@dataclasses.dataclass
class Ended:
    status: int
    out: str
    err: str


class Box:
    """A case's own workspace and home, and a way to run things in the wall as its user."""

    def __init__(self, paddock, base, one, user):
        self.paddock, self.case, self.user = str(paddock), one, user
        self.base = pathlib.Path(base)
        self.uid, self.gid, self.name = user
        self.environment = dict(os.environ, LANG="C.UTF-8", TERM="xterm", USER=self.name, LOGNAME=self.name)
        self.is_root = self.uid == 0
        self.home = pathlib.Path(pwd.getpwuid(0).pw_dir) if self.is_root else self.directory("home")
        self.environment["HOME"] = str(self.home)
        if not self.is_root:
            self.environment["PATH"] = "/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin"
        for name in ("TMPDIR", "BASH_ENV"):
            self.environment.pop(name, None)
        self.workspace = self.directory("work")
        for name, content in one.files.items():
            self.write(name, content)
        # Outside the workspace, or it would be refused.
        self.policy = self.base / "policy.toml"
        self.policy.write_text(f'extends = "{one.preset}"\n{one.policy}', encoding="utf-8")

    def directory(self, name):
        path = self.base / name
        path.mkdir()
        os.chown(path, self.uid, self.gid)
        return path

    def write(self, name, content, mode=0o644):
        path = self.workspace / name
        missing = [parent for parent in path.parents if not parent.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        path.chmod(mode)
        for made in [path, *missing]:
            os.chown(made, self.uid, self.gid)
        return path

    def has(self, program):
        return shutil.which(program, path=self.environment["PATH"]) is not None

    def command(self, *arguments, preset=None, options=None, workspace=None):
        rules = ["--policy", str(self.policy)] if self.case.policy and not preset else ["--preset", preset or self.case.preset]
        return [self.paddock, "run", "-i", "process", *rules, "-w", str(workspace or self.workspace),
                *(self.case.options if options is None else options), *arguments]

    def as_user(self):
        """What subprocess needs to know to be the case's user."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def start(self, *arguments, preset=None, options=None, workspace=None, **more):
        return subprocess.Popen(self.command(*arguments, preset=preset, options=options, workspace=workspace),
                                env=self.environment, cwd=self.workspace, **self.as_user(), **more)

    def run(self, *arguments, preset=None, options=None, workspace=None, stdin=None, check=None):
        """Runs `paddock run … ARGUMENTS` to its end; `check` is the status that it must have."""
        child = self.start(*arguments, preset=preset, options=options, workspace=workspace,
                           stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = child.communicate(stdin, timeout=self.case.seconds)
        except subprocess.TimeoutExpired:
            child.kill()   # the wall dies with it
            out, err = child.communicate()
            raise AssertionError(f"still running after {self.case.seconds} s; {tail(out, err)}") from None
        ended = Ended(child.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
        if check is not None and ended.status != check:
            raise AssertionError(f"status {ended.status}, not {check}; {tail(out, err)}")
        return ended

    def host(self, *command, cwd=None):
        """Runs a command on the host as the case's user; what it prints."""
        done = subprocess.run(command, cwd=cwd or self.workspace, env=self.environment, capture_output=True,
                              timeout=self.case.seconds, **self.as_user())
        assert done.returncode == 0, f"on the host: {command[0]}: {done.stderr.decode(errors='replace')[-500:]}"
        return done.stdout.decode(errors="replace")

    def judge(self):
        """Plays the case; AssertionError or Skip when it is not as it should be."""
        one = self.case
        for program in one.needs:
            if not self.has(program):
                raise Skip(f"{program} is not here")
        if one.drive:
            one.drive(self)
            return
        ended = self.run("set -e\n" + one.inside, check=one.status)
        if one.out is not None:
            assert ended.out.strip("\n") == one.out.strip("\n"), f"printed {ended.out[-600:]!r}, not {one.out!r}; {ended.err[-600:]}"
        if one.match is not None:
            assert re.search(one.match, ended.out), f"/{one.match}/ is not in {ended.out[-600:]!r}; {ended.err[-600:]}"


def tail(out, err):
    return f"stdout …{out[-500:].decode(errors='replace')!r}, stderr …{err[-1000:].decode(errors='replace')!r}"
