"""Faults other than kills: full disks, readers that are slow or gone, floods, many walls at once, closed descriptors."""

import os
import pty
import resource
import signal
import subprocess
import termios
import time

from faults.place import Failure, Skip, living


def expect(is_so, text):
    if not is_so:
        raise Failure(text)


def full_workspace(place):
    with Full(place) as folder:
        status, out, error = place.run(["mkdir .vscode; echo x > .vscode/t; cat /dev/zero > big; echo after"], folder)
        expect(status == 0 and out == "after\n" and "No space left" in error, f"ended with {status}: {out}{error}")
        expect(not (folder / ".vscode").exists(), "a protected name is still there")


def full_state(place):
    with Full(place) as state:
        (state / "fill").write_bytes(bytes((1 << 20) - (16 << 10)))
        filler = open(state / "rest", "wb", buffering=0)
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            pass
        filler.close()
        folder = place.workspace()
        for options, wanted in (((), 0), (("--overlay",), 125)):
            child = place.start([*options, "mkdir .vscode; echo x > .vscode/t; echo ran"], folder, state)
            out, error = child.communicate(timeout=30)
            expect(child.returncode == wanted, f"{options} ended with {child.returncode}: {out}{error}")
        expect(not (folder / ".vscode").exists(), "a protected name is still there")


class Full:
    """A small file system of the user's own."""

    def __init__(self, place):
        self.place = place
        place.count += 1
        self.folder = place.base / f"full-{place.count}"

    def __enter__(self):
        self.folder.mkdir()
        uid = self.place.uid
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=1m,uid={uid},gid={uid},mode=755", "tmpfs", self.folder], check=True)
        return self.folder

    def __exit__(self, *_):
        subprocess.run(["umount", self.folder], check=True)


def much_output(place):
    """1 GB against a limit, and a reader that takes its time."""
    child = place.start(["--limits", "output=200M", "head -c 1000000000 /dev/zero"], place.workspace())
    got = 0
    while block := child.stdout.read1(1 << 20):
        got += len(block)
        time.sleep(0.001)
    error = child.communicate(timeout=30)[1]
    expect(got == 200 << 20 and child.returncode == 125 and b"output_cap" in error, f"{got} bytes, {child.returncode}: {error!r}")


def ends(child, within, wanted):
    try:
        status = child.wait(timeout=within)
    except subprocess.TimeoutExpired:
        child.kill()
        raise Failure(f"did not end within {within} s") from None
    expect(status in wanted, f"ended with {status}")


def reader_gone(place):
    for script in ("yes", "while echo x; do sleep 0.1; done"):
        reading, writing = os.pipe()
        child = place.start([script], place.workspace(), stdout=writing)
        os.close(writing)
        os.read(reading, 1)
        os.close(reading)
        ends(child, 10, (141,))


def full_pipe(place):
    """Nobody reads: the time limit holds, and so does SIGTERM."""
    for options, stop in ((("--limits", "time=500ms"), None), ((), signal.SIGTERM)):
        reading, writing = os.pipe()
        child = place.start([*options, "yes"], place.workspace(), stdout=writing, stderr=subprocess.DEVNULL)
        os.close(writing)
        time.sleep(0.7)
        if stop:
            child.send_signal(stop)
        try:
            ends(child, 10, (143,) if stop else (124,))
        finally:
            os.close(reading)


