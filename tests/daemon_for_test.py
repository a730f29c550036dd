"""A real daemon for tests, and the loop that runs their cases. Used by run_daemon.py, run_client.py …"""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent


CASE_SEC = 900   # a case that takes longer hangs


class Skipped(Exception):
    pass


class Overdue(AssertionError):
    pass


def raise_overdue(_signal, _frame):
    raise Overdue(f"not done within {CASE_SEC} s")


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Daemon:
    """A daemon with a directory of its own; it can be started again and again."""

    def __init__(self, paddock, folder):
        self.paddock, self.data = str(paddock), folder / "data"
        self.child, self.port, self.key = None, None, None

    def command(self, *words):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        return subprocess.run([self.paddock, *words], capture_output=True, text=True, timeout=120, env=environment)

    def start(self, *options):
        self.child = subprocess.Popen([self.paddock, "serve", "--data", str(self.data), "--port", "0", *options], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, start_new_session=True)
        lines = []
        while True:
            line = self.child.stdout.readline()
            if not line:
                raise AssertionError(f"it ended: {self.child.wait()}: {''.join(lines)}{self.child.stderr.read()}")
            lines.append(line)
            found = re.match(r"listening on https?://127\.0\.0\.1:(\d+)$", line)
            if found:
                self.port = int(found[1])
            if line.endswith("sandboxes\n"):
                break
        self.key = (self.data / "admin.key").read_text().strip()
        return self

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()

    def stop(self):
        if self.child is None or self.child.poll() is not None:
            return None
        self.child.send_signal(signal.SIGTERM)
        try:
            return self.child.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def ask(self, method, path, body=None, key=..., headers=None, unix=False):
        connection = UnixConnection(str(self.data / "paddock.sock")) if unix else http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = dict(headers or {})
        key = self.key if key is ... else key
        if key and not unix:
            sent["Authorization"] = f"Bearer {key}"
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            sent["Content-Type"] = "application/json"
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Reply(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def make(self, **request):
        reply = self.ask("POST", "/v1/sandboxes", request)
        assert reply.status == 201, reply
        return reply.json()["id"]

    def run(self, sandbox, script, **more):
        reply = self.ask("POST", f"/v1/sandboxes/{sandbox}/exec", {"script": script, **more})
        assert reply.status == 200, reply
        return reply.json()


def run_cases(description, cases, add_options=None):
    """Runs each of (name, function) with a daemon that is not started yet; the exit status. `description` is the module's."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--paddock", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "paddock")
    parser.add_argument("--only", default="", metavar="RE")
    if add_options:
        add_options(parser)
    options = parser.parse_args()
    passed = failed = skipped = 0
    for name, function in cases:
        if not re.search(options.only, name):
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="daemon-", dir="/var/tmp"))
        daemon = Daemon(options.paddock.resolve(), folder)
        daemon.options = options
        started = time.monotonic()
        signal.signal(signal.SIGALRM, raise_overdue)
        try:
            signal.alarm(CASE_SEC)
            function(daemon)
            signal.alarm(0)
            daemon.stop()
            passed += 1
            print(f"ok   {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Skipped as reason:
            skipped += 1
            print(f"skip {name}: {reason}", flush=True)
        except (AssertionError, OSError, http.client.HTTPException, subprocess.SubprocessError, ValueError, KeyError) as error:
            failed += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(f"FAIL {name}: line {where.lineno}: {type(error).__name__}: {error or where.line}", flush=True)
        finally:
            signal.alarm(0)
            if daemon.child is not None and daemon.child.poll() is None:
                daemon.kill()
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0
