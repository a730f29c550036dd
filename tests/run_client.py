#!/usr/bin/env python3
"""Uses the subcommands that talk to a daemon (paddock create, exec, cp …) as a person would, against a real one.

    run_client.py [--paddock FILE] [--only RE]

The last line is "N passed, N failed, N skipped".
"""

import ctypes
import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

from client import completing, copying, odd, sessions, terminal
from client.user import Cases, User, isolations
from daemon_for_test import Skipped, run_cases

case = Cases()


@case("makes, shows and deletes sandboxes")
def life(daemon):
    user = User(daemon.start())
    made = user.text("create", "dev", "-l", "a=b", "-e", "NAME=value", "--ttl", "1h", "--limits", "processes=20").strip()
    assert made.startswith("sbx_")
    assert user.text("create", "--get-or-create", "dev").strip() == made
    taken = user.complaint("create", "dev", status=1)
    assert "dev" in taken, taken
    shown = json.loads(user.text("inspect", "dev"))
    assert shown["id"] == made and shown["labels"] == {"a": "b"} and shown["lease"]["ttl"] == "1h", shown
    assert shown["limits"]["processes"] == 20, shown
    lines = user.text("ls").splitlines()
    assert lines[0].split() == ["ID", "NAME", "ISOLATION", "STATE", "RUNNING", "CREATED", "USED"], lines
    assert lines[1].split()[:4] == [made, "dev", "virtual", "running"], lines
    assert user.text("ls", "-q", "-l", "a=b").split() == [made] and user.text("ls", "-q", "-l", "a=c") == ""
    assert json.loads(user.text("ls", "--json"))[0]["name"] == "dev"
    user.text("pause", "dev")
    assert "is paused; resume it first" in user.complaint("exec", "dev", "true", status=125)
    user.text("resume", "dev")
    user.text("stop", "dev")
    user.text("start", "dev")
    user.text("extend", "--ttl", "2h", "dev")
    assert json.loads(user.text("inspect", "dev"))["lease"]["ttl"] == "2h"
    assert "no sandbox 'absent'" in user.complaint("rm", "dev", "absent", status=1)
    assert user.text("ls", "-q") == ""
    types = [line.split()[2] for line in user.text("events").splitlines()]
    assert types[0] == "sandbox.created" and types[-1] == "sandbox.deleted", types


@case("runs commands: their streams, status, input, variables, shell")
def execs(daemon):
    user = User(daemon.start())
    for isolation in isolations(daemon):
        name = "box-" + isolation
        user.text("create", "-i", isolation, name)
        done = user.run("exec", "-c", "echo out; echo err >&2; exit 7", name)
        assert (done.returncode, done.stdout, done.stderr) == (7, b"out\n", b"err\n"), done
        assert user.text("exec", name, "printf", "%s|", "a b", "-n", "*") == "a b|-n|*|"
        assert user.text("exec", "-e", "X=1 2", "-w", "/tmp", "-c", 'echo "$X $PWD"', name) == "1 2 /tmp\n"
        noise = os.urandom(1 << 20)
        done = user.run("exec", "-i", name, "cat", input=noise)
        assert done.returncode == 0 and done.stdout == noise, (done.returncode, len(done.stdout), done.stderr)
        assert user.text("exec", name, "cat", input=b"not given") == ""
        assert "time given" in user.complaint("exec", "--timeout", "300ms", name, "sleep", "20", status=124)
        assert "no-such-command" in user.complaint("exec", name, "no-such-command", status=127)
        assert user.text("exec", "-c", "echo $HOME $USER $(pwd)", name).split()[:2] == ["/home/agent", "agent"]
    user.text("exec", "-k", "-c", "x=5; cd /tmp", "box-virtual")
    assert user.text("exec", "-k", "-c", "echo $x $PWD", "box-virtual") == "5 /tmp\n"
    assert "exclude each other" in user.complaint("exec", "-c", "true", "box-virtual", "true", status=125)
    assert "no sandbox 'absent'" in user.complaint("exec", "absent", "true", status=125)


