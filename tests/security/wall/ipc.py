"""Objects and sockets of the host that need no file permission, or a weak one; and the caller's terminal."""

import contextlib
import os
import pty
import select
import socket
import subprocess
import threading
import time

from .lifetime import inside, is_up
from .probe import NOBODY, any_of, changes, leaks, opens, probe, reaches
from .scratch import HOST_SOCKETS


def objects(world):
    world.run_as_user([world.variables["P"], "make-objects", world.tokens["shm-segment"], world.tokens["message"], world.tokens["mqueue"]])


def gone(look):
    with open("/proc/sysvipc/shm", encoding="utf-8") as table:
        return None if str(0x57a11) in table.read() else "the host's segment is gone"


probe("ipc/segment", "a System V segment of the host", "$P read-segment", leaks("shm-segment"), setup=objects)
probe("ipc/message", "a System V message of the host", "$P read-message", leaks("message"))
probe("ipc/semaphore", "a System V semaphore of the host", "$P take-semaphore", opens())
probe("ipc/remove", "a System V segment of the host removed", "$P remove-objects", gone, setup=objects, alone=True)
probe("ipc/queue", "a POSIX message queue of the host", "$P read-queue", leaks("mqueue"))
probe("ipc/queue-mount", "the host's POSIX queues by a mount", "mkdir -p m-q; mount -t mqueue none m-q && ls m-q", lambda look: "listed" if "wall-probe" in look.out else None,
      bites=("root",))
probe("ipc/shared-memory", "a POSIX shared memory file of the host", "cat /dev/shm/host-secret; cat /run/shm/host-secret", leaks("shm"))
for name, path in HOST_SOCKETS.items():
    probe(f"ipc/{name}", f"the host's socket {path}", f"$P call-unix {path} $MARK", any_of(reaches(name), leaks(name)))
probe("ipc/work-socket", "a host program's socket in the workspace itself", "$P call-unix $W/host.sock $MARK; cd $W && $P call-unix host.sock $MARK",
      any_of(reaches("work-socket"), leaks("work-socket")))
probe("ipc/socket-by-link", "a link in the workspace to a host's socket", "ln -s /run/docker.sock d; ln -s /tmp/ssh-agent.sock a; $P call-unix d $MARK; $P call-unix a $MARK",
      reaches())
probe("ipc/socket-by-proc", "a host's socket through another process's root", "for r in /proc/1/root /proc/self/root /proc/$VICTIM/root; do $P call-unix $r/run/docker.sock $MARK; done",
      reaches())
probe("ipc/abstract", "an abstract socket of the host", "$P call-unix @$ABSTRACT $MARK", any_of(reaches("abstract"), leaks("abstract")))
probe("ipc/datagram", "a datagram socket of the host", "$P call-unix /run/host-log $MARK datagram", reaches("log-socket"))
probe("ipc/agent-variable", "the SSH agent that the launcher's environment names", "$P call-unix ${SSH_AUTH_SOCK:-/tmp/ssh-agent.sock} $MARK", reaches("agent-socket"))


def key(world):
    world.run_as_user([world.variables["P"], "key-give", "wall-secret", world.tokens["keyring"]])


probe("ipc/keyring", "a key in the user's keyring", "$P key-steal wall-secret", leaks("keyring"), setup=key)


