#!/usr/bin/env python3
"""Runs hostile scripts and checks that each is contained: it ends in time, for a reason that is named, with
bounded output and memory, and the program that runs it survives.

    run_security.py [--paddock PATH] [--jobs N] [--filter RE] [--known LIST] [-v] [FILE|DIR…]

A case is a script in a `*.test` file below tests/security (the format is in tests/security/README.md). It runs
in `paddock run --json` in a fresh sandbox. Unlike tests/spec there is nothing to compare with: what must
hold is in the case.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "security"
DEFAULT_LIMITS = {"memory": "128M", "output": "1M", "steps": "2e9"}
# Wall-clock limit of a case that may end by it, and of one that must not, and how much later it counts as hung.
MAY_TIME_OUT_S, MUST_NOT_TIME_OUT_S, GRACE_S = 2, 20, 12
# A case counts as hung by its processor time; by the wall clock only after this many times more.
BUSY_HOST = 6
MAX_JSON_BYTES = 16 << 20
HOST_MEMORY_BYTES = 2 << 30  # far above every case's own limit: passing it is a failure of the limit
SECRET = "paddock-security-host-secret"
REASONS = {"exit", "signal", "oom", "pids", "cpu", "timeout", "disk", "output_cap", "policy", "cancelled", "depth",
           "deadlock", "infra"}


class CaseError(Exception):
    """A case file that does not follow the format."""


class Case:
    def __init__(self, path, line, name):
        self.path, self.line, self.name = path, line, name
        self.script = ""
        self.limits = dict(DEFAULT_LIMITS)
        self.reasons = {"exit"}
        self.within = None
        self.status = None
        self.stdout = None
        self.matches, self.absent = [], []
        self.mount = None
        self.env, self.host_env = [], {}
        self.host_after = []
        self.cancel_after = None
        self.host_has, self.race = [], None

    def key(self):
        path = pathlib.Path(self.path).resolve()
        return (str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)), self.name


def apply(case, directive, value):
    if directive == "ends":
        case.reasons = set(value.split())
        if not case.reasons <= REASONS:
            raise CaseError(f"unknown reason: {value}")
    elif directive == "limits":
        case.limits.update(item.split("=", 1) for item in value.split(","))
    elif directive == "within":
        case.within = float(value)
    elif directive == "status":
        case.status = int(value)
    elif directive == "stdout":
        case.stdout = value.encode().decode("unicode_escape")
    elif directive == "matches":
        case.matches.append(value)
    elif directive == "absent":
        case.absent.append(value)
    elif directive == "mount":
        if value not in ("ro", "rw"):
            raise CaseError(f"unknown mount mode: {value}")
        case.mount = value
    elif directive == "env":
        case.env.append(value)
    elif directive == "host-env":
        name, value = value.split("=", 1)
        case.host_env[name] = value
    elif directive == "host":
        case.host_after.append(value)
    elif directive == "cancel-after":
        case.cancel_after = float(value)
    elif directive == "host-has":
        case.host_has = value.split()
        if not set(case.host_has) <= {"fifo", "socket"}:
            raise CaseError(f"unknown kind of file: {value}")
    elif directive == "race":
        case.race = value
    else:
        raise CaseError(f"unknown directive: {directive}")


def parse_file(path):
    cases, case, in_directives = [], None, False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            if line.startswith("#### "):
                case, in_directives = Case(path, number, line[5:].strip()), False
                if any(other.name == case.name for other in cases):
                    raise CaseError(f"second case with this name: {case.name}")
                cases.append(case)
            elif case is None:
                if line and not line.startswith("#"):
                    raise CaseError("text before the first case")
            elif line.startswith("## "):
                in_directives = True
                directive, colon, value = line[3:].partition(":")
                if not colon:
                    raise CaseError(f"not a directive: {line}")
                apply(case, directive, value.strip())
            elif not in_directives:
                case.script += line + "\n"
            elif line.strip():
                raise CaseError("text after the script of a case")
        except (CaseError, ValueError) as e:
            raise CaseError(f"{path}:{number}: {e}") from e
    for case in cases:
        seconds = MAY_TIME_OUT_S if "timeout" in case.reasons else MUST_NOT_TIME_OUT_S
        case.limits.setdefault("time", f"{seconds}s")
        case.within = case.within or seconds + GRACE_S
    return cases


def prepare_host(folder, kinds):
    """The host side of a mount: what a case may reach in inside/, and what it must not beside it."""
    inside = os.path.join(folder, "inside")
    os.makedirs(os.path.join(inside, "dir"))
    for name in ("inside/file", "inside/dir/file"):
        pathlib.Path(folder, name).write_text("inside\n")
    pathlib.Path(folder, "outside").write_text(SECRET + "\n")
    os.symlink("../outside", os.path.join(inside, "up"))
    os.symlink(os.path.join(folder, "outside"), os.path.join(inside, "absolute"))
    os.symlink("..", os.path.join(inside, "parent"))
    if "fifo" in kinds:
        os.mkfifo(os.path.join(inside, "fifo"))
    if "socket" in kinds:
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind(os.path.join(inside, "socket"))
    return inside


class Race:
    """A host that keeps swapping a directory of the mount for a link that leads out of it."""

    def __init__(self, inside, name):
        self.path = os.path.join(inside, name)
        os.makedirs(self.path)
        pathlib.Path(self.path, "file").write_text("inside\n")
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.swap)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def swap(self):
        while not self.is_over.is_set():
            with contextlib.suppress(OSError):  # the case may take them away
                os.rename(self.path, self.path + ".kept")
                os.symlink("..", self.path)
                os.unlink(self.path)
                os.rename(self.path + ".kept", self.path)


def host_state(folder):
    """Everything of the host folder that a read-only mount must leave alone: path -> what it is."""
    state = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        found = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_text() if path.is_file() else ""
        state[path.relative_to(folder).as_posix()] = (oct(found.st_mode), content)
    return state


def limit_host():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def peak_memory(pid):
    try:
        return int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) << 10
    except (OSError, TypeError):
        return 0


def processor_seconds(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0


def watch(case, command, script, outputs, folder, environment):
    """Runs it; the ended process, or the text of what went wrong on the way."""
    started = time.monotonic()
    # asan needs a larger address space than a limit could allow, so memory is watched instead of capped.
    child = subprocess.Popen(command + ["--stdin-script"], stdin=script.open("rb"), stdout=outputs[0], stderr=outputs[1],
                             cwd=folder, env=environment, preexec_fn=limit_host, start_new_session=True)
    peak, cancelled = 0, False
    while child.poll() is None:
        peak = max(peak, peak_memory(child.pid))
        passed = time.monotonic() - started
        if case.cancel_after is not None and passed > case.cancel_after and not cancelled:
            child.send_signal(signal.SIGINT)
            cancelled = True
        is_hung = processor_seconds(child.pid) > case.within or passed > case.within * BUSY_HOST
        if is_hung or peak > HOST_MEMORY_BYTES:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return (f"hung: still running after {passed:.1f} s\n" if is_hung
                    else f"used {peak >> 20} MB of the host's memory\n")
        time.sleep(0.01)
    return child


def run(case, program):
    """None when the case holds, else what did not."""
    folder = tempfile.mkdtemp(prefix="security-")
    try:
        return run_in(case, program, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_in(case, program, folder):
    command = [program, "run", "--json", "--limits", ",".join(f"{k}={v}" for k, v in case.limits.items())]
    before, race = {}, None
    if case.mount:
        command += ["--mount", f"{prepare_host(folder, case.host_has)}:/mnt:{case.mount}"]
        race = Race(os.path.join(folder, "inside"), case.race) if case.race else None
        before = host_state(folder)
    for item in case.env:
        command += ["--env", item]
    script = pathlib.Path(folder, "script.sh")
    script.write_text(case.script)
    before["script.sh"] = host_state(folder)["script.sh"]
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "HOST_SECRET": SECRET, **case.host_env}
    outputs = [open(os.path.join(folder, name), "wb+") for name in (".out", ".err")]
    with race or contextlib.nullcontext():
        ended = watch(case, command, script, outputs, folder, environment)
    if isinstance(ended, str):
        return ended
    child, problems = ended, []
    for output in outputs:
        output.seek(0)
    raw, errors = (output.read(MAX_JSON_BYTES + 1) for output in outputs)
    for output in outputs:
        output.close()
    for name in (".out", ".err"):
        os.unlink(os.path.join(folder, name))
    if child.returncode < 0 or b"Sanitizer" in errors:
        return f"crashed: signal {-child.returncode}\n" + errors[-3000:].decode("utf-8", "replace")
    if len(raw) > MAX_JSON_BYTES:
        return f"output is not bounded: more than {MAX_JSON_BYTES} bytes\n"
    try:
        result = json.loads(raw.decode("utf-8", "surrogateescape"))
    except json.JSONDecodeError as e:
        return f"no JSON result ({e}), status {child.returncode}\n{errors[-2000:].decode('utf-8', 'replace')}"
    problems += verify(case, result)
    if case.mount != "rw" and host_state(folder) != {**before}:
        problems.append(f"the host's files changed: {sorted(set(host_state(folder).items()) ^ set(before.items()))}")
    if case.mount:
        if pathlib.Path(folder, "outside").read_text() != SECRET + "\n":
            problems.append("a file outside of the mount changed")
        beside = sorted(name for name in os.listdir(folder))
        if beside != ["inside", "outside", "script.sh"]:
            problems.append(f"files beside the mount: {beside}")
    for rule in case.host_after:
        name, _, wanted = rule.partition(" ")
        found = pathlib.Path(folder, "inside", name)
        content = found.read_text() if found.is_file() else "(missing)"
        if content.rstrip("\n") != wanted:
            problems.append(f"host file {name}: wanted {wanted!r}, is {content[:200]!r}")
    if not problems:
        return None
    shown = {key: result[key] if len(str(result[key])) < 1500 else str(result[key])[:1500] + "…" for key in result}
    return "".join(f"{problem}\n" for problem in problems) + json.dumps(shown, indent=1, ensure_ascii=False) + "\n"


def verify(case, result):
    end = result["termination"]
    if end["reason"] not in case.reasons:
        yield f"ended for {end['reason']} (limit {end['limit']}), wanted {' or '.join(sorted(case.reasons))}"
    if end["reason"] not in ("exit", "signal") and result["exit_code"] is not None:
        yield f"exit code {result['exit_code']} beside reason {end['reason']}"
    if end["reason"] == "exit":
        if case.status is not None and result["exit_code"] != case.status:
            yield f"exit code {result['exit_code']}, wanted {case.status}"
        if case.stdout is not None and result["stdout"] != case.stdout:
            yield f"stdout {result['stdout'][:500]!r}, wanted {case.stdout!r}"
    both = result["stdout"] + result["stderr"]
    for pattern in case.matches:
        if not re.search(pattern, both):
            yield f"nothing in the output matches {pattern}"
    for pattern in [*case.absent, re.escape(SECRET)]:
        if re.search(pattern, both):
            yield f"the output has {pattern}"


def main():
    parser = argparse.ArgumentParser(description="Runs hostile scripts and checks that each is contained.")
    parser.add_argument("--paddock", default=str(ROOT / "build" / "release" / "bin" / "paddock"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--filter", default="", metavar="RE", help="only cases whose name or file matches")
    parser.add_argument("--known", metavar="LIST", help="cases that are known to fail: lines 'FILE: CASE NAME'")
    parser.add_argument("-v", action="store_true", dest="verbose", help="say how long each case took")
    parser.add_argument("paths", nargs="*", type=pathlib.Path, metavar="FILE|DIR")
    options = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    program = os.path.abspath(options.paddock)

    files = []
    for path in options.paths or [CASES]:
        files += sorted(path.rglob("*.test")) if path.is_dir() else [path]
    known = set()
    if options.known:
        for line in pathlib.Path(options.known).read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                file, _, name = line.partition(": ")
                known.add((file, name.strip()))
    try:
        cases = [case for file in files for case in parse_file(file)]
    except CaseError as e:
        print(f"run_security: {e}", file=sys.stderr)
        return 2
    if not os.access(program, os.X_OK):
        print(f"run_security: {program}: not built", file=sys.stderr)
        return 2
    wanted = re.compile(options.filter)
    cases = [case for case in cases if wanted.search(case.name) or wanted.search(str(case.path))]

    def timed(case):
        started = time.monotonic()
        return run(case, program), time.monotonic() - started

    passed, failed, expected = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (report, seconds) in zip(cases, pool.map(timed, cases)):
            where = f"{case.path}:{case.line}: {case.name}"
            if case.key() in known:
                if report is None:
                    failed += 1
                    print(f"passed, but listed as a known failure (take it off the list): {where}", flush=True)
                else:
                    expected += 1
            elif report is None:
                passed += 1
            else:
                failed += 1
                print(f"--- FAILED {where} ({seconds:.1f} s)\n{report}", end="", flush=True)
            if options.verbose:
                print(f"{seconds:6.2f} s  {'ok  ' if report is None else 'FAIL'}  {where}", flush=True)
    if expected:
        print(f"{expected} known failures")
    print(f"{passed} passed, {failed} failed, {expected} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