@case("a process in the background: its output from the beginning, and while it comes")
def background(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    process = user.text("exec", "-d", "-c", "for i in 1 2 3; do echo line $i; sleep 0.1; done", "dev").strip()
    assert process.startswith("proc_")
    assert process in user.text("ps", "dev")
    assert user.text("logs", "-f", "-l", "dev") == "line 1\nline 2\nline 3\n"
    user.text("exec", "-c", "echo more; echo wrong >&2", "dev")
    whole = user.run("logs", "dev")
    assert (whole.stdout, whole.stderr) == (b"line 1\nline 2\nline 3\nmore\n", b"wrong\n"), whole
    assert process + " line 2\n" in user.text("logs", "--times", "dev")
    assert user.text("logs", "--since", "2100-01-01", "dev") == ""
    follower = user.start("logs", "--follow", "dev", stdout=subprocess.PIPE)
    assert [follower.stdout.readline() for _ in range(4)][3] == b"more\n"
    user.text("exec", "-c", "echo live", "dev")
    assert follower.stdout.readline() == b"live\n"
    follower.kill()
    follower.wait()
    follower.stdout.close()
    assert user.text("logs", "dev", process) == "line 1\nline 2\nline 3\n"
    assert process not in user.text("ps", "dev") and process in user.text("ps", "-a", "dev")
    assert "no process 'proc_x'" in user.complaint("logs", "dev", "proc_x", status=1)


@case("a signal of ours ends the command, and only it")
def interrupted(daemon):
    user = User(daemon.start())
    for isolation in isolations(daemon):
        name = "box-" + isolation
        user.text("create", "-i", isolation, name)
        child = user.start("exec", "-c", "echo ready; sleep 60; echo not here", name, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=30)
        assert child.returncode == 130 and out == b"", (isolation, child.returncode, out)
        assert user.text("ps", name).count("\n") == 1
        assert user.text("exec", name, "echo", "on") == "on\n"


@case("a reader that goes away ends the client, not the command")
def reader_gone(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    child = user.start("exec", "-c", "i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done; echo finished > /tmp/end", "dev", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.readline()
    child.stdout.close()
    child.wait(30)
    deadline = time.monotonic() + 30
    while user.run("exec", "dev", "cat", "/tmp/end").stdout != b"finished\n":
        assert time.monotonic() < deadline
    child.stderr.close()


@case("goes on with the output when the connection breaks")
def reconnects(daemon):
    user = User(daemon.start())
    user.text("create", "-i", "virtual", "dev")
    child = user.start("exec", "-c", "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.2; done", "dev", stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"1\n"
    cut_connections(child.pid)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0 and out == b"".join(b"%d\n" % i for i in range(2, 9)), (child.returncode, out)


def cut_connections(pid):
    """Shuts the sockets of a process down, from outside: what a proxy does that loses patience."""
    pidfd = os.pidfd_open(pid)
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            target = os.readlink(f"/proc/{pid}/fd/{name}")
            if not target.startswith("socket:"):
                continue
            copy = libc.syscall(438, pidfd, int(name), 0)   # pidfd_getfd
            if copy < 0:
                raise Skipped(f"the descriptors of another process cannot be had here: {os.strerror(ctypes.get_errno())}")
            end = socket.socket(fileno=copy)
            end.shutdown(socket.SHUT_RDWR)
            end.close()
    finally:
        os.close(pidfd)


@case("copies files both ways, whole or not at all")
def copies(daemon):
    user = User(daemon.start())
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        folder = pathlib.Path(folder)
        noise = os.urandom(3_000_000)
        (folder / "a:b").write_bytes(noise)
        (folder / "a:b").chmod(0o750)
        for isolation in isolations(daemon):
            name = "box-" + isolation
            user.text("create", "-i", isolation, name)
            home = user.text("exec", "-c", "echo $HOME", name).strip()
            user.text("cp", str(folder / "a:b"), f"{name}:{home}/")
            assert user.text("exec", name, "stat", "-c", "%a %s", f"{home}/a:b") == "750 3000000\n"
            user.text("cp", f"{name}:{home}/a:b", str(folder / "back"))
            assert (folder / "back").read_bytes() == noise
            assert user.run("cp", f"{name}:{home}/a:b", "-").stdout == noise
            user.text("cp", "-", f"{name}:{home}/from stdin", input=b"piped")
            assert user.text("exec", name, "cat", f"{home}/from stdin") == "piped"
            assert "a:b" in user.text("ls", f"{name}:{home}")
            assert "/absent" in user.complaint("cp", f"{name}:/absent", str(folder / "none"), status=1)
            assert "absent" in user.complaint("cp", str(folder / "absent"), f"{name}:{home}/x", status=1)
            assert not (folder / "none").exists()
        assert "no sandbox 'nobody'" in user.complaint("cp", str(folder / "back"), "nobody:/tmp/x", status=1)
        assert "SANDBOX:PATH" in user.complaint("cp", "a", "b", status=1)
        assert sorted(os.listdir(folder)) == ["a:b", "back"]


@case("a transfer that takes long shows on a terminal how far it is")
def progress(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        fifo = pathlib.Path(folder) / "slow"
        os.mkfifo(fifo)
        main, terminal = pty.openpty()
        child = user.start("cp", str(fifo), "dev:/tmp/slow", stderr=terminal)
        os.close(terminal)
        with open(fifo, "wb", buffering=0) as slow:
            for _ in range(8):
                slow.write(b"x" * 1024)
                time.sleep(0.1)
        assert child.wait(30) == 0
        shown = b""
        fcntl.fcntl(main, fcntl.F_SETFL, os.O_NONBLOCK)
        while select.select([main], [], [], 0.2)[0]:
            try:
                part = os.read(main, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(main)
        assert b"KiB" in shown and b"/s" in shown, shown


@case("snapshots: kept, compared, restored, begun from; forks")
def snapshots(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    user.text("exec", "-k", "-c", "x=5; printf 'one\\ntwo\\n' > a", "dev")
    made = user.text("snapshot", "create", "dev", "base").strip()
    assert made.startswith("snap_")
    user.text("exec", "-c", "echo three >> a; echo new > b; rm -rf /tmp/none", "dev")
    changes = user.text("snapshot", "diff", "base", "dev").splitlines()
    assert changes == ["M /home/agent/a", "A /home/agent/b"], changes
    assert "+three" in user.text("snapshot", "diff", "-p", made, "dev")
    later = user.text("snapshot", "create", "dev").strip()
    assert user.text("snapshot", "diff", made, later).splitlines() == changes
    assert [line.split()[0] for line in user.text("snapshot", "list", "dev").splitlines()[1:]] == [made, later]
    assert user.text("create", "-s", "base", "other").startswith("sbx_")
    assert user.text("exec", "-k", "-c", "echo $x; cat a; ls", "other") == "5\none\ntwo\na\n"
    user.text("snapshot", "restore", "base", "dev")
    assert user.text("exec", "-c", "ls", "dev") == "a\n"
    assert len(user.text("fork", "-n", "3", "dev", "try").split()) == 3
    user.text("exec", "-c", "echo x > only-here", "try-2")
    assert user.text("exec", "-c", "ls", "try-3") == "a\n"
    assert "try-1" in user.complaint("fork", "-n", "2", "dev", "try", status=1)
    user.text("rm", "dev")
    user.text("snapshot", "rm", "base", later)
    assert len(user.text("snapshot", "list").splitlines()) == 1
    assert "no snapshot 'base'" in user.complaint("snapshot", "restore", "base", "other", status=1)
    assert "create SANDBOX" in user.complaint("snapshot", "restore", "base", status=2)


@case("what a sandbox says does not steer the terminal")
def harmless(daemon):
    user = User(daemon.start())
    user.text("create", "dev", "-l", "x=\x1b]0;title\x07")
    user.text("exec", "-d", "-c", "true \x1b[2J", "dev")
    assert "\x1b" not in user.text("ps", "-a", "dev")
    user.text("exec", "-c", "touch \"$(printf '/tmp/a\\033[2J')\"", "dev")
    shown = user.text("ls", "dev:/tmp")
    assert "\x1b" not in shown and "\\x1b[2J" in shown, shown


@case("run in a fresh sandbox of a daemon, which is gone afterwards")
def one_shot(daemon):
    daemon.start()
    user = User(daemon)
    server = ["--server", f"unix:{daemon.data}/paddock.sock"]

    def run(*words, input="", status=0):
        done = subprocess.run([daemon.paddock, "run", *server, *words], input=input, capture_output=True, text=True, timeout=60, env=user.environment)
        assert done.returncode == status, done
        return done.stdout
    assert run("-e", "A=1", "--cwd", "/tmp", "echo $A $(cat) $1; pwd", "arg", input="x\n") == "1 x arg\n/tmp\n"
    assert run("--", "printf", "%s,", "a b", "c") == "a b,c,"
    assert run("-", input="echo $0; exit 7\n", status=7) == "bash\n"
    script = daemon.data.parent / "script.sh"
    script.write_text('echo "$0 $1"\n')
    assert run(str(script), "one") == f"{script} one\n"
    assert run("--limits", "time=200ms,memory=64M", "while :; do :; done", status=124) == ""
    assert run("-i", "process", "python3 -c 'print(6 * 7)'") == "42\n"
    for refused in (["--mount", "/tmp:/x"], ["--json"], ["--limits", "steps=5"], ["--preset", "agent"], ["--limits", "nothing=5"]):
        run(*refused, "true", status=2)
    run("-i", "nosuch", "true", status=2)
    child = subprocess.Popen([daemon.paddock, "run", *server, "echo begun; sleep 1000"], stdout=subprocess.PIPE, text=True, env=user.environment)
    assert child.stdout.readline() == "begun\n"
    child.send_signal(signal.SIGINT)
    assert child.wait(30) == 130, child.returncode
    assert daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"] == []
    alone = subprocess.run([daemon.paddock, "run", "--key-file", "/x", "true"], capture_output=True, text=True, timeout=60, env=user.environment)
    assert alone.returncode == 2 and "--server" in alone.stderr, alone


@case("a warning of how the disk is held comes to who set a limit for it")
def disk_warning(daemon):
    daemon.start()
    user = User(daemon)
    for words, is_warned in (((), False), (("--limits", "disk=1GiB"), True)):
        name = "asked" if is_warned else "usual"
        made = subprocess.run([daemon.paddock, "create", "-i", "process", *words, name], capture_output=True, text=True, timeout=60, env=user.environment)
        assert made.returncode == 0 and ("limits.disk is watched" in made.stderr) == is_warned, made
        warnings = daemon.ask("GET", f"/v1/sandboxes/{name}").json()["warnings"]
        assert any("limits.disk" in one for one in warnings) == is_warned, warnings


@case("keys, addresses, and a daemon that is not there")
def reaching(daemon):
    daemon.start()
    other = daemon.ask("POST", "/v1/sandboxes", {"name": "admins"})
    assert other.status == 201
    key = daemon.command("key", "create", "--data", str(daemon.data), "--role", "user", "ann").stdout.strip()
    ann = User(daemon, PADDOCK_SERVER=f"http://127.0.0.1:{daemon.port}", PADDOCK_KEY=key)
    ann.text("create", "mine")
    assert [line.split()[1] for line in ann.text("ls").splitlines()[1:]] == ["mine"]
    assert "no sandbox 'admins'" in ann.complaint("inspect", "admins", status=1)
    nobody = User(daemon, PADDOCK_SERVER=f"http://127.0.0.1:{daemon.port}")
    complaint = nobody.complaint("ls", status=1)
    assert "wants a key" in complaint and "--key-file" in complaint and "PADDOCK_KEY" in complaint, complaint
    keyfile = daemon.data.parent / "key"
    keyfile.write_text(key + "\n")
    assert "mine" in nobody.text("ls", "--key-file", str(keyfile))
    assert "cannot be read" in nobody.complaint("ls", "--key-file", "/nonexistent", status=1)
    assert "http://HOST:PORT" in nobody.complaint("ls", "--server", "ftp://x", status=1)
    listed = json.loads(daemon.command("key", "list", "--json", "--data", str(daemon.data), "ann").stdout)
    assert [(one["owner"], one["role"], one["revoked_at"]) for one in listed] == [("ann", "user", None)], listed
    daemon.stop()
    assert "start one with 'paddock serve'" in nobody.complaint("ls", status=1)
    nothing = User(daemon, XDG_STATE_HOME=str(daemon.data.parent / "empty"))
    del nothing.environment["PADDOCK_SERVER"]
    assert "start one with 'paddock serve'" in nothing.complaint("ls", status=1)


@case("help of each names its options; what is wrong is named")
def helps(daemon):
    user = User(daemon)
    for name in ["create", "ls", "exec", "ps", "logs", "cp", "inspect", "pause", "resume", "stop", "start", "extend", "rm", "snapshot", "fork", "events", "usage"]:
        text = user.text(name, "--help")
        assert text.startswith(f"Usage: paddock {name} ") and "--server" in text and "Exit status:" in text, text
        assert name in user.text("--help")
        assert "--no-such-option" in user.complaint(name, "--no-such-option", status=2)
    assert "needs" in user.complaint("ps", status=2)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, case + copying.case + terminal.case + sessions.case + completing.case + odd.case))