class Terminal:
    """A pseudo-terminal of the host with a shell's prompt on it: what the caller of the wall sits at."""

    def __init__(self):
        self.near, self.far = pty.openpty()
        self.seen = b""

    def read(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if select.select([self.near], [], [], 0.05)[0]:
                self.seen += os.read(self.near, 4096)
        return self.seen.decode("utf-8", "replace")

    def waiting(self):
        """What a program on the terminal would read now."""
        os.set_blocking(self.far, False)
        try:
            return os.read(self.far, 4096).decode("utf-8", "replace")
        except OSError:
            return ""


def on_terminal(script, look_for, hold=False):
    """Runs the script inside, on a terminal that the launcher controls; gives what is left in its input."""
    def drive(world, start):
        terminal = Terminal()
        subprocess.run(["stty", "-icanon", "-echo"], stdin=terminal.far, check=True)
        os.fchown(terminal.far, world.uid, world.gid)
        words = " ".join(f"{name}='{value}'" for name, value in world.variables.items())
        child = start(["sh", "-c", f"export {words} MARK={world.mark(look_for)} NONCE={world.nonce(look_for)}; {script}"], stdin=terminal.far,
                      stdout=terminal.far, stderr=terminal.far, session=False, preexec_fn=own_terminal)
        try:
            child.wait(30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        shown = terminal.read(0.3)
        return shown + "\nWAITING " + terminal.waiting()
    return drive


def own_terminal():
    os.setsid()
    import fcntl
    fcntl.ioctl(0, 0x540E, 0)  # TIOCSCTTY


def waits(look):
    """The probe's word lies in the input of the caller's terminal, for the shell that reads it next."""
    return "it typed into the caller's terminal" if look.mark in look.out.rpartition("WAITING")[2] else None


def terminal_probe(name, trick, script, judge=waits, **more):
    probe(f"ipc/{name}", trick, judge=judge, drive=on_terminal(script, f"ipc/{name}"), alone=True, **more)


terminal_probe("type", "keys put into the caller's terminal (TIOCSTI)", "$P push-keys $MARK")
terminal_probe("type-high", "the same with bits that only a careless filter reads", "$P push-keys-high $MARK")
terminal_probe("type-device", "the same through the device that is named", "for t in /dev/tty /proc/self/fd/0 /dev/pts/*; do $P push-keys $MARK < $t; done")
terminal_probe("steal-terminal", "the caller's terminal taken for a session of its own", "$P steal-terminal", opens(), bites=("root",))


class LateServer:
    """A socket that a program of the host makes in the workspace while the wall stands. Keeps what comes."""

    def __init__(self, world, path, kind):
        self.came = b""
        self.server = socket.socket(socket.AF_UNIX, kind)
        self.server.bind(path)
        os.chmod(path, 0o777)
        os.chown(path, world.uid, world.gid)
        if kind != socket.SOCK_DGRAM:
            self.server.listen(100)
        threading.Thread(target=self.serve, args=(kind,), daemon=True).start()

    def serve(self, kind):
        with contextlib.suppress(OSError):
            while True:
                if kind == socket.SOCK_DGRAM:
                    self.came += self.server.recv(4096)
                    continue
                client, _ = self.server.accept()
                self.came += b"a visitor: "
                client.settimeout(1)
                with client, contextlib.suppress(OSError):
                    self.came += client.recv(4096)


def late(trick, kind):
    """Plays a trick of inside/unix.py on a socket that is made when the program inside runs."""
    name = f"ipc/late-{trick.replace('_', '-')}"

    def drive(world, start):
        path = f"{world.work}/late.sock"
        child = start(inside(world, name, f": > .wall/up; until [ -e .wall/go ]; do sleep 0.05; done; /usr/bin/python3 .wall/unix.py {trick} {path} $MARK"))
        is_up(world, name)
        server = LateServer(world, path, kind)
        with open(f"{world.work}/.wall/go", "w", encoding="utf-8"):
            pass
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        return "CAME " + server.came.decode("utf-8", "replace")
    return name, drive


LATE = {
    "plain": "by its path", "relative": "by its name", "link": "through a link", "hard_link": "by a second name", "renamed": "in the place of a socket of one's own",
    "descriptor": "by an open descriptor", "directory": "through directories in /proc", "race_memory": "while the address changes",
    "race_link": "while a link in its path turns", "race_descriptor": "while the descriptor becomes another socket", "many": "when all who judge are busy",
    "no_memory": "with lengths and places that are none",
}
for one, how in LATE.items():
    late_name, late_drive = late(one, socket.SOCK_STREAM)
    probe(late_name, f"a socket that a host program makes while the wall stands, {how}", judge=lambda look: "the host was reached" if "visitor" in look.out else None,
          drive=late_drive, alone=True, seconds=20, bites=NOBODY if one == "many" else ("root", "ordinary"))
late_name, late_drive = late("sequenced", socket.SOCK_SEQPACKET)
probe(late_name, "the same, of another type", judge=lambda look: "the host was reached" if "visitor" in look.out else None, drive=late_drive, alone=True)
for one in ("datagram", "datagram_to", "datagram_message", "datagram_raw", "datagram_pair"):
    late_name, late_drive = late(one, socket.SOCK_DGRAM)
    probe(late_name, f"a datagram to a socket that a host program makes while the wall stands: {one.rpartition('_')[2]}",
          judge=lambda look: "the host was reached" if look.mark in look.out else None, drive=late_drive, alone=True)


HANDS_OUT, HANDED = "/run/hands-out.sock", "{H}/handed"


def hands_out(world):
    """A program of the host gives a directory of the host's to whoever connects to its socket."""
    handed = HANDED.format(**world.variables)
    world.write(f"{handed}/secret", world.tokens["directory-fd"])
    server = socket.socket(socket.AF_UNIX)
    server.bind(HANDS_OUT)
    os.chmod(HANDS_OUT, 0o777)
    server.listen(8)

    def serve():
        directory = os.open(handed, os.O_RDONLY | os.O_DIRECTORY)
        while True:
            with contextlib.suppress(OSError), server.accept()[0] as client:
                socket.send_fds(client, [b"x"], [directory])
    threading.Thread(target=serve, daemon=True).start()
    world.write("/opt/hands-out.toml", f'extends = "workspace"\n[network]\nunix_sockets = ["{HANDS_OUT}"]\n', 0o644)


# The socket is allowed, the host's files are not.
probe("ipc/handed-directory", "a directory that a host program behind an allowed socket hands in", f"/usr/bin/python3 .wall/unix.py take {HANDS_OUT} $MARK",
      any_of(leaks("directory-fd"), changes(HANDED)), setup=hands_out, alone=True, options=("--policy", "/opt/hands-out.toml"))
