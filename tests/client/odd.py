"""What goes wrong at the edges of the program: output that nobody takes or that has no room, arguments that are no text, habits from elsewhere."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time

from client.user import Cases, User, isolations

case = Cases()


def into(user, path, *words):
    with open(path, "wb") as out:
        return subprocess.run([user.daemon.paddock, *words], stdout=out, stderr=subprocess.PIPE, env=user.environment, timeout=60)


@case("what cannot be written to stdout is an error")
def full(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    for words in (["ls"], ["exec", "dev", "echo", "text"], ["exec", "-c", "seq 100000", "dev"], ["tools"], ["run", "echo text"], ["inspect", "dev"], ["usage"], ["man"], ["logs", "dev"], ["key", "list"]):
        ended = into(user, "/dev/full", *words)
        assert ended.returncode == 1 and b"No space left on device" in ended.stderr, (words, ended)
    assert into(user, "/dev/full", "exec", "-c", "echo text; exit 7", "dev").returncode == 7
    for words in (["exec", "-c", "seq 1000000", "dev"], ["run", "seq 1000000"]):
        with subprocess.Popen([user.daemon.paddock, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=user.environment) as child:
            child.stdout.read(1)
            child.stdout.close()
            assert child.wait(60) in (1, 125, 128 + signal.SIGPIPE), words


@case("arguments that are no UTF-8 are named")
def bytes_in_arguments(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    for words in (["exec", "dev", "echo", b"a\xff"], ["create", b"a\xff"], ["exec", "-e", b"A=a\xff", "dev", "env"], ["create", "-l", b"a\xff=b"]):
        ended = user.run(*words)
        assert ended.returncode in (1, 125) and b"is no UTF-8" in ended.stderr and b"'a" in ended.stderr.lower(), (words, ended)


@case("SANDBOX -- COMMAND is SANDBOX COMMAND; lists are ls and list")
def habits(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    assert user.text("exec", "dev", "--", "echo", "--", "a") == "-- a\n"
    assert "needs a script or a command" in user.complaint("exec", "dev", status=125)
    for words in (["snapshot", "ls"], ["snapshot", "list"], ["template", "ls"], ["template", "list"]):
        assert user.text(*words).startswith("ID"), words


@case("a snapshot leaves as one file and comes back; what is none is refused")
def carried(daemon):
    user = User(daemon.start())
    for isolation in isolations(daemon):
        name = isolation
        user.text("create", "-i", isolation, name)
        user.text("exec", "-c", "cd; echo text > file; mkdir -p d/e; echo deep > d/e/f", name)
        user.text("snapshot", "create", name, "s-" + name)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "state"
            user.text("snapshot", "export", "s-" + name, str(file))
            assert user.run("snapshot", "export", "s-" + name, "-").stdout == file.read_bytes()
            assert sorted(os.listdir(folder)) == ["state"]
            user.text("snapshot", "rm", "s-" + name)
            user.text("rm", name)
            made = user.text("snapshot", "import", str(file), "back").strip()
            assert made.startswith("snap_")
            assert user.text("snapshot", "import", "-", input=file.read_bytes()).startswith("snap_")
            user.text("create", "--snapshot", "back", "again")
            assert user.text("exec", "-c", "cd; cat file d/e/f", "again") == "text\ndeep\n"
            file.write_bytes(file.read_bytes()[:-3])
            complaint = user.complaint("snapshot", "import", str(file), "cut", status=1)
            assert "too early" in complaint, complaint
            assert "is a directory" in user.complaint("snapshot", "import", folder, status=1)
            assert "No such file" in user.complaint("snapshot", "import", folder + "/none", status=1)
            assert "no snapshot 'none'" in user.complaint("snapshot", "export", "none", folder + "/x", status=1)
            assert "No such file" in user.complaint("snapshot", "export", "back", folder + "/none/x", status=1)
            assert sorted(os.listdir(folder)) == ["state"]
        user.text("rm", "again")
        user.text("snapshot", "rm", "back")


@case("Ctrl-C in the midst of a copy into a session's files is Ctrl-C for the caller")
def interrupted(daemon):
    user = User(daemon.start())
    user.text("session", "create", "-c", "bashkit_shell", "work")
    with tempfile.TemporaryDirectory() as folder:
        pipe = folder + "/pipe"
        os.mkfifo(pipe)
        with user.start("session", "storage", "put", "work", pipe, "/x", stderr=subprocess.PIPE) as child:
            with open(pipe, "wb") as writer:   # it reads
                writer.write(b"begin")
                writer.flush()
                deadline = time.monotonic() + 30
                while child.poll() is None and time.monotonic() < deadline:
                    child.send_signal(signal.SIGINT)
                    time.sleep(0.2)
            assert child.wait(30) == 128 + signal.SIGINT, child.stderr.read()
