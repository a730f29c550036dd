#!/usr/bin/env python3
"""Uses the dashboard of `paddock serve` as people do, in headless Chromium: by pointer and by keyboard, light and dark, wide and narrow, with
names, output and files that want to be more than text. Also checks its types and its look for accessibility (axe).

    run_dashboard.py [--paddock FILE] [--only RE] [--shots DIR]

The last line is "N passed, N failed, N skipped". Skipped without node, npm, Chromium or a registry for tests/dashboard/package.json.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from daemon_for_test import ROOT, Daemon

HERE = pathlib.Path(__file__).resolve().parent / "dashboard"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "paddock-dashboard-tests"


def browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def packages():
    """Where the packages of the test are; or None and why they are not."""
    if not shutil.which("node") or not shutil.which("npm"):
        return None, "node and npm are not here: scripts/setup"
    CACHE.mkdir(parents=True, exist_ok=True)
    lock = (HERE / "package-lock.json").read_bytes()
    if not (CACHE / "node_modules").is_dir() or not (CACHE / "package-lock.json").is_file() or (CACHE / "package-lock.json").read_bytes() != lock:
        shutil.copy(HERE / "package.json", CACHE)
        shutil.copy(HERE / "package-lock.json", CACHE)
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], capture_output=True, text=True, cwd=CACHE, timeout=400, check=False)
        if done.returncode != 0:
            (CACHE / "package-lock.json").unlink()
            return None, f"npm ci failed: {(done.stderr or done.stdout).strip().splitlines()[-1:]}"
    return CACHE, None


def types():
    """Whether the page's source has the types it says; None: cannot be told here."""
    compiler = ROOT / "web" / "node_modules" / ".bin" / "tsc"
    if not compiler.exists():
        return None
    done = subprocess.run([str(compiler), "--noEmit"], cwd=ROOT / "web", capture_output=True, text=True, timeout=300, check=False)
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--paddock", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "paddock")
    parser.add_argument("--only", default="", metavar="RE")
    parser.add_argument("--shots", default="", metavar="DIR", help="write pictures of the pages there")
    options = parser.parse_args()
    passed = failed = skipped = 0

    def tell(name, problem):
        nonlocal passed, failed
        passed, failed = passed + (not problem), failed + bool(problem)
        print(f"FAIL {name}: {problem}" if problem else f"ok   {name}", flush=True)

    if re.search(options.only, "types"):
        problem = types()
        if problem is None:
            skipped += 1
            print("skip types: web/node_modules is not here; building the dashboard makes it", flush=True)
        else:
            tell("types", problem)

    folder, why = packages()
    why = why or (None if browser() else "Chromium is not here: scripts/setup")
    with tempfile.TemporaryDirectory(prefix="dashboard-", dir="/var/tmp") as scratch:
        daemon = Daemon(options.paddock.resolve(), pathlib.Path(scratch))
        if why is None:
            daemon.start()
            if b"<html" not in daemon.ask("GET", "/").body:
                why = "this paddock was built without the dashboard (PADDOCK_DASHBOARD=OFF)"
                daemon.stop()
        if why is not None:
            print(f"skip pages: {why}", flush=True)
            print(f"{passed} passed, {failed} failed, {skipped + 1} skipped")
            return 1 if failed else 0
        # The player starts and ends daemons itself: some cases are about that.
        daemon.stop()
        told = {"paddock": str(options.paddock.resolve()), "data": str(daemon.data), "packages": str(folder), "browser": browser(), "scratch": scratch,
                "only": options.only, "shots": options.shots, "isRoot": os.geteuid() == 0}
        with subprocess.Popen(["node", str(HERE / "play.mjs"), json.dumps(told)], stdout=subprocess.PIPE, text=True) as player:
            for line in player.stdout:
                result = json.loads(line)
                if result.get("skipped"):
                    skipped += 1
                    print(f"skip {result['name']}: {result['skipped']}", flush=True)
                else:
                    tell(f"{result['name']} ({result['seconds']:.1f} s)", result.get("problem"))
        if player.returncode != 0:
            tell("player", f"it ended with {player.returncode}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
