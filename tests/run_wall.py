#!/usr/bin/env python3
"""Plays adversarial probes inside the process wall, and reports which of them escape or leak.

    run_wall.py [--wall paddock|bwrap|srt|none,…] [--user root,ordinary] [--only RE] [--matrix FILE] [-v] [--list]

The probes are records in tests/security/wall (see its README.md). A probe passes when the wall holds: the traces of an
escape, most of them on the host, are not there. `--wall none` is the control: the same probes without a wall must all
escape, or they would prove nothing. Everything runs on a scratch host made of namespaces, which takes root.
"""

import argparse
import concurrent.futures
import datetime
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WALL = ROOT / "tests" / "security" / "wall"
PEERS = WALL / "peers"
THEMES = ("files", "writes", "processes", "posture", "kernel", "mounts", "network", "proxy", "names", "resources", "ipc",
          "inheritance", "lifetime", "useful")
SCRATCH_PYTHON = "/usr/bin/python3"  # one that the scratch host still shows
MAX_BATCH, BATCH_S = 24, 240

sys.path.insert(0, str(ROOT / "tests" / "security"))
sys.dont_write_bytecode = True
from wall import batch, matrix, probe  # noqa: E402


def load():
    for theme in THEMES:
        if (WALL / f"{theme}.py").exists():
            importlib.import_module(f"wall.{theme}")
    return probe.PROBES


def compile_helper(folder):
    path = pathlib.Path(folder, "helper")
    subprocess.run(["gcc", "-O1", "-static", "-Wall", "-Wextra", "-Wno-unused-parameter", "-o", path,
                    *sorted(map(str, (WALL / "inside").glob("*.c")))], check=True)
    for script in ("net.py", "unix.py"):
        shutil.copy(WALL / "inside" / script, folder)
    return path


def why_not(wall, paddock):
    """Why this wall cannot be tried here, or None."""
    if os.geteuid() != 0:
        return "the scratch host takes root"
    if not os.path.exists(SCRATCH_PYTHON):
        return f"{SCRATCH_PYTHON} is missing"
    if wall == "paddock":
        if not os.access(paddock, os.X_OK):
            return f"{paddock} is not built"
        shown = subprocess.run([paddock, "run", "--help"], capture_output=True, text=True, check=False).stdout
        return None if "--isolation" in shown else "paddock run has no --isolation"
    if wall == "bwrap":
        return None if shutil.which("bwrap") else "bwrap is not installed"
    if wall == "srt":
        missing = [tool for tool in ("node", "bwrap", "socat", "rg") if not shutil.which(tool)]
        if missing:
            return f"{missing[0]} is not installed"
        return None if (PEERS / "node_modules").is_dir() else f"run npm ci in {PEERS.relative_to(ROOT)}"
    return None


def batches(chosen, wall):
    """Lists of names that share one start."""
    together = {}
    for one in chosen:
        if one.alone or one.drive:
            yield [one.name]
        else:
            together.setdefault((one.theme, one.hosts, one.limits, one.options), []).append(one.name)
    for names in together.values():
        for at in range(0, len(names), MAX_BATCH):
            yield names[at:at + MAX_BATCH]


def run_batch(wall, user, names, options, helper):
    """name -> {evidence, ran, output}."""
    base = tempfile.mkdtemp(prefix="wall-", dir="/var/tmp")
    mounts = {"/opt/paddock/bin": str(pathlib.Path(options.paddock).resolve().parent), "/opt/helper": str(helper.parent)}
    if wall == "srt":
        mounts["/opt/peers"] = str(PEERS)
    order = json.dumps({"user": user, "wall": wall, "names": names, "mounts": mounts, "base": base})
    result = os.path.join(base, "result")
    try:
        ended = subprocess.run(
            ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child=KILL", "--propagation", "private",
             SCRATCH_PYTHON, str(pathlib.Path(__file__).resolve()), "--in-scratch", order],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=BATCH_S, check=False, start_new_session=True,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"})
        found = json.loads(pathlib.Path(result).read_text(encoding="utf-8"))
        return found["found"], found["errors"]
    except (OSError, ValueError, subprocess.TimeoutExpired) as e:
        text = str(e) if isinstance(e, subprocess.TimeoutExpired) else ended.stderr.decode("utf-8", "replace")[-3000:]
        return {name: {"evidence": None, "ran": False, "output": ""} for name in names}, text
    finally:
        shutil.rmtree(base, ignore_errors=True)


