#!/usr/bin/env python3
"""Talks the Model Context Protocol with `paddock mcp` and `paddock serve`: raw frames, and the official clients for Node.js and Python.

    run_mcp.py [--paddock FILE] [--only RE] [--clients DIR]

The clients are installed into DIR (build/mcp-clients) after the lock files in tests/mcp; what cannot be installed is skipped
with the reason. The last line is "N passed, N failed, N skipped".
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "tests" / "mcp"
CASES = []
MOST_FRAME = 8 << 20
STATELESS = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def case(function):
    CASES.append(function)
    return function


class Client:
    """`paddock mcp` as a child; stdout must hold nothing but frames."""

    def __init__(self, paddock, *options):
        self.child = subprocess.Popen([paddock, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last = 0
        self.guard = threading.Timer(60, self.child.kill)
        self.guard.start()

    def send(self, message):
        self.child.stdin.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        self.child.stdin.flush()

    def next(self):
        line = self.child.stdout.readline()
        assert line.endswith(b"\n"), f"it ended: {self.child.stderr.read()}"
        return json.loads(line)

    def request(self, method, params=None, stateless=False):
        self.last += 1
        params = dict(params or {}, **({"_meta": STATELESS} if stateless else {}))
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def ask(self, method, params=None, stateless=False):
        wanted = self.request(method, params, stateless)
        while (got := self.next()).get("id") != wanted:
            pass
        return got

    def begin(self, revision="2025-11-25"):
        result = self.ask("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def end(self):
        self.child.stdin.close()
        rest = self.child.stdout.read()
        status = self.child.wait(20)
        self.guard.cancel()
        return status, rest

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        self.guard.cancel()


@case
def requests_in_a_pipe_are_answered_before_it_ends(paddock):
    frames = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
              {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "bash", "arguments": {"commands": "echo hi"}}}]
    done = subprocess.run([paddock, "mcp"], input="\r\n".join(map(json.dumps, frames)), capture_output=True, text=True, timeout=30)
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0 and done.stderr == "", done
    assert answers[2]["result"]["structuredContent"]["stdout"] == "hi\n", answers


@case
def closing_stdin_ends_what_runs(paddock):
    with Client(paddock) as client:
        client.begin()
        client.request("tools/call", {"name": "bash", "arguments": {"commands": "while :; do :; done"}})
        status, rest = client.end()
        assert (status, rest) == (0, b""), (status, rest)


@case
def a_signal_ends_it(paddock):
    for number in (signal.SIGINT, signal.SIGTERM):
        with Client(paddock) as client:
            client.begin()
            client.request("tools/call", {"name": "bash", "arguments": {"commands": "while :; do :; done"}})
            client.ask("ping")
            client.child.send_signal(number)
            assert client.child.wait(20) == 0


@case
def a_client_that_does_not_read_ends_it(paddock):
    with Client(paddock) as client:
        client.begin()
        client.child.stdout.close()
        try:
            for _ in range(3):
                client.request("tools/list")
        except BrokenPipeError:
            pass
        client.child.stdin.close()
        assert client.child.wait(20) == 1


@case
def hostile_lines_are_refused_and_forgotten(paddock):
    with Client(paddock) as client:
        client.begin()
        for line, code in ((b"x" * (MOST_FRAME + 100), -32600), (b"[" * 1_000_000, -32700), (b'{"jsonrpc":"2.0","id":"' + b"i" * 300 + b'","method":"ping"}', -32600),
                           (b"\xff\xfe", -32700), (b"\0", -32700), (b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600), (b"[" + b"1," * 1000 + b"1]", -32600)):
            client.send(line)
            answer = client.next()
            assert answer["error"]["code"] == code and answer["id"] is None, (line[:40], answer)
        for _ in range(10_000):
            client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}')
        assert client.ask("ping")["result"] == {}


@case
def memory_stays_bounded_under_long_lines(paddock):
    with Client(paddock) as client:
        client.begin()
        for _ in range(8):
            client.child.stdin.write(b"y" * (MOST_FRAME * 4))
        client.send(b"")
        assert client.next()["error"]["code"] == -32600
        size = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{client.child.pid}/status").read_text())[1])
        assert size < 200 << 10, f"{size} KiB"


@case
def a_client_on_stdin_hears_of_resources(paddock):
    with Client(paddock) as client:
        assert client.begin()["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}
        client.call("write_file", path="/a", content="1")
        assert client.ask("resources/subscribe", {"uri": "paddock://session/a"})["result"] == {}
        request = client.request("tools/call", {"name": "write_file", "arguments": {"path": "/a", "content": "22"}})
        waiting = {request, "notifications/resources/updated"}
        while waiting:
            got = client.next()
            waiting.discard(got.get("id", got.get("method")))
        listen = client.request("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["paddock://session/b"]}}, stateless=True)
        got = client.next()
        assert got["method"] == "notifications/subscriptions/acknowledged" and got["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == listen, got
        client.request("tools/call", {"name": "write_file", "arguments": {"path": "/b", "content": "1"}})
        while (got := client.next()).get("method") != "notifications/resources/updated":
            pass
        assert got["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == listen, got
        status, rest = client.end()
        ended = [json.loads(line) for line in rest.splitlines()]
        assert status == 0 and any(one.get("id") == listen and one["result"]["resultType"] == "complete" for one in ended), (status, rest)


@case
def both_kinds_of_revisions_share_a_connection(paddock):
    with Client(paddock) as client:
        found = client.ask("server/discover", stateless=True)["result"]
        assert found["resultType"] == "complete" and found["supportedVersions"][0] == "2026-07-28", found
        assert client.begin("2025-06-18")["protocolVersion"] == "2025-06-18"
        listed = client.ask("tools/list", stateless=True)["result"]
        assert "ttlMs" in listed and "resultType" not in client.ask("tools/list")["result"]


@case
def capabilities_decide_what_is_offered(paddock):
    with Client(paddock, "--capability", "session_storage") as client:
        client.begin()
        names = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
        assert "read_file" in names and "bash" not in names and "sandbox_exec" not in names, names
    done = subprocess.run([paddock, "mcp", "--capability", "nope"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and "nope" in done.stderr, done
    done = subprocess.run([paddock, "mcp", "--capability", 'sandbox={"isolation": "process"}'], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and "virtual" in done.stderr, done


class Daemon:
    """`paddock serve` with a directory of its own."""

    def __init__(self, paddock):
        self.folder = tempfile.TemporaryDirectory(prefix="paddock-mcp-")
        self.data = pathlib.Path(self.folder.name, "data")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        self.child = subprocess.Popen([paddock, "serve", "--data", str(self.data), "--port", "0"], stdout=subprocess.PIPE, text=True, env=environment)
        self.url = None
        while not (line := self.child.stdout.readline()).endswith(" sandboxes\n"):
            assert line, "the daemon ended"
            if found := re.match(r"listening on (http://\S+)$", line):
                self.url = found[1] + "/mcp"
        self.key = (self.data / "admin.key").read_text().strip()

    def post(self, body, key=True, **headers):
        """(status, headers, body) of a POST."""
        request = urllib.request.Request(self.url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
        if key:
            request.add_header("Authorization", f"Bearer {self.key}")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(30)
        self.folder.cleanup()


@case
def a_daemon_answers_over_http(paddock):
    with Daemon(paddock) as daemon:
        assert daemon.post({}, key=False)[0] == 401
        meta = {"_meta": STATELESS}
        heads = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"}
        status, _, body = daemon.post({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": meta}, **heads)
        assert status == 200 and json.loads(body)["result"]["supportedVersions"], body
        assert daemon.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": meta}, **heads)[0] == 400
        status, headers, _ = daemon.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}})
        assert status == 200 and headers["Mcp-Session-Id"].startswith("mcp_"), headers
        again = {"Mcp-Session-Id": headers["Mcp-Session-Id"]}
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "bash", "arguments": {"commands": "echo $((6*7)) > /workspace/n; cat /workspace/n"}}}
        status, headers, body = daemon.post(call, Accept="application/json, text/event-stream", **again)
        assert headers["Content-Type"] == "text/event-stream" and b'"stdout":"42\\n"' in body, body
        assert daemon.post({"jsonrpc": "2.0", "id": 3, "method": "ping"}, Origin="https://elsewhere.example", **again)[0] == 403


@case
def what_a_session_holds_outlives_the_client(paddock):
    with Daemon(paddock) as daemon:
        def tool(which, **arguments):
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": which, "arguments": arguments, "_meta": STATELESS}}
            status, _, answer = daemon.post(body, **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": which})
            assert status == 200, answer
            return json.loads(answer)["result"]
        tool("write_file", path="/kept", content="text")
        assert "text" in tool("read_file", path="/kept")["structuredContent"]["content"]
        tool("sandbox_create", name="box")
        assert tool("sandbox_exec", command="echo in > f; cat f")["structuredContent"]["stdout"] == "in\n"
        assert [box["name"] for box in tool("sandbox_list")["structuredContent"]["sandboxes"]] == ["box"]


class Events:
    """Server-sent events of one answer: (id, data) each."""

    def __init__(self, daemon, method="GET", body=None, key=None, **headers):
        request = urllib.request.Request(daemon.url, body and json.dumps(body).encode(), {"Accept": "application/json, text/event-stream", **headers}, method=method)
        request.add_header("Authorization", f"Bearer {key or daemon.key}")
        if body:
            request.add_header("Content-Type", "application/json")
        self.answer = urllib.request.urlopen(request, timeout=60)

    def next(self):
        number, data = None, []
        while (line := self.answer.readline().decode()) not in ("", "\n"):
            name, _, value = line.rstrip("\n").partition(":")
            if name == "id":
                number = value.strip()
            elif name == "data" and value.strip():
                data.append(value.strip())
        return number, json.loads("".join(data)) if data else None

    def until(self, method):
        while not (got := self.next())[1] or got[1].get("method") != method:
            assert got != (None, None) or not self.answer.closed, "it ended"
        return got

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.answer.close()


UPDATED = "notifications/resources/updated"


def rpc(method, params=None, identity=1):
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params or {}}


def handshake(daemon):
    status, headers, _ = daemon.post(rpc("initialize", {"protocolVersion": "2025-11-25"}))
    assert status == 200
    return {"Mcp-Session-Id": headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}


def write(daemon, path, text):
    call = rpc("tools/call", {"name": "write_file", "arguments": {"path": path, "content": text}, "_meta": STATELESS})
    status, _, body = daemon.post(call, **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "write_file"})
    assert status == 200 and not json.loads(body)["result"]["isError"], body


@case
def a_lost_stream_goes_on_where_it_was(paddock):
    with Daemon(paddock) as daemon:
        heads = handshake(daemon)
        subscribe = rpc("resources/subscribe", {"uri": "paddock://session/a"})
        with Events(daemon, **heads) as stream:
            assert stream.next() == ("0", None)
            assert json.loads(daemon.post(subscribe, **heads)[2])["result"] == {}
            write(daemon, "/a", "1")
            first, told = stream.until(UPDATED)
            assert told["params"]["uri"] == "paddock://session/a"
        write(daemon, "/a", "22")
        with Events(daemon, **heads, **{"Last-Event-ID": first}) as stream:
            second, _ = stream.until(UPDATED)
            assert int(second) == int(first) + 1, (first, second)
            request = urllib.request.Request(daemon.url, headers={"Authorization": f"Bearer {daemon.key}", **heads}, method="DELETE")
            assert urllib.request.urlopen(request).status == 204
            while stream.answer.readline():   # its end
                pass
        assert daemon.post(subscribe, **heads)[0] == 404


@case
def a_subscription_survives_a_rest_of_its_sandbox(paddock):
    with Daemon(paddock) as daemon:
        heads = handshake(daemon)

        def tool(which, **arguments):
            result = json.loads(daemon.post(rpc("tools/call", {"name": which, "arguments": arguments}), **heads)[2])["result"]
            assert not result["isError"], result
            return result["structuredContent"]
        box = tool("sandbox_create", name="box")["sandbox_id"]
        uri = f"paddock://sandbox/{box}/workspace/f"
        with Events(daemon, **heads) as stream:
            assert json.loads(daemon.post(rpc("resources/subscribe", {"uri": uri}), **heads)[2])["result"] == {}
            tool("sandbox_manage", action="stop", sandbox_id=box)
            stream.until(UPDATED)   # nobody sees what happens from here on
            tool("sandbox_manage", action="start", sandbox_id=box)
            stream.until(UPDATED)   # somebody does again
            tool("sandbox_exec", command="echo 1 > f", sandbox_id=box)
            assert stream.until(UPDATED)[1]["params"]["uri"] == uri


@case
def nobody_hears_of_what_is_not_theirs(paddock):
    with Daemon(paddock) as daemon:
        heads = handshake(daemon)
        made = json.loads(daemon.post(rpc("tools/call", {"name": "sandbox_create", "arguments": {"name": "box"}}), **heads)[2])
        assert "result" in made, made
        box = made["result"]["structuredContent"]["sandbox_id"]
        done = subprocess.run([paddock, "key", "create", "--data", str(daemon.data), "--role", "user", "bob"], capture_output=True, text=True, check=True)
        daemon.key = done.stdout.split()[0]
        others = handshake(daemon)
        answers = set()
        for sandbox in (box, "sbx_" + "a" * (len(box) - 4)):
            answer = json.loads(daemon.post(rpc("resources/subscribe", {"uri": f"paddock://sandbox/{sandbox}/workspace/f"}), **others)[2])
            answers.add(json.dumps(answer).replace(sandbox, "ID"))
            listen = rpc("subscriptions/listen", {"notifications": {"resourceSubscriptions": [f"paddock://sandbox/{sandbox}/workspace/f"]}, "_meta": STATELESS})
            with Events(daemon, "POST", listen, **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}) as stream:
                assert stream.next()[1]["params"]["notifications"] == {}
        assert len(answers) == 1 and "-32002" in answers.pop(), answers
        assert daemon.post(rpc("ping"), **heads)[0] == 404   # the session of somebody else


@case
def clients_that_vanish_leave_nothing(paddock):
    with Daemon(paddock) as daemon:
        def files():
            return len(os.listdir(f"/proc/{daemon.child.pid}/fd"))
        write(daemon, "/a", "1")
        before = files()
        listen = rpc("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["paddock://session/a"]}, "_meta": STATELESS})
        for turn in range(4):   # a sandbox takes 64
            streams = []
            for number in range(30):
                streams.append(Events(daemon, "POST", listen, **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}))
                assert streams[-1].next()[1]["params"]["notifications"], turn
            for number in range(5):
                heads = handshake(daemon)
                assert json.loads(daemon.post(rpc("resources/subscribe", {"uri": "paddock://session/a"}), **heads)[2])["result"] == {}
                streams.append(Events(daemon, **heads))
            write(daemon, "/a", str(turn))
            for stream in streams:
                stream.until(UPDATED)
                stream.answer.close()
        deadline = time.monotonic() + 30
        while files() > before + 4 and time.monotonic() < deadline:
            time.sleep(0.1)   # until the daemon has seen it
        assert files() <= before + 4, (before, files())


def clients_of(directory):
    """Installs the clients: {"node": (folder, why not), "python": (program, why not)}."""
    def changed(name):
        wanted, had = HERE / name, directory / name
        return not had.exists() or had.read_bytes() != wanted.read_bytes()

    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=directory, timeout=400, check=False)
        return None if done.returncode == 0 else (done.stderr or done.stdout).strip().splitlines()[-1:]

    directory.mkdir(parents=True, exist_ok=True)
    found = {}
    if not shutil.which("node") or not shutil.which("npm"):
        found["node"] = (None, "node and npm are not here")
    elif not changed("package-lock.json") and (directory / "node_modules").is_dir():
        found["node"] = (directory, None)
    else:
        shutil.copy(HERE / "package.json", directory)
        shutil.copy(HERE / "package-lock.json", directory / "package-lock.json")
        problem = run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
        if problem:
            (directory / "package-lock.json").unlink()
        found["node"] = (None, f"npm ci failed: {problem}") if problem else (directory, None)
    python = directory / "venv" / "bin" / "python"
    if changed("requirements.txt") or not python.exists():
        problem = run(sys.executable, "-m", "venv", str(directory / "venv")) or run(str(python), "-m", "pip", "install", "-q", "-r", str(HERE / "requirements.txt"))
        found["python"] = (None, f"pip failed: {problem}") if problem else (python, None)
        if not problem:
            shutil.copy(HERE / "requirements.txt", directory)
    else:
        found["python"] = (python, None)
    return found


def played(command):
    """The lines of a client's play."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=180, check=False)
    except subprocess.TimeoutExpired:
        return [("FAIL", "it did not end")]
    lines = re.findall(r"^(ok|FAIL) (.*)$", done.stdout, re.M)
    if not lines or done.returncode != 0:
        lines.append(("FAIL", f"status {done.returncode}: {done.stderr[-1000:]!r}"))
    return lines


