#!/usr/bin/env python3
"""Runs the cases of tests/srt/cases.py under `paddock srt` and, where it is installed, under the real srt.

    run_srt.py [--paddock PROGRAM] [--peer DIR] [--only RE] [--jobs N] [-v]

DIR holds node_modules with @anthropic-ai/sandbox-runtime (npm ci in tests/security/wall/peers). Where the two may differ,
the case says how and why, and both are held to it. The last line is "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True
from srt.cases import CASES  # noqa: E402

TIMEOUT_S = 90
SECRET = "secret-value-1"
FILES = {"w/open.txt": "open\n", "w/.env": "env\n", "w/sec/f": "s\n", "w/sec/pub/f": "p\n", "w/ro/f": "r\n", "w/deep/a/b/c/.bashrc": "mine\n",
         "out.txt": "out\n", "key.txt": "key\n"}


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        key = self.headers.get("X-Key", "-")
        body = f"served {'the secret' if key == SECRET and self.path != '/echo' else key}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def filled(value, names):
    """`value` with {port} and the like put in, wherever there is text."""
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace("{%s}" % name, str(text))
        return value
    if isinstance(value, dict):
        return {filled(key, names): filled(item, names) for key, item in value.items()}
    return [filled(item, names) for item in value] if isinstance(value, (list, tuple)) else value


def make_world():
    world = pathlib.Path(tempfile.mkdtemp(prefix="srt-", dir="/var/tmp"))
    for name, text in FILES.items():
        path = world / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (world / "home/w/link").symlink_to("sec")
    (world / "home/w/away").symlink_to("..")
    return world


def feed(channel, case, names, child):
    """Writes the control lines once the command has said that it goes."""
    seen = b""
    while b"go\n" not in seen and (block := os.read(child.stderr.fileno(), 4096)):
        seen += block
    for line in case.control:
        text = line if isinstance(line, str) else json.dumps(
            {"network": {"allowedDomains": [], "deniedDomains": [], **filled(line, names)}, "filesystem": {"denyRead": [], "allowWrite": [], "denyWrite": []}})
        os.write(channel, text.encode() + b"\n")
    return seen


def run(program, case, ports):
    world = make_world()
    visible = tempfile.mkdtemp(prefix="wt-visible-", dir="/tmp")
    names = {"world": world, "port": ports[0], "other": ports[1], "tag": visible.rsplit("-", 1)[1]}
    reader = writer = -1
    try:
        command = list(program)
        if case.control is not None:
            reader, writer = os.pipe()
            names["control"] = reader
            command += ["--control-fd", str(reader)]
        if case.settings_file and "-s" not in case.args:
            settings = world / "settings.json"
            text = case.settings if isinstance(case.settings, str) else json.dumps(filled(case.settings, names))
            settings.write_text(text, encoding="utf-8")
            command += ["-s", str(settings)]
        environment = {"PATH": os.environ["PATH"], "HOME": str(world / "home"), "LANG": "C.UTF-8", **case.env}
        with subprocess.Popen(command + filled(case.args, names), cwd=world / "home/w", env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, pass_fds=[reader] if reader >= 0 else [], start_new_session=True) as child:
            timer = threading.Timer(TIMEOUT_S, child.kill)
            timer.start()
            seen = feed(writer, case, names, child) if case.control else b""
            out, err = child.communicate(case.stdin.encode())
            timer.cancel()
        after = {}
        for name in case.after | case.srt.get("after", {}):
            path = world / "home" / name
            after[name] = path.read_text(encoding="utf-8") if path.is_file() and not path.is_symlink() else None
        return {"status": child.returncode, "out": out.decode("utf-8", "replace"), "stderr": (seen + err).decode("utf-8", "replace"), "after": after}, names
    finally:
        for end in (reader, writer):
            if end >= 0:
                os.close(end)
        shutil.rmtree(world, ignore_errors=True)
        shutil.rmtree(visible, ignore_errors=True)


def problems(case, is_srt, got, names):
    wanted = {"status": case.status, "out": filled(case.out, names), "stderr": case.stderr, "after": case.after}
    if is_srt:
        wanted |= filled(case.srt, names)
    found = [f"{key}: wanted {wanted[key]!r}, got {got[key]!r}" for key in ("status", "out") if got[key] != wanted[key]]
    if wanted["stderr"] not in got["stderr"]:
        found.append(f"stderr: wanted {wanted['stderr']!r} in it")
    found += [f"{name}: wanted {text!r}, got {got['after'][name]!r}" for name, text in wanted["after"].items() if got["after"][name] != text]
    return found + ([f"stderr was {got['stderr'][-600:]!r}"] if found else [])


def why_no_srt(peer):
    if not (peer / "node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js").exists():
        return f"srt is not installed (npm ci in {peer})"
    missing = [tool for tool in ("node", "bwrap", "socat", "rg") if not shutil.which(tool)]
    return f"{missing[0]} is not installed" if missing else None


def main():
    parser = argparse.ArgumentParser(description="Compares 'paddock srt' with srt.")
    parser.add_argument("--paddock", default=str(ROOT / "build/release/bin/paddock"))
    parser.add_argument("--peer", default=ROOT / "tests/security/wall/peers", type=pathlib.Path)
    parser.add_argument("--only", default="", metavar="RE")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true", dest="verbose", help="list the differences that are meant")
    options = parser.parse_args()
    chosen = [case for case in CASES if re.search(options.only, case.name)]
    programs = {"paddock": [str(pathlib.Path(options.paddock).resolve()), "srt"]}
    skipped = 0
    if reason := why_no_srt(options.peer):
        print(f"srt: {len(chosen)} cases not compared: {reason}")
        skipped = len(chosen)
    else:
        programs["srt"] = ["node", str((options.peer / "node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js").resolve())]
    ports = serve(), serve()
    passed = failed = 0
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [(name, case, pool.submit(run, program, case, ports)) for case in chosen for name, program in programs.items()]
        for name, case, job in jobs:
            found = problems(case, name == "srt", *job.result())
            passed += not found
            failed += bool(found)
            if found:
                print(f"FAILED {name}: {case.name}\n  " + "\n  ".join(found), flush=True)
    if options.verbose:
        for case in chosen:
            if case.srt:
                print(f"differs on purpose: {case.name}: {case.why}")
    print(f"{len(chosen)} cases, {time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
