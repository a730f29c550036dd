#!/usr/bin/env python3
"""Runs ordinary programs behind the process wall, as tests/e2e lists them.

    run_e2e.py [--paddock PATH] [--filter RE] [--user root,ordinary] [--jobs N] [--table FILE] [-v] [--list]

A case passes when the program does its work as without a wall. Run by root, each case runs twice where that makes
sense: for root, and for an ordinary user made for the run. Cases that need a package registry are skipped, with the
reason, where it does not answer. --table rewrites the table in a page of docs/; a run compares the page with the cases.
The last line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import functools
import importlib
import os
import pathlib
import pwd
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "process-wall-compatibility.md"
BEGIN, END = "<!-- cases: tests/run_e2e.py --table -->\n", "<!-- end of cases -->\n"
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True

from e2e.process.case import BOTH, CASES, Box, ORDINARY, Skip  # noqa: E402
from e2e.process.case import ROOT as ROOT_USER  # noqa: E402


def load():
    for path in sorted((ROOT / "tests" / "e2e" / "process").glob("*.py")):
        if path.stem not in ("__init__", "case"):
            importlib.import_module(f"e2e.process.{path.stem}")


@functools.lru_cache(maxsize=None)
def unreachable(host):
    """Why a registry cannot be used from this machine, or None."""
    try:
        urllib.request.urlopen(f"https://{host}/", timeout=10, context=ssl.create_default_context()).close()
    except urllib.error.HTTPError:
        pass   # it answered
    except OSError as error:
        return f"{host} does not answer: {getattr(error, 'reason', error)}"
    return None


class OrdinaryUser:
    """An account for the run, gone afterwards. Who is not root is one already."""

    def __enter__(self):
        self.name = f"paddock-e2e-{os.getpid()}"
        subprocess.run(["useradd", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/bin/sh", self.name], check=True)
        entry = pwd.getpwnam(self.name)
        return entry.pw_uid, entry.pw_gid, self.name

    def __exit__(self, *_):
        for _ in range(20):
            if subprocess.run(["userdel", self.name], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return
            time.sleep(0.1)   # a process of the last case is on its way out


def play(paddock, one, user):
    """One case for one user: a word, and what there is to say."""
    if one.registry and unreachable(one.registry):
        return "skipped", unreachable(one.registry)
    base = tempfile.mkdtemp(prefix="paddock-e2e-")
    try:
        os.chmod(base, 0o755)
        Box(paddock, base, one, user).judge()
        return "passed", ""
    except Skip as skip:
        return "skipped", str(skip)
    except AssertionError as error:
        return "failed", str(error) or traceback.format_exc()
    except Exception:   # a broken case is a failed one
        return "failed", traceback.format_exc()
    finally:
        shutil.rmtree(base, ignore_errors=True)


def table():
    lines = ["| program | preset, options | what is shown | by | test |", "|---|---|---|---|---|"]
    for one in CASES.values():
        by = "both" if one.users == BOTH else one.users[0]
        lines.append("| " + " | ".join(text.replace("|", "\\|") for text in
                                       (one.program, one.options_text, one.shows, by, f"`{one.name}`")) + " |")
    return "\n".join(lines) + "\n"


def with_table(page):
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


def parse(arguments):
    parser = argparse.ArgumentParser(description="Runs ordinary programs behind the process wall.")
    parser.add_argument("--paddock", default=ROOT / "build" / "release" / "bin" / "paddock", type=pathlib.Path)
    parser.add_argument("--filter", default="", metavar="RE", help="only cases whose name matches")
    parser.add_argument("--user", default="root,ordinary", help="comma-separated: who starts the wall")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE", help="rewrite the table of cases in a page, and exit")
    parser.add_argument("--list", action="store_true", help="print the cases and exit")
    parser.add_argument("-v", action="store_true", dest="verbose", help="also show what passed, and how long it took")
    return parser.parse_args(arguments)


def run(options, folder):
    # Where any user can start it.
    paddock = pathlib.Path(folder, "paddock")
    os.chmod(folder, 0o755)
    for name in ("paddock", "paddock-guest"):
        shutil.copy(options.paddock.parent / name, folder)
    wanted = re.compile(options.filter)
    counts = {"passed": 0, "failed": 0, "skipped": 0}

    def report(result, name, text, seconds):
        counts[result] += 1
        if result != "passed" or options.verbose:
            print(f"{result} {name} ({seconds:.1f} s)" + (f": {text}" if text else ""), flush=True)

    def timed(one, user):
        started = time.monotonic()
        return *play(paddock, one, user), time.monotonic() - started

    def play_all(users):
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            runs = [(f"{one.name} [{word}]", pool.submit(timed, one, user)) for word, user in users.items()
                    for one in CASES.values() if word in one.users and wanted.search(one.name)]
            for name, run_ in runs:
                result, text, seconds = run_.result()
                report(result, name, text, seconds)

    words = options.user.split(",")
    if os.geteuid() != 0:
        me = pwd.getpwuid(os.geteuid())
        play_all({ORDINARY: (me.pw_uid, me.pw_gid, me.pw_name)} if ORDINARY in words else {})
    else:
        root = {ROOT_USER: (0, 0, "root")} if ROOT_USER in words else {}
        if ORDINARY in words:
            with OrdinaryUser() as ordinary:
                play_all({**root, ORDINARY: ordinary})
        else:
            play_all(root)
    if not options.filter:
        page = PAGE.read_text(encoding="utf-8")
        same = page == with_table(page)
        report("passed" if same else "failed", "docs/table", "" if same else
               f"the table in {PAGE.relative_to(ROOT)} is not that of the cases: tests/run_e2e.py --table {PAGE.relative_to(ROOT)}", 0)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


def main():
    options = parse(sys.argv[1:])
    load()
    if options.list:
        print("\n".join(f"{one.name:40} {one.shows}" for one in CASES.values()))
        return 0
    if options.table:
        options.table.write_text(with_table(options.table.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return run(options, folder)


if __name__ == "__main__":
    sys.exit(main())
