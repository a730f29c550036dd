"""The shell's own business: pipelines, jobs, terminals, streams, ends."""

import os
import signal
import subprocess
import time

from .case import driven, script

script("shell/pipelines", "bash", "pipelines, here-documents, process substitution, co-processes", r"""
seq 1000 | grep 7 | sort -rn | head -3 | paste -sd,
cat <<'END' | tr a-z A-Z
here
END
diff <(echo a) <(echo b) | head -1
coproc cat; echo co >&"${COPROC[1]}"; read -r word <&"${COPROC[0]}"; echo "$word"
yes | head -1; echo "${PIPESTATUS[*]}"
""", out="997,987,979\nHERE\n1c1\nco\ny\n141 0")

script("shell/job-control", "bash", "background jobs, wait, stop and continue, traps", r"""
sleep 100 & pid=$!
state() { until grep -q "^State:.$1" /proc/$pid/status; do sleep 0.02; done; echo "$1"; }
kill -STOP $pid; state T
kill -CONT $pid; state S
kill $pid; wait $pid || echo "ended with $?"
set -m; sleep 0.1 & fg >/dev/null; set +m
(sleep 0.1; exit 3) & wait $! || echo "status $?"
trap 'echo usr1' USR1; kill -USR1 $$; echo done
""", out="T\nS\nended with 143\nstatus 3\nusr1\ndone")

script("shell/script", "script", "a program in a pseudo-terminal of its own", r"""
script -qec 'tty | sed "s/[0-9]*$/N/"; stty size; test -t 0 && echo terminal' /dev/null < /dev/null | tr -d '\r'
""", match=r"/dev/pts/N\n\d+ \d+\nterminal", needs=("script",))

script("shell/tmux", "tmux", "a terminal multiplexer: a session, keys, its screen", r"""
tmux -f /dev/null new-session -d -x 80 -y 24 'PS1=: bash --norc'
tmux send-keys 'echo $((6 * 7))' Enter
for i in $(seq 50); do tmux capture-pane -p | grep -x 42 && break; sleep 0.1; done
tmux kill-server
""", out="42", needs=("tmux",))

script("shell/python-pty", "python3", "a terminal by openpty: size, echo, Ctrl-C", "python3 work.py", out="(24, 80) interrupted", files={"work.py": """
import fcntl, os, pty, signal, struct, termios, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("sleep", ["sleep", "100"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
size = struct.unpack("HHHH", fcntl.ioctl(terminal, termios.TIOCGWINSZ, bytes(8)))[:2]
time.sleep(0.3)
os.write(terminal, b"\\x03")
_, status = os.waitpid(pid, 0)
print(size, "interrupted" if os.WTERMSIG(status) == signal.SIGINT else status)
"""})

script("shell/background", "bash", "a server in the background serves the rest of the run", """
python3 -m http.server --bind 127.0.0.1 8000 >/dev/null 2>&1 &
for i in $(seq 50); do curl -fs http://127.0.0.1:8000/file && break; sleep 0.1; done
""", out="served", needs=("curl",), files={"file": "served"})

script("shell/large-arguments", "bash", "an argument of 100 kB, 1 MB of arguments, a variable of 100 kB", r"""
big=$(printf '%100000s' x); /bin/echo "$big" | wc -c
/bin/echo $(seq 100000) | wc -w
BIG=$big env | grep -c '^BIG='
""", out="100001\n100000\n1")


@driven("shell/arguments-from-outside", "bash", "arguments and variables reach the script as they are: blanks, quotes, newlines, empty, 100 kB")
def arguments_from_outside(box):
    words = ["", " a  b ", "'\"$x`\\", "new\nline", "ünïcode ✓", "y" * 100_000]
    ended = box.run('printf "<%s>" "$@"', *words, check=0)
    assert ended.out == "".join(f"<{word}>" for word in words), ended.out[:200]
    ended = box.run("--", "printf", "<%s>", *words, check=0)
    assert ended.out == "".join(f"<{word}>" for word in words), ended.out[:200]
    ended = box.run("-e", "GREETING=höi $x", 'printf %s "$GREETING"', check=0)
    assert ended.out == "höi $x", ended.out


@driven("shell/exit-statuses", "bash", "exit statuses 0 to 255, and signals as 128 and more, reach the caller")
def exit_statuses(box):
    for status in (0, 1, 2, 42, 124, 125, 126, 127, 128, 130, 200, 255):
        assert box.run(f"exit {status}").status == status, status
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGUSR1):
        assert box.run(f"kill -{int(number)} $$").status == 128 + number, number
    assert box.run("--", "false").status == 1
    assert box.run("--", "no-such-program").status == 127
    assert box.run("--", "/etc/passwd").status == 126


@driven("shell/stdin-of-100-MB", "bash", "100 MB of input stream through to a program, and what it does not read is no error")
def stdin_of_100_mb(box):
    block = os.urandom(1 << 20)
    started = time.monotonic()
    ended = box.run("wc -c; echo end", stdin=block * 100, check=0)
    assert ended.out.split() == [str(100 << 20), "end"], ended.out
    ended = box.run("head -c 5 >/dev/null; echo end", stdin=block * 100, check=0)
    assert ended.out == "end\n", ended.out
    assert time.monotonic() - started < 30


@driven("shell/1-GB-of-output", "bash", "1 GB passes where the limit allows it; beyond the limit the run ends with 125 and a reason")
def a_gigabyte_of_output(box):
    def count(limit):
        child = box.start("head -c 1G /dev/zero", options=("-l", f"output={limit}"), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        total = 0
        while block := child.stdout.read(1 << 20):
            total += len(block)
        message = child.stderr.read().decode()
        return child.wait(), total, message
    status, total, message = count("2G")
    assert (status, total) == (0, 1 << 30), (status, total, message)
    status, total, message = count("10M")
    assert status == 125 and total == 10 << 20 and "output" in message, (status, total, message)


@driven("shell/ctrl-c", "bash", "SIGINT to `paddock run` ends everything inside, daemons too, with status 130")
def ctrl_c(box):
    mark = f"{time.time_ns() % 10**9}.5"
    child = box.start(f"setsid -f sleep {mark}; (trap '' INT TERM HUP; sleep {mark}) & echo begun; sleep {mark}",
                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout.readline() == b"begun\n"
    running = ["pgrep", "-f", f"sleep {mark}"]
    assert subprocess.run(running, stdout=subprocess.DEVNULL, check=False).returncode == 0
    child.send_signal(signal.SIGINT)
    _, message = child.communicate(timeout=20)
    assert child.returncode == 130, (child.returncode, message)
    for _ in range(20):
        if subprocess.run(running, stdout=subprocess.DEVNULL, check=False).returncode == 1:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("something of the run is still there")


@driven("shell/killed-caller", "bash", "`paddock run` killed with -9 leaves nothing running")
def killed_caller(box):
    mark = f"{time.time_ns() % 10**9}.7"
    child = box.start(f"setsid -f sleep {mark}; echo begun; sleep {mark}", stdin=subprocess.DEVNULL,
                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdout.readline() == b"begun\n"
    child.kill()
    child.wait()
    for _ in range(50):
        if subprocess.run(["pgrep", "-f", f"sleep {mark}"], stdout=subprocess.DEVNULL, check=False).returncode == 1:
            return
        time.sleep(0.1)
    raise AssertionError("something of the run is still there")
