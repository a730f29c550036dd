"""paddock exec -t and paddock shell SANDBOX in a pseudo-terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

from client.user import Cases, User, isolations
from daemon_for_test import Skipped

case = Cases()


class Tty:
    """A client at a pseudo-terminal, whose settings are looked at in the end."""

    def __init__(self, user, *words, size=(24, 80), **environment):
        self.main, self.slave = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(self.slave)
        self.shown = b""
        self.child = subprocess.Popen([user.daemon.paddock, *words], stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                      env={**user.environment, "TERM": "xterm", **environment}, start_new_session=True,
                                      preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        os.close(self.main)
        os.close(self.slave)

    def resize(self, rows, columns):
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, keys):
        os.write(self.main, keys)

    def read(self, timeout):
        if not select.select([self.main], [], [], timeout)[0]:
            return False
        self.shown += os.read(self.main, 65536)
        return True

    def wait(self, wanted):
        """What was shown before `wanted`."""
        deadline = time.monotonic() + 30
        while wanted not in self.shown:
            assert self.read(max(0, deadline - time.monotonic())), f"no {wanted!r} in {self.shown!r}"
        before, self.shown = self.shown.split(wanted, 1)
        return before

    def end(self):
        """The exit status, once the terminal is as it was."""
        deadline = time.monotonic() + 40
        while self.child.poll() is None:
            assert time.monotonic() < deadline, f"it does not end: {self.shown!r}"
            self.read(0.05)
        while self.read(0):
            pass
        assert termios.tcgetattr(self.slave) == self.before, "the terminal is not as it was"
        return self.child.returncode

    def is_raw(self):
        return not termios.tcgetattr(self.slave)[3] & (termios.ICANON | termios.ECHO | termios.ISIG)


def with_process(daemon):
    if "process" not in isolations(daemon):
        raise Skipped("no isolation 'process' here")


@case("a shell in a sandbox at a terminal: keys, size, Ctrl-C, exit status")
def shell(daemon):
    user = User(daemon.start())
    for isolation in isolations(daemon):
        name = "box-" + isolation
        user.text("create", "-i", isolation, name)
        for words in (["shell", name], ["exec", "-t", name], ["shell", "--cwd", "/tmp", name]):
            with Tty(user, *words, size=(30, 100)) as tty:
                tty.wait(b"$ ")
                assert tty.is_raw()
                tty.send(b"echo \"c=$COLUMNS d=$PWD\"\r")
                tty.wait(b"c=100 d=/" + (b"tmp\r" if "--cwd" in words else b""))
                tty.resize(40, 132)
                tty.send(b"sleep 60\r")
                tty.wait(b"sleep 60\r\n")
                time.sleep(0.3)
                tty.send(b"\x03")
                tty.wait(b"$ ")
                tty.send(b"echo \"s=$? c=$COLUMNS\"\r")
                tty.wait(b"s=130 c=132")
                tty.send(b"cd; exit 7\r")
                assert tty.end() == 7, tty.shown
    assert user.text("exec", "box-virtual", "echo", "well") == "well\n"


@case("a script on stdin for the shell of a sandbox")
def script(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    assert user.text("shell", "dev", input=b"x=5\necho $((x + 1))\nexit 3\n", status=3) == "6\n"
    assert "takes no option but" in user.complaint("shell", "--mount", "/tmp:/x", "dev", status=2)
    assert "no sandbox 'absent'" in user.complaint("shell", "absent", status=125)
    assert "no terminal" in user.complaint("exec", "-t", "dev", "true", status=125)


@case("a command at a terminal: full screen, signals, variables, status")
def command(daemon):
    user = User(daemon.start())
    with_process(daemon)
    user.text("create", "-i", "process", "dev")
    with Tty(user, "exec", "-t", "-e", "X=1 2", "-w", "/tmp", "-c", "echo \"$TERM $X $PWD\"; stty size; tty; read -rsn1 k; printf '<%q>' \"$k\"; exit 5", "dev", size=(33, 77), TERM="vt220") as tty:
        tty.wait(b"vt220 1 2 /tmp\r\n33 77\r\n/dev/pts/")
        tty.send(b"\x1b")
        tty.wait(b"<$'\\E'>")
        assert tty.end() == 5
    # Not a shell's traps: bash may lose a signal that comes while it runs one.
    waits = """import os, signal, time
