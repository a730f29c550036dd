#!/usr/bin/env python3
"""Runs data cases on the real shell and on Paddock, and compares what both did.

    run_spec.py [--paddock PATH] [--oracle=bash] [--oracle-only] [--jobs N]
                [--filter RE] [--no-cache] [--repeat N] [--known LIST] [-v] FILE|DIR…

A case is a script in a `*.test` file (the format is in tests/spec/README.md). No expectation is stored:
the real program is run on the same script in the same directory, and standard output, exit status and
the files left below the current directory must be equal. `--oracle-only` checks the cases themselves:
each one must observe something, finish in time and, with `--repeat`, do the same thing every time.

A case that differs is run twice more, alone and without kept results: both sides wait and race in real time, and on a busy
machine either may be late. It passes only if both repetitions agree, and is named. A crash is never repeated.

Cases listed in the `--known` file count as skipped while they fail, and as failed once they pass, so that
the list shrinks. Its lines are `tests/spec/x.test: case name`; empty ones and comments (#) are ignored.

The real shell runs as an unprivileged user in a fresh directory. Its results are kept in
build/spec-oracle, keyed by case and shell version. Each worker talks to its own `paddock batch --jobs 1`
child, so that a crash or a hang belongs to exactly one case.
"""

import argparse
import base64
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import pwd
import re
import resource
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE_FORMAT = 2
TIME_LIMIT_S = 10.0
DRAIN_S = 0.3  # how long a background child may keep the output open after the shell has ended
MOST_REPEATED = 20  # when more cases than this differ, it is not for want of time
HANG_GRACE_S = 5.0  # what Paddock gets on top of the time limit before it counts as hung
def unprivileged_id():
    """Who runs the oracle when root tests: a user with a name, as cases ask for it."""
    try:
        return pwd.getpwuid(1000).pw_uid
    except KeyError:
        return 65534  # nobody


UNPRIVILEGED_ID = unprivileged_id()


class CaseError(Exception):
    """A case file that does not follow the format."""