def closed_descriptors(place):
    for shut, script, wanted in (("<&-", "cat; mkdir .vscode; sleep 2.3; ls -d .vscode", ".vscode\n"), (">&-", "echo a", ""), ("2>&-", "echo a >&2; echo b", "b\n"), ("<&- >&- 2>&-", "echo a", "")):
        done = subprocess.run(["/bin/sh", "-c", f'"$@" {shut}', "sh", *place.command("run", "-i", "process", script)], cwd=place.workspace(),
                              env=place.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
        expect(done.returncode == 0 and done.stdout == wanted, f"{shut}: {done.returncode} {done.stdout!r} {done.stderr!r}")


def many_at_once(place):
    """200 walls alive together, started 20 at a time."""
    folder, children = place.workspace(), []
    started = time.monotonic()
    try:
        for _ in range(10):
            batch = [place.start(["echo up; exec sleep 300"], folder) for _ in range(20)]
            children += batch
            for child in batch:
                expect(child.stdout.readline() == b"up\n", f"wall {len(children)} did not come up: {child.poll()}")
            if time.monotonic() - started > 60:
                raise Skip("this machine is too busy")
        inside = sum(name == "sleep" for name, _, _ in living().values())
        expect(inside == 200, f"{inside} programs live")
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.communicate(timeout=60)


def flood(place, name, script, limits):
    """Another wall answers while one is flooded."""
    other = place.start(["while read x; do echo $x; done"], place.workspace(), stdin=subprocess.PIPE)
    bad = place.start([*limits, script], place.workspace(), stdout=subprocess.DEVNULL)
    try:
        longest = 0
        for number in range(20):
            asked = time.monotonic()
            other.stdin.write(b"%d\n" % number)
            other.stdin.flush()
            expect(other.stdout.readline() == b"%d\n" % number, "the other wall gave no answer")
            longest = max(longest, time.monotonic() - asked)
            time.sleep(0.05)
        expect(longest < 3, f"an answer took {longest:.1f} s")
        ends(bad, 20, (124, 125, 137, 0, 1, 254))
    finally:
        bad.kill()
        bad.communicate()
        other.communicate(timeout=20)


def stopped_init(place):
    """SIGSTOP from the host: the time limit holds all the same."""
    child = place.start(["--limits", "time=500ms", "sleep 300"], place.workspace())
    end = time.monotonic() + 5
    while not any(name == "sleep" for name, _, _ in living().values()) and time.monotonic() < end:
        time.sleep(0.005)
    for pid, (name, _, depth) in living().items():
        if name == "paddock-guest" and depth > 1:
            os.kill(pid, signal.SIGSTOP)
    ends(child, 20, (124,))
    child.communicate()


def stopped_zygote(place):
    """SIGSTOP for what walls are forked from: the run ends as it would, and with it the zygote."""
    child = place.start(["echo up; read x; echo $x"], place.workspace(), stdin=subprocess.PIPE)
    expect(child.stdout.readline() == b"up\n", "the wall did not come up")
    stopped = [pid for pid, (name, _, depth) in living().items() if name == "paddock-guest" and depth == 1]
    expect(len(stopped) == 1, f"there are {len(stopped)} zygotes")
    os.kill(stopped[0], signal.SIGSTOP)
    out, error = child.communicate(b"end\n", timeout=30)
    expect(child.returncode == 0 and out == b"end\n", f"ended with {child.returncode}: {out}{error}")


def interrupted_group(place):
    """Ctrl-C while a wall is made: everything in the launcher's process group gets it."""
    for number in range(20):
        child = place.start(["sleep 300"], place.workspace(), start_new_session=True)
        time.sleep(place.random.uniform(0, 0.08))
        os.killpg(child.pid, signal.SIGINT)
        ends(child, 15, (-signal.SIGINT, 130))
        child.communicate()
        place.settle()


def few_descriptors(place):
    """Few numbers for open files: a run works or says so."""
    for number in (8, 12, 16, 20, 24, 28, 32, 40, 64):
        child = place.start(["echo up"], place.workspace(), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number)))
        out, error = child.communicate(timeout=30)
        is_told = child.returncode in (125, 127) and b"oo many open files" in error
        expect(is_told or (child.returncode == 0 and out == b"up\n"), f"with {number} it ended with {child.returncode}: {out}{error}")
    expect(child.returncode == 0, "64 do not suffice")


def terminal_modes(place):
    """The caller's terminal is as it was when the launcher has ended by a signal."""
    for number in (signal.SIGTERM, signal.SIGINT):
        master, slave = pty.openpty()
        before = termios.tcgetattr(slave)
        child = place.start(["--tty", "exec sleep 300"], place.workspace(), stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        end = time.monotonic() + 5
        while termios.tcgetattr(slave) == before and time.monotonic() < end:
            time.sleep(0.01)
        expect(termios.tcgetattr(slave) != before, "the terminal never became raw")
        time.sleep(0.2)
        child.send_signal(number)
        ends(child, 15, (128 + number, 130))
        same = termios.tcgetattr(slave) == before
        os.close(master)
        os.close(slave)
        expect(same, f"after signal {number} the terminal has other modes")


def run(place):
    for fault in (full_workspace, full_state, much_output, reader_gone, full_pipe, closed_descriptors, stopped_init, stopped_zygote, interrupted_group,
                  few_descriptors, terminal_modes):
        place.play(fault.__name__, fault)
    place.play("flood fork bomb", flood, "fork bomb", "f() { f | f & }; f; sleep 1", ("--limits", "processes=200,time=3s"))
    place.play("flood memory hog", flood, "memory hog", "x=x; while :; do x=$x$x; done", ("--limits", "memory=256M,time=5s"))
    if place.uid == 0:
        place.play("many at once", many_at_once)
