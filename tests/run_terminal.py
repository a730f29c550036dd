#!/usr/bin/env python3
"""Drives `paddock shell` in a pseudo-terminal, as a person at a keyboard would.

    run_terminal.py [--paddock PATH] [--filter RE] [--jobs N] [-v]

A test is a function test_* in a module of tests/cli; it gets an `open` to start sessions with. The last line is
"N passed, N failed, N skipped". Needs python3-pexpect; without it everything is skipped.
"""

import argparse
import concurrent.futures
import importlib.util
import io
import os
import pathlib
import re
import sys
import tempfile
import traceback

try:
    import pexpect
except ImportError:
    pexpect = None

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROMPT = "P> "
TIMEOUT_S = 20  # of one wait; generous, since the machine may be busy


class Session:
    """A running `paddock shell`. Output is compared without carriage returns."""

    def __init__(self, binary, home, *options, env=None, prompt=PROMPT, size=(24, 200), term="dumb", history=False):
        arguments = ["shell", *([] if history else ["--no-history"])]
        if prompt is not None:
            arguments += ["--env", f"PS1={prompt}"]
        surroundings = {"TERM": term, "HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **(env or {})}
        self.child = pexpect.spawn(str(binary), [*arguments, *options], env=surroundings, encoding="utf-8",
                                   codec_errors="replace", timeout=TIMEOUT_S, dimensions=size)
        self.child.delaybeforesend = None
        self.transcript = self.child.logfile_read = io.StringIO()
        if prompt is not None:
            self.wait(prompt)

    def wait(self, text=PROMPT):
        """Waits for a text; what came before it."""
        self.child.expect_exact(text)
        return self.child.before.replace("\r", "")

    def send(self, keys):
        self.child.send(keys)

    def run(self, line):
        """Types a line; what it prints up to the next prompt."""
        self.child.send(line + "\r")
        self.wait("\n")
        return self.wait()

    def end(self):
        """Waits for the end of the program: what it printed, its exit status."""
        self.child.expect(pexpect.EOF)
        self.child.wait()
        return self.child.before.replace("\r", ""), self.child.exitstatus

    def close(self):
        self.child.close(force=True)


def run_case(binary, function):
    sessions = []
    with tempfile.TemporaryDirectory() as home:
        def start(*options, **settings):
            sessions.append(Session(binary, pathlib.Path(home), *options, **settings))
            return sessions[-1]

        start.home = pathlib.Path(home)
        start.binary = binary
        try:
            function(start)
            return None
        except Exception:  # the report of a failed test is its trace
            trace = "".join(traceback.format_exception_only(*sys.exc_info()[:2]))[:200]
            line = traceback.extract_tb(sys.exc_info()[2])
            where = [frame for frame in line if "tests/cli" in frame.filename][-1]
            seen = "".join(f"\n  {session.transcript.getvalue()!r}" for session in sessions)
            return f"  line {where.lineno}: {where.line}\n  {trace.strip()}\n  seen:{seen}"
        finally:
            for session in sessions:
                session.close()


def find_cases(pattern):
    for path in sorted((ROOT / "tests" / "cli").glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, function in vars(module).items():
            if name.startswith("test_") and re.search(pattern, f"{path.stem}.{name}"):
                yield f"{path.stem}.{name}", function


def main():
    parser = argparse.ArgumentParser(description="Drives paddock shell in a pseudo-terminal.")
    parser.add_argument("--paddock", default=ROOT / "build/release/bin/paddock", type=pathlib.Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", default=4, type=int)
    parser.add_argument("-v", action="store_true", help="name every test")
    options = parser.parse_args()
    cases = list(find_cases(options.filter))
    if pexpect is None:
        print("not run (needs python3-pexpect: scripts/setup)")
        print(f"0 passed, 0 failed, {len(cases)} skipped")
        return 0
    binary = options.paddock.resolve()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (name, _), problem in zip(cases, pool.map(lambda case: run_case(binary, case[1]), cases)):
            failed += problem is not None
            if problem is not None:
                print(f"FAILED {name}\n{problem}")
            elif options.v:
                print(f"ok {name}")
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