class Case:
    """One case: its script, what it is given, and how the two results are compared."""

    def __init__(self, path, line, name):
        self.path, self.line, self.name = path, line, name
        self.script = ""
        self.files = {}  # relative path -> bytes
        self.env = {}
        self.stdin = None
        self.skip = None
        self.differs = None
        self.expected_stdout = None
        self.expected_status = None
        self.ignore = set()
        self.compares_stderr = False

    def key(self, oracle_version):
        """Identifies everything that the oracle's result depends on."""
        parts = [CACHE_FORMAT, oracle_version, self.script, sorted(self.env.items()),
                 sorted((p, b64(c)) for p, c in self.files.items()),
                 None if self.stdin is None else b64(self.stdin)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Outcome:
    """What one shell did with one case. `problem` is set when the run itself went wrong."""

    def __init__(self, cwd, status=None, stdout=b"", stderr=b"", files=None, changed=False, problem=None):
        self.cwd, self.status, self.stdout, self.stderr = cwd, status, stdout, stderr
        self.files, self.changed, self.problem = files, changed, problem

    def to_json(self):
        return json.dumps({"cwd": self.cwd, "status": self.status, "stdout": b64(self.stdout),
                           "stderr": b64(self.stderr), "files": self.files, "changed": self.changed})

    @staticmethod
    def from_json(text):
        d = json.loads(text)
        return Outcome(d["cwd"], d["status"], unb64(d["stdout"]), unb64(d["stderr"]), d["files"], d["changed"])

    def compared_parts(self, case):
        """What the case compares, with the directory's name taken out: equal for two runs in different places."""
        cwd = self.cwd.encode()
        return (self.status,
                None if case.differs or "stdout" in case.ignore else self.stdout.replace(cwd, b"$CWD"),
                self.stderr.replace(cwd, b"$CWD") if case.compares_stderr else None,
                None if case.differs or "files" in case.ignore else json.dumps(self.files, sort_keys=True))


def b64(data):
    return base64.b64encode(data).decode()


def unb64(text):
    return base64.b64decode(text)


# --- case files ---------------------------------------------------------------------------------------


def parse_file(path):
    """Reads all cases of one file, in order."""
    lines = path.read_text(encoding="utf-8").split("\n")
    cases, case, i = [], None, 0
    in_script = False

    def block(start):
        end = start
        while end < len(lines) and lines[end] != "## END":
            end += 1
        if end == len(lines):
            raise CaseError(f"{path}:{start}: block without ## END")
        return "".join(line + "\n" for line in lines[start:end]).encode(), end

    while i < len(lines):
        line = lines[i]
        if line.startswith("#### "):
            case = Case(path, i + 1, line[5:].strip())
            cases.append(case)
            in_script = True
        elif case is None:
            if line.strip() and not line.startswith("#"):
                raise CaseError(f"{path}:{i + 1}: text before the first case")
        elif line.startswith("## "):
            in_script = False
            word, _, value = line[3:].partition(":")
            value = value.strip()
            if line == "## end":
                pass
            elif word == "file":
                case.files[value], i = block(i + 1)
            elif word == "file-b64":
                name, _, data = value.partition(" ")
                case.files[name] = unb64(data)
            elif word == "stdin":
                case.stdin, i = block(i + 1)
            elif word == "STDOUT":
                case.expected_stdout, i = block(i + 1)
            elif word == "env":
                name, _, data = value.partition("=")
                case.env[name] = data
            elif word == "status":
                case.expected_status = int(value)
            elif word == "differs":
                case.differs = value
            elif word == "skip":
                case.skip = value
            elif word == "ignore" and value in ("stdout", "files"):
                case.ignore.add(value)
            elif word == "stderr" and value == "compare":
                case.compares_stderr = True
            else:
                raise CaseError(f"{path}:{i + 1}: unknown directive: {line}")
        elif in_script:
            case.script += line + "\n"
        elif line.strip():
            raise CaseError(f"{path}:{i + 1}: text after the script of a case")
        i += 1

    seen = set()
    for case in cases:
        if case.name in seen:
            raise CaseError(f"{path}:{case.line}: second case with this name: {case.name}")
        seen.add(case.name)
        case.script = case.script.rstrip("\n") + "\n"
        if case.differs is None and (case.expected_stdout is not None or case.expected_status is not None):
            raise CaseError(f"{path}:{case.line}: stored expectation without ## differs: {case.name}")
        if case.differs is not None and case.expected_stdout is None and case.expected_status is None:
            raise CaseError(f"{path}:{case.line}: ## differs without STDOUT or status: {case.name}")
        for name in case.files:
            if name.startswith("/") or ".." in name.split("/"):
                raise CaseError(f"{path}:{case.line}: file outside of the case's directory: {name}")
    return cases


def find_files(names):
    found = []
    for name in names:
        path = pathlib.Path(name)
        if path.is_dir():
            found += sorted(path.rglob("*.test"))
        elif path.is_file():
            found.append(path)
        else:
            raise CaseError(f"{name}: no such file or directory")
    return found


# --- the oracle ---------------------------------------------------------------------------------------


def environment(case, cwd):
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": cwd, "LC_ALL": "C.UTF-8", "TZ": "UTC", **case.env}


def list_tree(top):
    """Everything below `top`: relative path -> type, mode, and content or target."""
    tree = {}
    for folder, dirs, files in os.walk(top):
        for name in dirs + files:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            entry = {"mode": stat.S_IMODE(info.st_mode)}
            if stat.S_ISLNK(info.st_mode):
                entry = {"type": "link", "target": os.readlink(path)}
            elif stat.S_ISDIR(info.st_mode):
                entry["type"] = "dir"
            elif stat.S_ISFIFO(info.st_mode):
                entry["type"] = "fifo"
            elif stat.S_ISREG(info.st_mode):
                entry["type"] = "file"
                entry["b64"] = b64(pathlib.Path(path).read_bytes())
            else:
                entry["type"] = "other"
            tree[os.path.relpath(path, top)] = entry
    return tree


class Oracle:
    """The real shell, with its results on disk."""

    def __init__(self, program, use_cache):
        self.program = shutil.which(program)
        if self.program is None:
            raise CaseError(f"{program}: oracle not found")
        self.version = subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout
        self.cache = ROOT / "build" / "spec-oracle" if use_cache else None
        self.ids = {}
        if os.geteuid() == 0:
            self.ids = {"user": UNPRIVILEGED_ID, "group": UNPRIVILEGED_ID, "extra_groups": []}

    def run(self, case, kept_results=True):
        kept = None
        if self.cache is not None and kept_results:
            key = case.key(self.version)
            kept = self.cache / key[:2] / (key + ".json")
            if kept.exists():
                return Outcome.from_json(kept.read_text())
        top = tempfile.mkdtemp(prefix="spec-")
        try:
            outcome = self.run_in(case, top)
        finally:
            shutil.rmtree(top, ignore_errors=True)
        if kept is not None and outcome.problem is None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            draft = kept.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
            draft.write_text(outcome.to_json())
            draft.replace(kept)
        return outcome

    def run_in(self, case, top):
        os.chmod(top, 0o755)
        cwd = os.path.join(top, "w")
        os.mkdir(cwd, 0o755)
        self.give_away(cwd)
        for name, content in case.files.items():
            path = os.path.join(cwd, name)
            folder = cwd
            for part in name.split("/")[:-1]:
                folder = os.path.join(folder, part)
                if not os.path.isdir(folder):
                    os.mkdir(folder, 0o755)
                    self.give_away(folder)
            with open(path, "wb") as f:
                f.write(content)
            os.chmod(path, 0o644)
            self.give_away(path)
        before = list_tree(cwd)

        command = [self.program, "-c", case.script, "bash"]
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        in_read, in_write = (None, None) if case.stdin is None else os.pipe()
        for fd in (out_write, err_write, in_read):
            if fd is not None and self.ids:
                os.fchown(fd, UNPRIVILEGED_ID, UNPRIVILEGED_ID)  # else /dev/stdout cannot be opened again
        child = subprocess.Popen(command, cwd=cwd, env=environment(case, cwd), stdout=out_write, stderr=err_write,
                                 stdin=subprocess.DEVNULL if in_read is None else in_read, umask=0o022,
                                 start_new_session=True, preexec_fn=default_signals, **self.ids)
        for fd in (out_write, err_write, in_read):
            if fd is not None:
                os.close(fd)
        if in_write is not None:
            threading.Thread(target=feed, args=(in_write, case.stdin), daemon=True).start()
        outputs = {out_read: bytearray(), err_read: bytearray()}
        in_time = drain(child, outputs)
        status = child.wait()
        stdout, stderr = bytes(outputs[out_read]), bytes(outputs[err_read])
        if not in_time:
            return Outcome(cwd, stdout=stdout, stderr=stderr, problem=f"oracle: still running after {TIME_LIMIT_S:g} s")
        files = list_tree(cwd)
        return Outcome(cwd, 128 - status if status < 0 else status, stdout, stderr, files, files != before)

    def give_away(self, path):
        if self.ids:
            os.chown(path, UNPRIVILEGED_ID, UNPRIVILEGED_ID)


def default_signals():
    """What a background job of a script ignores, the oracle would list in its traps."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def feed(fd, data):
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(data)
    except BrokenPipeError:
        pass


def drain(child, outputs):
    """Reads the outputs until the shell has ended and closed them; ends whatever it left. False: too late."""
    open_fds = set(outputs)
    limit = time.monotonic() + TIME_LIMIT_S
    ended_at = None
    in_time = True
    while open_fds:
        now = time.monotonic()
        if ended_at is None and child.poll() is not None:
            ended_at = now
        if now > limit:
            in_time = ended_at is not None
            break
        if ended_at is not None and now > ended_at + DRAIN_S:
            break
        for fd in select.select(list(open_fds), [], [], 0.05)[0]:
            data = os.read(fd, 65536)
            outputs[fd] += data
            if not data:
                open_fds.remove(fd)
    if not open_fds and ended_at is None:
        try:
            child.wait(max(0.0, limit - time.monotonic()))
        except subprocess.TimeoutExpired:
            in_time = False
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for fd in outputs:
        os.close(fd)
    return in_time


# --- Paddock ------------------------------------------------------------------------------------------


class Paddock:
    """One `paddock batch` child; started when first needed and again after it died."""

    def __init__(self, program):
        self.program = program
        self.child = None
        self.buffer = b""
        self.count = 0

    def start(self):
        self.child = subprocess.Popen([self.program, "batch", "--jobs", "1"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        self.buffer = b""
        ready = json.loads(self.read_line(HANG_GRACE_S))
        if not ready.get("ready") or ready.get("protocol") != 1:
            raise CaseError(f"{self.program} batch: unexpected greeting: {ready}")

    def stop(self):
        """Ends the child and says how it ended."""
        if self.child is None:
            return "not running"
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        status = self.child.wait()
        self.child.stdin.close()
        self.child.stdout.close()
        self.child = None
        return f"signal {-status}" if status < 0 else f"status {status}"

    def read_line(self, seconds):
        """The next line, or EOFError when the child ended, or TimeoutError."""
        limit = time.monotonic() + seconds
        fd = self.child.stdout.fileno()
        while b"\n" not in self.buffer:
            if not select.select([fd], [], [], max(0.0, limit - time.monotonic()))[0]:
                raise TimeoutError
            data = os.read(fd, 1 << 20)
            if not data:
                raise EOFError
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def run(self, case, cwd):
        self.count += 1
        request = {"v": 1, "id": str(self.count), "script": case.script, "cwd": cwd, "env": environment(case, cwd),
                   "files": {os.path.join(cwd, p): {"b64": b64(c)} for p, c in case.files.items()},
                   "stdin": None if case.stdin is None else case.stdin.decode("utf-8"),
                   "timeout_ms": int(TIME_LIMIT_S * 1000), "want_files": True}
        try:
            if self.child is None:
                self.start()
            self.child.stdin.write(json.dumps(request).encode() + b"\n")
            self.child.stdin.flush()
            line = self.read_line(TIME_LIMIT_S + HANG_GRACE_S)
            reply = json.loads(line.decode("utf-8", "surrogateescape"))  # names of files are bytes
        except TimeoutError:
            self.stop()
            return Outcome(cwd, problem="paddock: hung")
        except (EOFError, BrokenPipeError):
            time.sleep(0.1)  # lets the child be reaped with its own status
            return Outcome(cwd, problem=f"paddock: died ({self.child.poll() is not None and self.stop()})")
        except json.JSONDecodeError as e:
            self.stop()
            return Outcome(cwd, problem=f"paddock: not a JSON reply: {e}")
        problem = reply.get("error")
        if reply.get("id") != request["id"] or reply.get("status") is None:
            problem = problem or f"paddock: unexpected reply: {str(reply)[:200]}"
        outcome = Outcome(cwd, reply.get("status"), unb64(reply.get("stdout_b64", "")),
                          unb64(reply.get("stderr_b64", "")), reply.get("files"))
        outcome.problem = f"paddock: {problem}" if problem else None
        return outcome


# --- comparing ----------------------------------------------------------------------------------------


def show(data):
    """Bytes as lines for a diff; what is not text is escaped."""
    return re.findall(r"[^\n]*\n|[^\n]+$", data.decode("utf-8", "backslashreplace"))


def diff(what, wanted, got):
    lines = list(difflib.unified_diff(show(wanted), show(got), f"{what} (real)", f"{what} (paddock)"))
    return "".join(line if line.endswith("\n") else line + "\n\\ no newline at the end\n" for line in lines)


def describe(entry):
    if entry is None:
        return "missing"
    rest = {k: v for k, v in entry.items() if k != "b64"}
    if "mode" in rest:
        rest["mode"] = oct(rest["mode"])
    return " ".join(f"{k}={v}" for k, v in sorted(rest.items()))


def normal_files(files):
    """Files in the one form in which they are compared: a link has no mode, only files have content."""
    wanted = {"file": ("type", "mode", "b64"), "dir": ("type", "mode"), "fifo": ("type", "mode"),
              "link": ("type", "target")}
    return {path: {k: entry.get(k) for k in wanted.get(entry.get("type"), ("type",))} for path, entry in files.items()}


def compare_files(oracle, ours):
    if ours.files is None:
        return "files: none in the reply\n" if oracle.changed else ""
    wanted, got = normal_files(oracle.files), normal_files(ours.files)
    report = ""
    for path in sorted(set(wanted) | set(got)):
        a, b = wanted.get(path), got.get(path)
        if a == b:
            continue
        report += f"file {path}: real: {describe(a)}; paddock: {describe(b)}\n"
        if a and b and a.get("b64") is not None and b.get("b64") is not None and a["b64"] != b["b64"]:
            report += diff(path, unb64(a["b64"]), unb64(b["b64"]))
    return report


def compare(case, oracle, ours):
    """The differences as text; empty when there are none."""
    report = ""
    stdout, status = oracle.stdout, oracle.status
    if case.differs is not None:
        stdout = case.expected_stdout if case.expected_stdout is not None else stdout
        status = case.expected_status if case.expected_status is not None else status
    if ours.problem:
        report += ours.problem + "\n"
    if ours.status != status:
        report += f"status: real {status}, paddock {ours.status}\n"
    if "stdout" not in case.ignore and ours.stdout != stdout:
        report += diff("stdout", stdout, ours.stdout)
    if case.compares_stderr and ours.stderr != oracle.stderr:
        report += diff("stderr", oracle.stderr, ours.stderr)
    if "files" not in case.ignore and case.differs is None:
        report += compare_files(oracle, ours)
    if report and not case.compares_stderr and ours.stderr:
        report += "paddock's stderr:\n" + "".join("  " + line for line in show(ours.stderr[:2000]))
        report += "" if report.endswith("\n") else "\n"
    return report


def observes(case, oracle):
    return bool(oracle.stdout or oracle.status or oracle.changed or (case.compares_stderr and oracle.stderr))


def read_known(path):
    """The listed cases as (file, name)."""
    known = set()
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if path else ():
        if line.strip() and not line.startswith("#"):
            file, colon, name = line.partition(": ")
            if not colon:
                raise CaseError(f"{path}: not 'FILE: CASE NAME': {line}")
            known.add((file, name.strip()))
    return known


def known_key(case):
    path = pathlib.Path(case.path).resolve()
    return (str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)), case.name


class Runner:
    def __init__(self, options):
        self.options = options
        self.oracle = Oracle(options.oracle, not options.no_cache and options.repeat == 1)
        self.local = threading.local()
        self.children = []

    def paddock(self):
        if not hasattr(self.local, "paddock"):
            self.local.paddock = Paddock(self.options.paddock)
            self.children.append(self.local.paddock)
        return self.local.paddock

    def run(self, case, kept_results=True):
        """None when the case passed, else the report."""
        oracle = self.oracle.run(case, kept_results)
        if oracle.problem:
            return oracle.problem + "\n"
        if not observes(case, oracle):
            return "invalid case: it observes nothing\n" + "".join("  " + line for line in show(oracle.stderr))
        for _ in range(self.options.repeat - 1):
            again = self.oracle.run(case)
            if again.compared_parts(case) != oracle.compared_parts(case):
                return ("invalid case: the oracle did something else the second time\n"
                        + diff("stdout", oracle.stdout, again.stdout) + diff("stderr", oracle.stderr, again.stderr))
        if self.options.oracle_only:
            return None
        return compare(case, oracle, self.paddock().run(case, oracle.cwd)) or None

    def agrees_alone(self, case, report):
        """Whether a case that differed agrees when it has the machine to itself."""
        if "paddock: died" in report or report.startswith("invalid case"):
            return False
        return all(self.run(case, kept_results=False) is None for _ in range(2))

    def close(self):
        for child in self.children:
            child.stop()


def main():
    parser = argparse.ArgumentParser(description="Runs data cases on the real shell and on Paddock.")
    parser.add_argument("--paddock", default=str(ROOT / "build" / "release" / "bin" / "paddock"))
    parser.add_argument("--oracle", default="bash")
    parser.add_argument("--oracle-only", action="store_true", help="check the cases on the real shell alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--filter", default="", metavar="RE", help="only cases whose name or file matches")
    parser.add_argument("--no-cache", action="store_true")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="run the oracle N times; all must agree")
    parser.add_argument("--known", metavar="LIST", help="cases that are known to fail: lines 'FILE: CASE NAME'")
    parser.add_argument("-v", action="store_true", dest="verbose", help="print the differences")
    parser.add_argument("paths", nargs="+", metavar="FILE|DIR")
    options = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        files = [(path, parse_file(path)) for path in find_files(options.paths)]
        known = read_known(options.known)
        runner = Runner(options)
        if not options.oracle_only and not os.access(options.paddock, os.X_OK):
            raise CaseError(f"{options.paddock}: not built (or use --oracle-only)")
    except CaseError as e:
        print(f"run_spec: {e}", file=sys.stderr)
        return 2

    wanted = re.compile(options.filter)
    passed, failed, skipped, expected, surprises, late = 0, [], 0, 0, [], []
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for path, cases in files:
                cases = [c for c in cases if wanted.search(c.name) or wanted.search(str(path))]
                runs = [(c, None if c.skip else pool.submit(runner.run, c)) for c in cases]
                good, here = 0, 0
                for case, future in runs:
                    if future is None:
                        skipped += 1
                        continue
                    here += 1
                    report = future.result()
                    if known_key(case) in known:
                        if report is None:
                            surprises.append(case)
                        else:
                            expected += 1
                    elif report is None:
                        good += 1
                    else:
                        failed.append((case, report))
                    if report is not None and options.verbose:
                        print(f"--- {path}:{case.line}: {case.name}\n{report}", end="")
                passed += good
                if here:
                    print(f"{path}: {good}/{here}", flush=True)
        if len(failed) <= MOST_REPEATED:
            late = [case for case, report in failed if runner.agrees_alone(case, report)]
            failed = [(case, report) for case, report in failed if case not in late]
            passed += len(late)
    finally:
        runner.close()

    if late:
        print("differed, and agreed twice when repeated alone:")
        for case in late:
            print(f"  {case.path}:{case.line}: {case.name}")
    for case, report in failed:
        print(f"FAILED {case.path}:{case.line}: {case.name}" + ("" if options.verbose else "\n" + report.rstrip("\n")))
    if surprises:
        for case in surprises:
            print(f"FAILED {case.path}:{case.line}: {case.name}: it passes, but is listed as a known failure: take it off the list")
    if expected:
        print(f"{expected} known failures")
    bad = len(failed) + len(surprises)
    print(f"{passed} passed, {bad} failed, {skipped + expected} skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
