"""Objects and sockets of the host that need no file permission, or a weak one; and the caller's terminal."""

import os
import pty
import select
import subprocess
import time

from .probe import any_of, leaks, opens, probe, reaches
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