def in_scratch(order):
    """The part inside the namespaces: runs one batch and leaves its result in the base directory."""
    load()
    order = json.loads(order)
    result = os.open(os.path.join(order["base"], "result"), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    found, errors = batch.run(order["user"], order["wall"], order["names"], order["mounts"], order["base"])
    with open(result, "w", encoding="utf-8") as file:
        json.dump({"found": found, "errors": errors}, file)
    os._exit(0)  # server threads are still waiting


def outcome(wall, found):
    """One word: what became of a probe."""
    if not found["ran"]:
        return "error"
    if wall == "none":
        return "bites" if found["evidence"] else "toothless"
    return "escaped" if found["evidence"] else "held"


def parse(arguments):
    parser = argparse.ArgumentParser(description="Plays adversarial probes inside the process wall.")
    parser.add_argument("--wall", default="none,paddock", help="comma-separated: paddock, bwrap, srt, none (the control)")
    parser.add_argument("--user", default="root,ordinary", help="comma-separated: who starts the wall")
    parser.add_argument("--only", default="", metavar="RE", help="only probes whose name matches")
    parser.add_argument("--matrix", type=pathlib.Path, metavar="FILE", help="write a page that compares the walls")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE", help="add the results to FILE, which the page is then made of")
    parser.add_argument("--paddock", default=str(ROOT / "build" / "release" / "bin" / "paddock"))
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--known", metavar="LIST", help="probes that are known to escape: lines 'wall/NAME: USER'")
    parser.add_argument("--list", action="store_true", help="print the probes and exit")
    parser.add_argument("-v", action="store_true", dest="verbose", help="show what probes printed")
    parser.add_argument("--in-scratch", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    if options.in_scratch:
        return in_scratch(options.in_scratch)
    load()
    wanted = re.compile(options.only)
    selected = [one for one in probe.PROBES.values() if wanted.search(one.name)]
    if options.list:
        print("\n".join(f"{one.name:42} {one.trick}" for one in selected))
        return 0
    tasks, counts, rows = [], {"passed": 0, "failed": 0, "skipped": 0}, {}
    unable = {one.name: one.needs() for one in selected if one.needs and one.needs()}
    for name, reason in unable.items():
        print(f"skip  {name}: {reason}")
        counts["skipped"] += 1
    with tempfile.TemporaryDirectory(prefix="wall-helper-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        helper = compile_helper(folder) if os.geteuid() == 0 else None
        for wall in options.wall.split(","):
            reason = why_not(wall, options.paddock)
            if reason:
                print(f"skip  {wall}: {reason}")
                counts["skipped"] += len(selected) * len(options.user.split(","))
                continue
            for user in options.user.split(","):
                chosen = [one for one in selected if one.name not in unable and user in one.users
                          and (wall != "none" or user in one.bites)]
                tasks += [(wall, user, names) for names in batches(chosen, wall)]
        known = read_known(options.known)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            started = {pool.submit(timed, run_batch, *task, options, helper): task for task in tasks}
            for done in concurrent.futures.as_completed(started):
                wall, user, _ = started[done]
                (results, errors), seconds = done.result()
                if options.verbose:
                    print(f"      {wall} {user} batch of {len(results)}: {seconds:.1f} s")
                if not all(found["ran"] for found in results.values()):
                    print("".join(f"      | {line}\n" for line in errors.splitlines()[-15:]), end="")
                for name, found in results.items():
                    word = outcome(wall, found)
                    rows[(name, wall, user)] = word
                    report(options, wall, user, name, word, found, known, counts)
    if options.results:
        kept = json.loads(options.results.read_text(encoding="utf-8")) if options.results.exists() else []
        rows = {tuple(key): word for key, word in kept} | rows
        options.results.write_text(json.dumps(sorted(rows.items())), encoding="utf-8")
    if options.matrix:
        options.matrix.write_text(matrix.page(list(probe.PROBES.values()), rows, unable, facts(options)), encoding="utf-8")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


def facts(options):
    """What the page says about the machine and the peers."""
    bwrap = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False).stdout.split()
    package = json.loads((PEERS / "package.json").read_text(encoding="utf-8"))
    command = "tests/run_wall.py --wall WALL --results FILE [--matrix PAGE]    # one run for each wall" if options.results \
        else f"tests/run_wall.py {' '.join(sys.argv[1:])}"
    return {"command": command, "day": datetime.date.today(), "kernel": os.uname().release.split("-")[0],
            "machine": f"{os.uname().machine}, {os.cpu_count()} processors", "bwrap": bwrap[-1] if bwrap else "(not installed)",
            "srt": package["dependencies"]["@anthropic-ai/sandbox-runtime"]}


def timed(function, *arguments):
    begun = time.monotonic()
    return function(*arguments), time.monotonic() - begun


def read_known(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines() if path else []
    return {tuple(line[5:].split(": ", 1)) for line in lines if line.startswith("wall/") and ": " in line}


def report(options, wall, user, name, word, found, known, counts):
    good = word in ("held", "bites")
    if wall == "paddock" and (name, user) in known:
        if not good:
            counts["skipped"] += 1
            return
        print(f"note  {name}, {user}: held, and is on the list of known failures")
    counts["passed" if good else "failed"] += 1
    if good and not options.verbose:
        return
    print(f"{'ok  ' if good else 'FAIL'}  {wall:8} {user:9} {name}: {word}" + (f": {found['evidence']}" if found["evidence"] else ""))
    if options.verbose or word == "toothless":
        print("".join(f"        {line}\n" for line in found["output"].splitlines()[-12:]), end="", flush=True)


if __name__ == "__main__":
    sys.exit(main())
