"""Using up what the host shares. The limits are given to the wall where it has any; what runs inside is bounded by itself
(some hundred processes, some hundred megabytes), so that a wall without limits, or none, harms nobody."""

import os
import subprocess
import time

from .probe import any_of, opens, probe

LIMITS = ("memory=192M", "processes=64", "disk=64M", "output=1M")


def more_processes(look):
    return f"{look.world.watcher.most_processes} processes and threads ran" if look.world.watcher.most_processes > 250 else None


def more_zombies(look):
    return f"{look.world.watcher.most_zombies} zombies lay on the host" if look.world.watcher.most_zombies > 250 else None


def more_terminals(look):
    return f"{look.world.watcher.most_terminals} terminals were open" if look.world.watcher.most_terminals > 250 else None


def resource(name, trick, inside, judge, seconds=12, **more):
    probe(f"resources/{name}", trick, inside, judge, alone=True, seconds=seconds, limits=LIMITS, **more)


PY = "/usr/bin/python3 -c "
resource("processes", "four hundred processes", "n=0; while [ $n -lt 400 ]; do sleep 4 & n=$((n+1)); done 2>/dev/null; sleep 1", more_processes)
resource("bomb", "a fork bomb, which stops at four hundred", "$P fork-tree 400", more_processes)
resource("threads", "four hundred threads", "$P threads 400", more_processes)
resource("daemons", "four hundred processes that leave their parents", "n=0; while [ $n -lt 400 ]; do (setsid sleep 4 &) ; n=$((n+1)); done 2>/dev/null; sleep 1", more_processes)
resource("zombies", "children that nobody waits for", "$P zombies 400", more_zombies)
resource("orphans", "grandchildren that end after their parents", "$P orphans 400", more_zombies)
resource("memory", "400 MB touched", "$P touch-memory 400", opens())
resource("memory-children", "400 MB touched by eight children", "for i in 1 2 3 4 5 6 7 8; do $P touch-memory 50 hold & done; wait", lambda look: "all eight held 50 MB" if look.out.count("OPEN") == 8 else None)
resource("memory-tmp", "400 MB in /tmp", "dd if=/dev/zero of=/tmp/fill bs=1M count=400 2>&1 && stat -c %s /tmp/fill && [ $(stat -c %s /tmp/fill) -ge 400000000 ] && echo OPEN $NONCE; rm -f /tmp/fill", opens())
resource("memory-shm", "400 MB in /dev/shm", "dd if=/dev/zero of=/dev/shm/fill bs=1M count=400 2>&1 && [ $(stat -c %s /dev/shm/fill) -ge 400000000 ] && echo OPEN $NONCE; rm -f /dev/shm/fill", opens())
resource("memory-file", "400 MB in a memory file", "$P memory-file 400", opens())
resource("memory-segment", "400 MB in System V segments", "$P memory-segment 400", opens())
resource("memory-locked", "64 MB locked", "$P touch-memory 64 locked", opens(), bites=("root",))
resource("pipes", "pipes stuffed with 256 MB", "$P stuff-pipes 256", opens(), bites=("root",))


def disk_used(look):
    total = 0
    for folder, _, names in os.walk(look.world.work):
        for name in names:
            total += os.lstat(os.path.join(folder, name)).st_blocks * 512
    return f"the workspace holds {total >> 20} MB" if total > 150 << 20 else None


def apparent(look):
    for folder, _, names in os.walk(look.world.work):
        for name in names:
            if os.lstat(os.path.join(folder, name)).st_size > 1 << 38:
                return f"{name} claims {os.lstat(os.path.join(folder, name)).st_size >> 30} GB"
    return None


def files_made(look):
    count = sum(len(names) for _, _, names in os.walk(look.world.work))
    return f"the workspace has {count} files" if count > 12000 else None


resource("disk", "250 MB in one file of the workspace", "dd if=/dev/zero of=fill bs=1M count=250", disk_used)
resource("disk-many", "250 MB in files of a megabyte", "n=0; while [ $n -lt 250 ]; do head -c 1048576 /dev/zero > fill$n; n=$((n+1)); done", disk_used, seconds=20)
resource("disk-reserved", "250 MB reserved, not written", "fallocate -l 250M fill; fallocate -l 250M /tmp/fill; rm -f /tmp/fill", disk_used)
resource("disk-open", "250 MB in a file that has no name any more", PY + "\"import os; f = os.open('gone', os.O_CREAT | os.O_RDWR); os.unlink('gone'); "
         "[os.write(f, bytes(1 << 20)) for _ in range(250)]; print('OPEN', os.environ['NONCE'])\"", opens(), seconds=25)
resource("sparse", "a file that claims half a terabyte", "truncate -s 512G fill; dd if=/dev/zero of=fill2 bs=1 count=1 seek=549755813888", apparent)
resource("many-files", "twenty thousand files", PY + "\"import os; os.mkdir('many'); [os.close(os.open(f'many/{i}', os.O_CREAT)) for i in range(20000)]\"", files_made, seconds=30)
resource("descriptors", "more open files than a program needs", "ulimit -n $(ulimit -H -n); $P open-many 30000", opens(), needs=lambda: None if int(
    subprocess.run(["sh", "-c", "ulimit -H -n"], capture_output=True, text=True, check=True).stdout.replace("unlimited", "999999")) > 30100 else "the host's own limit is lower")
resource("terminals", "four hundred terminals", "$P terminals 400", more_terminals)


def flood(world, start):
    """A command that prints 200 MB; how much of it the launcher passes on."""
    child = start(["sh", "-c", "head -c 200000000 /dev/zero | tr '\\0' x"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    total, until = 0, time.monotonic() + 40
    while time.monotonic() < until:
        data = child.stdout.read(1 << 20)
        if not data:
            break
        total += len(data)
    child.kill()
    child.wait()
    return f"passed {total}"


probe("resources/output", "200 MB of output", judge=lambda look: look.out if int(look.out.split()[1]) > 64 << 20 else None, drive=flood, alone=True, limits=LIMITS)


def spin(world, start):
    child = start(["sh", "-c", ": > .wall/started; while :; do :; done"])
    until = time.monotonic() + 30
    while not os.path.exists(f"{world.work}/.wall/started") and time.monotonic() < until:
        time.sleep(0.05)
    try:
        child.wait(6)
        return "ended"
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return "spins"


probe("resources/time", "a loop without end, with a limit of two seconds", judge=lambda look: "it still ran after six seconds" if look.out == "spins" else None, drive=spin,
      alone=True, limits=("time=2s",))


def sleep_through(world, start):
    """The same, deaf to all signals and with a child that left the session."""
    child = start(["sh", "-c", "trap '' TERM INT HUP; : > .wall/started; (setsid sh -c 'trap \"\" TERM INT HUP; sleep 30' &) ; while :; do sleep 1; done"])
    until = time.monotonic() + 30
    while not os.path.exists(f"{world.work}/.wall/started") and time.monotonic() < until:
        time.sleep(0.05)
    try:
        child.wait(8)
        return "ended"
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return "spins"


probe("resources/time-deaf", "a sleeper without end that ignores signals, with a limit of two seconds", judge=lambda look: "it still ran after eight seconds" if look.out == "spins" else None,
      drive=sleep_through, alone=True, limits=("time=2s",))
