"""paddock completion in the shells themselves, and paddock man."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time

from client.user import Cases, User
from daemon_for_test import Skipped

case = Cases()


def asked(user, shell, *words):
    """What may follow, and what the shell is to add."""
    lines = user.text("completion", f"--answer={shell}", "--", *words).splitlines()
    return lines[0], lines[1:]


def prepare(daemon):
    user = User(daemon.start())
    user.text("create", "dev-one")
    user.text("create", "dev-two")
    user.text("snapshot", "create", "dev-one", "before")
    user.text("session", "create", "-c", "session_storage", "work")
    return user


@case("completion: subcommands, options, verbs, names on the daemon")
def answers(daemon):
    user = prepare(daemon)
    first = asked(user, "zsh", "")[1]
    assert {"run", "cp", "exec", "session", "completion"} <= set(first), first
    assert asked(user, "zsh", "sn") == ("nothing", ["snapshot"])
    assert asked(user, "zsh", "ls", "--j") == ("nothing", ["--json"])
    assert "--ttl=" in asked(user, "zsh", "create", "--")[1]
    assert asked(user, "zsh", "snapshot", "re") == ("nothing", ["restore"])
    assert asked(user, "zsh", "snapshot", "restore", "") == ("nothing", ["before"])
    assert asked(user, "zsh", "snapshot", "restore", "before", "dev") == ("nothing", ["dev-one", "dev-two"])
    assert asked(user, "zsh", "create", "--snapshot=b")[1] == ["--snapshot=before"]
    assert asked(user, "zsh", "exec", "-t", "d")[1] == ["dev-one", "dev-two"]
    assert asked(user, "zsh", "exec", "--cwd", "/tmp", "d")[1] == ["dev-one", "dev-two"]
    assert asked(user, "zsh", "session", "storage", "get", "w") == ("nothing", ["work"])
    assert asked(user, "zsh", "session", "storage", "")[1] == ["get", "ls", "put", "rm"]
    assert asked(user, "zsh", "ls", "--key-file", "") == ("files", [])
    assert asked(user, "zsh", "cp", "dev") == ("files", ["dev-one:", "dev-two:"])
    user.text("exec", "-c", "mkdir -p src; echo x > src/main.c; echo x > 'src/m$(id)'; echo x > src/mx", "dev-one")
    assert asked(user, "zsh", "cp", "dev-one:/home/agent/s")[1] == ["dev-one:/home/agent/src/"]
    assert asked(user, "zsh", "cp", "dev-one:/home/agent/src/m")[1] == ["dev-one:/home/agent/src/main.c", "dev-one:/home/agent/src/mx"]
    assert asked(user, "bash", "paddock cp dev-one:/home/agent/src/ma")[1] == ["/home/agent/src/main.c"]
    assert asked(user, "bash", "true; paddock create --snapshot=")[1] == ["before"]
    process = user.text("exec", "-d", "dev-one", "true").strip()
    assert process in asked(user, "zsh", "logs", "dev-one", "")[1]
    elsewhere = User(daemon, PADDOCK_SERVER="unix:/nowhere")
    assert asked(elsewhere, "zsh", "exec", "") == ("nothing", [])
    assert asked(elsewhere, "zsh", "exec", "--server", user.environment["PADDOCK_SERVER"], "d")[1] == ["dev-one", "dev-two"]
    assert "bash, zsh or fish" in user.complaint("completion", "csh", status=2)


@case("completion: every option of every --help is offered")
def complete(daemon):
    user = User(daemon, PADDOCK_SERVER="unix:/nowhere")
    for name in asked(user, "zsh", "")[1]:
        wanted = set(re.findall(r"^ {2}(?:-., | {4})(--[a-z-]+)", user.text(name, "--help"), re.MULTILINE))
        offered = {word.rstrip("=") for word in asked(user, "zsh", name, "--")[1]}
        assert wanted <= offered, (name, wanted - offered)


class Keyboard:
    """A shell at a pseudo-terminal, whose Tab is pressed."""

    def __init__(self, words, environment):
        self.child, self.main = pty.fork()
        if self.child == 0:
            os.execvpe(words[0], words, environment)
        self.shown = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)
        os.close(self.main)

    def type(self, keys):
        os.write(self.main, keys)

    def wait(self, wanted):
        deadline = time.monotonic() + 30
        while not re.search(wanted, self.shown):
            assert select.select([self.main], [], [], max(0, deadline - time.monotonic()))[0], f"no {wanted!r} in {self.shown!r}"
            data = os.read(self.main, 65536)
            self.shown += data
            if b"\x1b[c" in data or b"\x1b[0c" in data:   # fish asks what terminal this is
                os.write(self.main, b"\x1b[?62;c")
            if b"\x1b[6n" in data:
                os.write(self.main, b"\x1b[1;1R")
        self.shown = self.shown[re.search(wanted, self.shown).end():]


def try_shell(daemon, words, prepare_line, name):
    if shutil.which(words[0]) is None:
        raise Skipped(f"{words[0]} is not installed")
    user = prepare(daemon)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        (pathlib.Path(folder) / "notes file.txt").write_text("x")
        (pathlib.Path(folder) / "paddock").symlink_to(daemon.paddock)
        environment = {**user.environment, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": folder, "TERM": "xterm", "PS1": "ready> ", "LANG": "C.UTF-8", "COLUMNS": "200"}
        with Keyboard(words, environment) as keys:
            for line in (f"cd {folder}", prepare_line, "echo pre''pared"):
                keys.type(line.encode() + b"\r")
            keys.wait(rb"prepared")
            time.sleep(0.5)   # the prompt behind it
            for typed, got in ((b"paddock snapsh\t", rb"ot"), (b"paddock ls --js\t", rb"on"), (b"paddock exec dev-o\t", rb"ne"),
                               (b"paddock cp not\t", rb"es\S*\\? file.txt"), (b"paddock cp dev-one:/home/ag\t", rb"ent/"), (b"paddock create --snapshot=be\t", rb"fore"),
                               (b"paddock exec dev-\t\t", rb"dev-two")):
                keys.type(typed)
                keys.wait(re.escape(typed.rstrip(b"\t")[-4:]) + rb"(?s:.*?)" + got)
                keys.type(b"\x15")


@case("completion in bash")
def bash(daemon):
    try_shell(daemon, ["bash", "--norc", "--noprofile", "-i"], 'eval "$(paddock completion bash)"', "bash")


@case("completion in zsh")
def zsh(daemon):
    try_shell(daemon, ["zsh", "-f", "-i"], 'autoload -Uz compinit; compinit -u -D; eval "$(paddock completion zsh)"', "zsh")


@case("completion in fish")
def fish(daemon):
    try_shell(daemon, ["fish", "--no-config", "-i"], "paddock completion fish | source", "fish")


@case("the manual names every subcommand and option, and formatters take it")
def manual(daemon):
    user = User(daemon)
    page = user.text("man")
    plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    for name in asked(User(daemon, PADDOCK_SERVER="unix:/nowhere"), "zsh", "")[1]:
        assert f'.SS "paddock {name}"' in plain, name
        for option in re.findall(r"^ {2}(?:-., | {4})(--[a-z-]+)", user.text(name, "--help"), re.MULTILINE):
            assert option in plain, (name, option)
    checked = 0
    with tempfile.NamedTemporaryFile("w", suffix=".1", encoding="utf-8") as file:
        file.write(page)
        file.flush()
        if shutil.which("mandoc"):
            done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", file.name], capture_output=True, text=True, check=False)
            assert not [line for line in done.stdout.splitlines() if "missing date" not in line], done.stdout[:2000]
            checked += 1
        if shutil.which("man") and shutil.which("groff"):
            done = subprocess.run(["man", "--warnings=w", "-l", file.name], capture_output=True, text=True, check=False, env={**os.environ, "MANWIDTH": "120", "LC_ALL": "C.UTF-8"})
            assert done.returncode == 0 and done.stderr == "" and "paddock snapshot restore" in done.stdout, (done.returncode, done.stderr[:1000])
            checked += 1
    if checked == 0:
        raise Skipped("neither mandoc nor man and groff are installed")


@case("what is installed works where it lies")
def installed(daemon):
    build = pathlib.Path(daemon.paddock).parent.parent
    if shutil.which("cmake") is None or not (build / "cmake_install.cmake").exists() or not os.access(build, os.W_OK):
        raise Skipped("not a build directory of cmake that we may write to")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        done = subprocess.run(["cmake", "--install", str(build), "--prefix", folder], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        root = pathlib.Path(folder)
        assert subprocess.run([root / "bin" / "paddock", "run", "echo hi"], capture_output=True, check=False).stdout == b"hi\n"
        assert (root / "share" / "man" / "man1" / "paddock.1").read_text().startswith(".TH PADDOCK 1")
        for name in ("bash-completion/completions/paddock", "zsh/site-functions/_paddock", "fish/vendor_completions.d/paddock.fish"):
            assert "--answer=" in (root / "share" / name).read_text(), name