say = lambda text: os.write(1, text.encode())   # print() may be interrupted by the next signal and refuses to be entered again
signal.signal(signal.SIGWINCH, lambda *_: say("{1} {0}\\n".format(*os.get_terminal_size())))
signal.signal(signal.SIGINT, lambda *_: say("int\\n"))
print("ready", flush=True)
while True: time.sleep(1)"""
    with Tty(user, "exec", "-t", "dev", "python3", "-c", waits) as tty:
        tty.wait(b"ready")
        tty.resize(50, 150)
        tty.wait(b"50 150\r\n")
        tty.send(b"\x03")
        tty.wait(b"int")
        tty.child.send_signal(signal.SIGINT)   # from elsewhere
        tty.wait(b"int")
        tty.child.send_signal(signal.SIGTERM)
        assert tty.end() == 128 + signal.SIGTERM
    deadline = time.monotonic() + 20
    while user.text("ps", "dev").count("\n") > 1:
        assert time.monotonic() < deadline, "SIGTERM of the client does not hang up"


@case("a command at a terminal of the virtual wall: lines, erasing, the end of input, Ctrl-C, size, status, leaving and coming back")
def lines(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    with Tty(user, "exec", "-t", "-e", "X=1 2", "-w", "/tmp", "-c", "echo \"$TERM $X $PWD $COLUMNS $LINES\"; [ -t 0 ] && [ -t 1 ] && echo tty; read -r line; echo \"<$line>\"; exit 5", "dev",
             size=(33, 77), TERM="vt220") as tty:
        tty.wait(b"vt220 1 2 /tmp 77 33\r\ntty\r\n")
        assert tty.is_raw()
        tty.send("aü€x\x7f".encode())
        tty.wait("aü€x\b \b".encode())
        tty.send(b"b\r")
        tty.wait("b\r\n<aü€b>\r\n".encode())
        assert tty.end() == 5
    with Tty(user, "exec", "-t", "dev", "cat") as tty:
        tty.send(b"one\r")
        tty.wait(b"one\r\none\r\n")
        tty.send(b"\x04")
        assert tty.end() == 0, tty.shown
    with Tty(user, "exec", "-t", "-c", "trap 'echo int; exit 9' INT; echo ready; sleep 60", "dev") as tty:
        tty.wait(b"ready\r\n")
        tty.send(b"\x03")
        tty.wait(b"^C\r\nint\r\n")
        assert tty.end() == 9
    with Tty(user, "exec", "-t", "dev", "sleep", "60") as tty:
        time.sleep(1)
        tty.send(b"\x03")
        tty.wait(b"^C\r\n")
        assert tty.end() == 128 + signal.SIGINT
    with Tty(user, "exec", "-t", "-c", "trap '' INT; echo ready; while :; do :; done", "dev") as tty:
        tty.wait(b"ready\r\n")
        tty.send(b"\x03")
        tty.wait(b"^C")
        tty.send(b"\x03")   # the second ends what takes no notice
        assert tty.end() == 130
    with Tty(user, "exec", "-t", "-c", "echo ready; read line; echo \"got <$line>\" > /tmp/got; exit 3", "dev") as tty:
        tty.wait(b"ready")
        tty.send(b"~.")
        assert tty.end() == 0
        process = re.search(rb"paddock attach dev (proc_\w+)", tty.shown)[1].decode()
    with Tty(user, "attach", "dev", process) as tty:
        tty.wait(b"ready")
        tty.send(b"on\r")
        assert tty.end() == 3
    assert user.text("exec", "dev", "cat", "/tmp/got") == "got <on>\n"
    with Tty(user, "exec", "-t", "-c", "echo ready; cat; echo after > /tmp/after", "dev") as tty:
        tty.wait(b"ready")
        tty.child.send_signal(signal.SIGTERM)
        assert tty.end() == 128 + signal.SIGTERM
    deadline = time.monotonic() + 20
    while user.text("ps", "dev").count("\n") > 1:
        assert time.monotonic() < deadline, "SIGTERM of the client does not hang up"
    assert user.run("exec", "dev", "nonesuch", "-t").returncode == 127
    with Tty(user, "exec", "-t", "dev", "nonesuch") as tty:
        assert tty.end() == 127 and b"nonesuch" in tty.shown, tty.shown


@case("the keys that leave: a command goes on, a shell is hung up")
def leaving(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    with Tty(user, "shell", "dev") as tty:
        tty.wait(b"$ ")
        tty.send(b"echo a~.b\r")
        tty.wait(b"\r\na~.b\r\n")
        tty.send(b"~~\x7f\r")
        tty.wait(b"~")
        tty.send(b"~.")
        assert tty.end() == 0
    deadline = time.monotonic() + 20
    while user.text("ps", "dev").count("\n") > 1:
        assert time.monotonic() < deadline, "the shell stays"
    with_process(daemon)
    user.text("create", "-i", "process", "real")
    with Tty(user, "exec", "-t", "-c", "printf '\\033[?1049hready'; read line; echo \"got <$line>\" > /tmp/got; exit 3", "real") as tty:
        tty.wait(b"ready")
        tty.send(b"~.")
        assert tty.end() == 0
        assert b"\x1b[?1049l" in tty.shown, tty.shown
        process = re.search(rb"paddock attach real (proc_\w+)", tty.shown)[1].decode()
    assert process in user.text("ps", "real")
    with Tty(user, "attach", "real", process) as tty:
        tty.wait(b"ready")
        tty.send(b"on\r")
        assert tty.end() == 3
    assert user.text("exec", "real", "cat", "/tmp/got") == "got <on>\n"
    plain = user.text("exec", "-d", "-c", "sleep 30", "real").strip()
    with Tty(user, "attach", "real", plain) as tty:
        assert tty.end() == 125 and b"it has no terminal" in tty.shown, tty.shown
    with Tty(user, "attach", "real", "proc_x") as tty:
        assert tty.end() == 125 and b"no process 'proc_x'" in tty.shown, tty.shown


@case("the terminal is as before when the daemon is killed")
def killed(daemon):
    user = User(daemon.start())
    for isolation in isolations(daemon):
        user.text("create", "-i", isolation, "box-" + isolation)
    for isolation in isolations(daemon):
        if daemon.child.poll() is not None:
            daemon.start()
            user.text("start", "box-" + isolation) if isolation == "process" else None
        with Tty(user, "shell", "box-" + isolation) as tty:
            tty.wait(b"$ ")
            daemon.kill()
            assert tty.end() == 125 and b"the connection to the daemon broke" in tty.shown, tty.shown


class Proxy:
    """A socket before the daemon's, whose connections can be cut, or go silent."""

    def __init__(self, target, path):
        self.target, self.path, self.pairs = str(target), str(path), []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.target)
            self.pairs.append((near, far))
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    @staticmethod
    def pump(one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        for pair in self.pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs = []

    def close(self):
        self.cut()
        self.listener.close()


@case("a connection that breaks: a command's is made anew, a shell's ends it")
def broken(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    proxy = Proxy(daemon.data / "paddock.sock", daemon.data.parent / "proxy")
    near = User(daemon, PADDOCK_SERVER=f"unix:{proxy.path}")
    try:
        with Tty(near, "shell", "dev") as tty:
            tty.wait(b"$ ")
            proxy.cut()
            assert tty.end() == 125 and b"the connection to the daemon broke" in tty.shown, tty.shown
        with_process(daemon)
        user.text("create", "-i", "process", "real")
        with Tty(near, "exec", "-t", "-c", "echo ready; for i in 1 2 3; do read line; echo \"got <$line>\"; done; exit 4", "real") as tty:
            tty.wait(b"ready")
            for word in (b"one", b"two"):
                proxy.cut()
                time.sleep(0.5)
                tty.send(word + b"\r")
                tty.wait(b"got <" + word + b">\r\n")
                assert b"ready" not in tty.shown
            tty.send(b"x\r")
            assert tty.end() == 4
    finally:
        proxy.close()


@case("Ctrl-Z from elsewhere gives the terminal back, and takes it again")
def stopped(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    with Tty(user, "shell", "dev") as tty:
        tty.wait(b"$ ")
        tty.child.send_signal(signal.SIGTSTP)
        assert os.waitpid(tty.child.pid, os.WUNTRACED)[1] & 0xFF == 0x7F
        assert termios.tcgetattr(tty.slave) == tty.before
        tty.child.send_signal(signal.SIGCONT)
        deadline = time.monotonic() + 20
        while not tty.is_raw():
            assert time.monotonic() < deadline
        tty.send(b"exit 2\r")
        assert tty.end() == 2