def plays(clients, kind):
    """(name, command or None, why not) of each client and revision; where the server is goes behind the command."""
    folder, why = clients["node"]
    for generation, revision in (("sdk", "2025-11-25"), ("client", "2025-11-25"), ("client", "2026-07-28")):
        yield f"npm {generation} {revision} {kind}", folder and ["node", HERE / "play.mjs", folder, generation, revision], why
    python, why = clients["python"]
    for revision in ("2025-11-25", "2026-07-28"):
        yield f"PyPI mcp {revision} {kind}", python and [python, HERE / "play.py", revision], why


def main():
    parser = argparse.ArgumentParser(description="Talks the Model Context Protocol with paddock mcp.")
    parser.add_argument("--paddock", default=ROOT / "build/release/bin/paddock", type=pathlib.Path)
    parser.add_argument("--clients", default=ROOT / "build/mcp-clients", type=pathlib.Path)
    parser.add_argument("--only", default="", help="cases and plays whose names hold this regular expression")
    options = parser.parse_args()
    paddock = str(options.paddock.resolve())
    passed = failed = skipped = 0
    for function in CASES:
        if not re.search(options.only, function.__name__):
            continue
        try:
            function(paddock)
            passed += 1
        except Exception as error:  # a case fails in many ways
            print(f"FAIL {function.__name__}: {type(error).__name__}: {error}", flush=True)
            failed += 1
    clients = clients_of(options.clients.resolve())
    for kind in ("stdio", "http"):
        for name, command, why in plays(clients, kind):
            if not re.search(options.only, name):
                continue
            if command is None:
                print(f"skipped {name}: {why}", flush=True)
                skipped += 1
                continue
            if kind == "stdio":
                lines = played([*command, kind, paddock, "mcp"])
            else:
                with Daemon(paddock) as daemon:
                    lines = played([*command, kind, daemon.url, daemon.key])
            for verdict, text in lines:
                passed += verdict == "ok"
                failed += verdict != "ok"
                if verdict != "ok":
                    print(f"FAIL {name}: {text}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
