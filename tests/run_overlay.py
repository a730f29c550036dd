#!/usr/bin/env python3
"""Runs real programs behind the process wall with --overlay, and reviews, applies and discards what they did.

    run_overlay.py [--paddock PATH] [--filter RE] [--jobs N] [-v]

A test is a function test_* in a module of tests/overlay; it gets a Box: a workspace, a state directory and a user of its
own. As root every test runs twice, as root and as an ordinary user. The last line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT_S = 60  # of one command; generous, since the machine may be busy
ORDINARY = 61234  # a user id that nobody has


class Skip(Exception):
    """Why a test cannot be run here."""


class Box:
    def __init__(self, binary, folder, uid):
        self.binary, self.folder, self.uid = binary, folder, uid
        self.workspace = folder / "work"
        self.state = folder / "state"
        self.workspace.mkdir()
        self.own(self.folder)
        self.own(self.workspace)

    @property
    def is_root(self):
        return self.uid == 0

    def own(self, path):
        if os.geteuid() == 0:
            os.lchown(path, self.uid, self.uid)

    def write(self, name, content="", mode=0o644):
        path = self.workspace / name
        for parent in reversed(path.relative_to(self.folder).parents):
            if not (self.folder / parent).exists():
                (self.folder / parent).mkdir()
                self.own(self.folder / parent)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        self.own(path)

    def read(self, name):
        return (self.workspace / name).read_text()

    def command(self, *arguments):
        prefix = []
        if os.geteuid() == 0 and self.uid != 0:
            prefix = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
        return prefix + [str(argument) for argument in arguments]

    def environment(self):
        return {"HOME": str(self.folder), "XDG_STATE_HOME": str(self.state), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}

    def start(self, *arguments, **settings):
        return subprocess.Popen(self.command(self.binary, *arguments), cwd=self.workspace, env=self.environment(),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)

    def paddock(self, *arguments, status=None, cwd=None):
        """Runs paddock; fails unless it ends with `status` (where given)."""
        done = subprocess.run(self.command(self.binary, *arguments), cwd=cwd or self.workspace, env=self.environment(), text=True,
                              errors="surrogateescape", stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S)
        if status is not None and done.returncode != status:
            raise AssertionError(f"{arguments} ended with {done.returncode}, not {status}:\n{done.stdout}{done.stderr}")
        return done

    def run(self, script, *options, status=0):
        """Runs a script behind the wall, on an overlay of the workspace."""
        return self.paddock("run", "-i", "process", "--overlay", *options, "--", "/bin/sh", "-c", script, status=status)

    def host(self, script, cwd):
        subprocess.run(self.command("/bin/sh", "-c", script), cwd=cwd, env=self.environment(), check=True, timeout=TIMEOUT_S)

    def copy(self, name):
        """The workspace as it is, as another directory."""
        shutil.copytree(self.workspace, self.folder / name, symlinks=True)
        for path in [self.folder / name, *(self.folder / name).rglob("*")]:
            self.own(path)
        return self.folder / name

    def overlays(self):
        """The directories of overlays there are."""
        store = self.state / "paddock" / "overlays"
        return [path for path in store.iterdir()] if store.exists() else []

    def upper(self):
        (overlay,) = self.overlays()
        return overlay / "tree" / "upper"


def tree(directory):
    """All below a directory: path -> what is there, but for times."""
    found = {}
    for path in sorted(directory.rglob("*")):
        status = path.lstat()
        name = str(path.relative_to(directory))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_dir():
            found[name] = ("directory", oct(status.st_mode & 0o7777))
        else:
            found[name] = ("file", oct(status.st_mode & 0o7777), path.read_bytes())
    return found


def run_case(binary, function, uid):
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="paddock-overlay-") as folder:
        try:
            os.chmod(folder, 0o755)
            function(Box(binary, pathlib.Path(folder), uid))
            return "passed", ""
        except Skip as reason:
            return "skipped", str(reason)
        except Exception:  # the report of a failed test is its trace
            return "failed", traceback.format_exc(limit=-3)


def find_cases(pattern):
    for path in sorted((ROOT / "tests" / "overlay").glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        module.Skip, module.tree = Skip, tree
        spec.loader.exec_module(module)
        for name, function in vars(module).items():
            if name.startswith("test_") and re.search(pattern, f"{path.stem}.{name}"):
                yield f"{path.stem}.{name}", function


def why_not(binary, uid):
    """Why nothing can be tried as this user, or None."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        box = Box(binary, pathlib.Path(folder), uid)
        try:
            tried = box.paddock("run", "-i", "process", "--", "/bin/true")
        except OSError as error:
            return str(error)
        return None if tried.returncode == 0 else tried.stderr.strip() or f"{binary} cannot be run"


def main():
    parser = argparse.ArgumentParser(description="Tests overlays of workspaces with real programs.")
    parser.add_argument("--paddock", default=ROOT / "build/release/bin/paddock", type=pathlib.Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("-v", action="store_true", help="name every test")
    options = parser.parse_args()
    binary = options.paddock.resolve()
    users = [("root", 0), ("ordinary", ORDINARY)] if os.geteuid() == 0 else [("ordinary", os.geteuid())]
    found = list(find_cases(options.filter))
    cases, skipped = [], 0
    for user, uid in users:
        reason = why_not(binary, uid)
        if reason is not None:
            print(f"not run as {user}: {reason}")
            skipped += len(found)
            continue
        cases += [(f"{name} ({user})", function, uid) for name, function in found]
    counts = {"passed": 0, "failed": 0, "skipped": skipped}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (name, _, _), (end, text) in zip(cases, pool.map(lambda case: run_case(binary, *case[1:]), cases)):
            counts[end] += 1
            if end == "failed" or options.v:
                print(f"{end} {name}" + (f": {text}" if text else ""))
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
