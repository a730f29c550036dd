#!/usr/bin/env python3
"""Starts `paddock serve` and tries the operations that work on a sandbox's inside: terminals, files, logs, metrics; on every isolation
that this machine can stand up, with two owners, across restarts.

    run_rest.py [--paddock FILE] [--only RE]

The last line is "N passed, N failed, N skipped".
"""

import base64
import http.server
import io
import json
import os
import pathlib
import re
import socket
import struct
import sys
import tarfile
import threading
import time

from daemon_for_test import run_cases

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


class WebSocket:
    """The client's end; no pings of its own, text and binary in order."""

    def __init__(self, daemon, path, key=..., sec=30):
        self.sock = socket.create_connection(("127.0.0.1", daemon.port), timeout=sec)
        key = daemon.key if key is ... else key
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{daemon.port}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        if key:
            lines.append(f"Authorization: Bearer {key}")
        self.sock.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        self.buffer, self.shown, self.told, self.code = b"", b"", [], None
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])

    def more(self):
        got = self.sock.recv(65536)
        if not got:
            raise ConnectionError("closed")
        self.buffer += got

    def send(self, payload, opcode=2):
        mask = os.urandom(4)
        size = struct.pack("!B", 0x80 | len(payload)) if len(payload) < 126 else struct.pack("!BH", 0xFE, len(payload))
        body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.sock.sendall(bytes([0x80 | opcode]) + size + mask + body)

    def tell(self, value):
        self.send(json.dumps(value).encode(), 1)

    def frame(self):
        def need(count):
            while len(self.buffer) < count:
                self.more()
        need(2)
        opcode, size, at = self.buffer[0] & 15, self.buffer[1] & 127, 2
        if size == 126:
            need(4)
            size, at = struct.unpack("!H", self.buffer[2:4])[0], 4
        elif size == 127:
            need(10)
            size, at = struct.unpack("!Q", self.buffer[2:10])[0], 10
        need(at + size)
        payload, self.buffer = bytes(self.buffer[at:at + size]), self.buffer[at + size:]
        if opcode == 1:
            self.told.append(json.loads(payload))
        elif opcode == 2:
            self.shown += payload
        elif opcode == 9:
            self.send(payload, 10)
        elif opcode == 8:
            self.code = struct.unpack("!H", payload[:2])[0]
        return opcode

    def until(self, wanted, sec=60):
        """What is shown up to and with `wanted`; of very much, the end."""
        wanted, end = wanted.encode(), time.monotonic() + sec
        while wanted not in self.shown:
            assert time.monotonic() < end, f"no {wanted} within {sec} s: {self.told} {self.shown[-400:]}"   # pings come all the time
            self.shown = self.shown[-100_000:]
            assert self.frame() != 8, f"closed with {self.code}: {self.told} {self.shown[-400:]}"
        at = self.shown.index(wanted) + len(wanted)
        seen, self.shown = self.shown[:at], self.shown[at:]
        return seen.decode(errors="replace")

    def until_closed(self):
        while self.frame() != 8:
            pass
        return self.code

    def close(self):
        self.sock.close()


def walls(daemon):
    """(isolation, sandbox) for each that can be stood up here."""
    made = []
    for isolation in ("virtual", "process"):
        reply = daemon.ask("POST", "/v1/sandboxes", {"isolation": isolation})
        if reply.status == 201:
            made.append((isolation, reply.json()["id"]))
        elif isolation == "virtual" or os.geteuid() == 0:
            raise AssertionError(f"{isolation}: {reply}")
    return made


def owner_key(daemon, owner, role="user"):
    made = daemon.command("key", "create", "--data", str(daemon.data), "--role", role, owner)
    assert made.returncode == 0, made
    return made.stdout.strip()


@case("a terminal: a shell, its size, its end")
def terminal(daemon):
    daemon.start()
    for isolation, box in walls(daemon):
        ws = WebSocket(daemon, f"/v1/sandboxes/{box}/terminal?columns=91&rows=17")
        assert ws.status == 101, (isolation, ws.status)
        ws.until("$ ")
        ws.send(b"x=7; cd /tmp\r")
        ws.until("$ ")
        ws.send(b"echo \"<$x $PWD $(tput cols 2>/dev/null || echo $COLUMNS)>\"\r")
        ws.until("<7 /tmp 91>\r\n")
        ws.tell({"resize": {"columns": 55, "rows": 20}})
        ws.send(b"true\r")
        ws.send(b"echo \"size $COLUMNS $(tput cols 2>/dev/null || echo 55).\"\r")
        ws.until("size 55 55.\r\n")
        ws.send(b"cd $(mktemp -d); touch $(seq 10000000 10000010); ls; echo list'ed'\r")
        ws.until("10000002  10000005  10000008\r\n")   # as many columns as there is room for
        ws.until("listed\r\n")
        ws.send(b"sleep 1000\r")
        ws.until("sleep 1000\r\n")
        time.sleep(0.3)
        ws.send(b"\x03")
        ws.until("$ ")
        ws.send(b"exit 5\r")
        assert ws.until_closed() == 1000, isolation
        assert ws.told[-1]["exit"]["exit_code"] == 5, (isolation, ws.told)


@case("a client that goes away ends what its terminal runs")
def vanishing(daemon):
    daemon.start()
    for isolation, box in walls(daemon):
        ws = WebSocket(daemon, f"/v1/sandboxes/{box}/terminal")
        ws.until("$ ")
        ws.send(b"trap '' HUP; echo be''gun; sleep 1000\r")
        ws.until("begun\r\n")
        ws.close()
        until = time.monotonic() + 30
        while any(one["state"] != "exited" for one in daemon.ask("GET", f"/v1/sandboxes/{box}/processes").json()["processes"]):
            assert time.monotonic() < until, isolation
            time.sleep(0.1)


@case("a slow reader slows the program down, not the daemon")
def slow(daemon):
    daemon.start()

    def resident():
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{daemon.child.pid}/status").read_text())[1]) << 10
    for isolation, box in walls(daemon):
        ws = WebSocket(daemon, f"/v1/sandboxes/{box}/terminal")
        ws.until("$ ")
        before = resident()
        ws.send(b"yes 0123456789012345678901234567890123456789 | head -c 60000000; echo THE-''END\r")
        time.sleep(2)
        grown = resident() - before
        assert grown < 48 << 20, f"{isolation}: {grown} bytes"
        ws.until("THE-END\r\n")
        ws.close()


@case("tickets and other people's sandboxes")
def tickets(daemon):
    daemon.start()
    ann, bob = owner_key(daemon, "ann"), owner_key(daemon, "bob")
    box = daemon.ask("POST", "/v1/sandboxes", {}, key=ann).json()["id"]
    path = f"/v1/sandboxes/{box}/terminal"
    assert WebSocket(daemon, path, key=bob).status == 404
    assert WebSocket(daemon, path, key=None).status == 401
    assert daemon.ask("POST", path + "/tickets", key=bob).status == 404
    ticket = daemon.ask("POST", path + "/tickets", key=ann).json()["ticket"]
    ws = WebSocket(daemon, f"{path}?ticket={ticket}", key=None)
    assert ws.status == 101
    ws.until("$ ")
    assert WebSocket(daemon, f"{path}?ticket={ticket}", key=None).status == 401
    assert daemon.stop() == 0   # with a terminal open


@case("directories as archives, in and out")
def archives(daemon):
    daemon.start()
    for isolation, box in walls(daemon):
        where = daemon.run(box, "pwd")["stdout"].strip()
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w") as tar:
            for name, text in (("src/a", b"text"), ("src/" + "long" * 40 + "/b", b"x" * 1_000_000)):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = len(text), 0o4750, 1234567890
                tar.addfile(entry, io.BytesIO(text))
            entry = tarfile.TarInfo("src/link")
            entry.type, entry.linkname = tarfile.SYMTYPE, "a"
            tar.addfile(entry)
        reply = daemon.ask("PUT", f"/v1/sandboxes/{box}/files/archive?path={where}/put", content.getvalue())
        assert reply.status == 200 and reply.json()["files"] == 2, (isolation, reply)
        seen = daemon.run(box, "cd put/src && stat -c '%a %Y' a && cat link && wc -c < long*/b")["stdout"]
        assert seen == "750 1234567890\ntext1000000\n", (isolation, seen)
        reply = daemon.ask("GET", f"/v1/sandboxes/{box}/files/archive?path={where}/put")
        assert reply.status == 200, (isolation, reply)
        with tarfile.open(fileobj=io.BytesIO(reply.body)) as tar:
            assert "./" in tar.getnames() or "." in tar.getnames(), tar.getnames()
            assert tar.extractfile("src/a").read() == b"text" and tar.getmember("src/link").linkname == "a"
        for name, kind, target in (("../../evil", tarfile.REGTYPE, ""), ("out", tarfile.LNKTYPE, "../../../etc/passwd")):
            content = io.BytesIO()
            with tarfile.open(fileobj=content, mode="w") as tar:
                entry = tarfile.TarInfo(name)
                entry.type, entry.linkname = kind, target
                tar.addfile(entry)
            reply = daemon.ask("PUT", f"/v1/sandboxes/{box}/files/archive?path={where}/put", content.getvalue())
            assert reply.status == 400, (isolation, name, reply)
        found = daemon.ask("POST", f"/v1/sandboxes/{box}/files/search", {"pattern": "ex", "path": f"{where}/put"}).json()
        assert [match["path"] for match in found["matches"]] == [f"{where}/put/src/a"], (isolation, found)


class Events:
    """Server-sent events of one request, as (name, id, data)."""

    def __init__(self, daemon, path, key=..., last_id=None, sec=30):
        self.sock = socket.create_connection(("127.0.0.1", daemon.port), timeout=sec)
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{daemon.port}", f"Authorization: Bearer {daemon.key if key is ... else key}", "Accept: text/event-stream"]
        if last_id is not None:
            lines.append(f"Last-Event-ID: {last_id}")
        self.sock.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        self.file = self.sock.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def next(self):
        name, number, data = "", "", ""
        while True:
            line = self.file.readline()
            if not line:
                return None
            line = line.decode().rstrip("\r\n")
            if line == "" and (name or data):
                return name, number, json.loads(data)
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "id":
                number = value
            elif field == "data":
                data += value

    def until(self, wanted):
        """The data of all events up to the one for which `wanted` is true."""
        seen = []
        while True:
            event = self.next()
            assert event is not None, f"ended after {seen}"
            seen.append(event)
            if wanted(event):
                return seen

    def close(self):
        self.file.close()
        self.sock.close()


def refusals(daemon, method, path, box, key):
    """What an owner gets for somebody else's sandbox, and for none at all."""
    answers = []
    for one in (box, "sbx_" + "a" * 20):
        reply = daemon.ask(method, path.format(one), key=key, headers={"Accept": "text/event-stream"})
        answers.append((reply.status, reply.json()["error"]["message"].replace(one, "X")))
    assert answers[0] == answers[1] == (404, "no sandbox 'X'"), answers


@case("what a policy refuses is an event: as it happens, bounded, resumable, and its owner's")
def denials(daemon):
    daemon.start()
    if daemon.ask("POST", "/v1/sandboxes", {"isolation": "process"}).status != 201:
        assert os.geteuid() != 0
        return
    ann = daemon.command("key", "create", "--data", str(daemon.data), "ann").stdout.split()[0]
    box = daemon.ask("POST", "/v1/sandboxes", {"isolation": "process", "network": {"allow": ["allowed.example:443"]}}, key=ann).json()["id"]
    knock = "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT %s:443 HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' $1 $1 >&3; head -1 <&3 >/dev/null; exec 3>&-"
    body = {"exec": {"script": f"knock() {{ {knock}; }}; knock first.example; sleep 1000"}}
    stream = Events(daemon, "/v1/events", key=ann)
    process = daemon.ask("POST", f"/v1/sandboxes/{box}/processes", body, key=ann).json()["id"]
    told = stream.until(lambda event: event[2]["type"] == "denial")[-1]   # while it runs
    assert told[2]["subject"] == box and "first.example:443" in told[2]["detail"]["text"] and told[2]["detail"]["left_out"] == 0, told
    assert daemon.ask("GET", f"/v1/sandboxes/{box}/processes/{process}", key=ann).json()["state"] == "running"
    daemon.ask("POST", f"/v1/sandboxes/{box}/processes/{process}/signal", {"signal": 9}, key=ann)
    stream.close()
    done = daemon.ask("POST", f"/v1/sandboxes/{box}/exec", {"script": f"knock() {{ {knock}; }}; for i in $(seq 200); do knock n$i.example; done"}, key=ann).json()
    assert len(done["denials"]) >= 190, len(done["denials"])   # the process's own list has them all
    stream = Events(daemon, "/v1/events", key=ann, last_id=told[1])
    seen = 0
    for event in iter(stream.next, None):
        if event[2]["type"] != "denial":
            continue
        seen += 1 + event[2]["detail"]["left_out"] - event[2]["detail"]["text"].endswith("more denials")
        if seen >= 200:
            break
    stream.close()
    events = [one for one in daemon.ask("GET", "/v1/events?limit=1000", key=ann).json()["events"] if one["type"] == "denial"]
    assert 20 <= len(events) <= 150 and any(one["detail"]["left_out"] for one in events), len(events)
    assert all(one["type"] != "denial" for one in daemon.ask("GET", "/v1/events?limit=1000").json()["events"])   # somebody else's


class Counting(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked += 1
        self.send_error(404)


@case("a virtual sandbox has the commands for the hosts of its policy and reaches no others; forked, asleep and restored it keeps that")
def virtual_network(daemon):
    # Nothing here is the world: names of allowed hosts resolve, and this machine's own addresses are refused even if somebody allows them.
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    server.asked = 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    daemon.start()
    ann, bob = owner_key(daemon, "ann"), owner_key(daemon, "bob")
    local = f"127.0.0.1:{server.server_port}"

    def run(box, script):
        reply = daemon.ask("POST", f"/v1/sandboxes/{box}/exec", {"script": script}, key=ann)
        assert reply.status == 200, reply
        return reply.json()

    def reaches(box):
        done = run(box, "host allowed.example; host other.example; echo $?; which curl wget host dig nslookup | wc -l")
        assert "allowed.example has address 198.18." in done["stdout"] and done["stdout"].endswith("\n1\n5\n") and "198.18." not in done["stdout"].split("other.example")[1], done
        for url, why in ((f"http://{local}/", "allow_private"), ("http://other.example/", "no rule allows it"), ("https://allowed.example:444/", "do not allow port 444"),
                         (f"http://127.0.0.1:{daemon.port}/v1/health", "do not allow port"), ("http://169.254.169.254/", "no rule names this address")):
            done = run(box, f"curl -sS {url}")
            assert done["exit_code"] == 7 and why in done["stderr"] and any(why in one for one in done["denials"]), (url, done)

    def is_closed(box):
        assert run(box, "curl http://x/; echo $?; which curl wget host dig nslookup | wc -l")["stdout"] == "127\n0\n"

    box = daemon.ask("POST", "/v1/sandboxes", {"network": {"allow": [local, "allowed.example:443"]}}, key=ann).json()["id"]
    reaches(box)
    plain = daemon.ask("POST", "/v1/sandboxes", {}, key=ann).json()["id"]
    is_closed(plain)
    events = [one for one in daemon.ask("GET", "/v1/events?limit=1000", key=ann).json()["events"] if one["type"] == "denial"]
    assert events and all(one["subject"] == box for one in events), events
    assert not [one for one in daemon.ask("GET", "/v1/events?limit=1000", key=bob).json()["events"] if one["type"] == "denial"]
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/exec", {"script": "true"}, key=bob).status == 404
    for one, name in ((box, "copy"), (plain, "closed-copy")):
        forked = daemon.ask("POST", f"/v1/sandboxes/{one}/fork", {"count": 1, "name": name}, key=ann)
        assert forked.status in (200, 201), forked
    reaches("copy")
    is_closed("closed-copy")
    told = {one["subject"] for one in daemon.ask("GET", "/v1/events?limit=1000", key=ann).json()["events"] if one["type"] == "denial"}
    assert told == {box, daemon.ask("GET", "/v1/sandboxes/copy", key=ann).json()["id"]}, told
    for end in (daemon.stop, daemon.kill):
        end()
        daemon.start()
        reaches(box)
        reaches("copy")
        is_closed(plain)
        is_closed("closed-copy")
    assert server.asked == 0
    # From a snapshot: what counts is the new sandbox's policy, not the one of where its files are from.
    for origin, allowed in ((plain, [local, "allowed.example:443"]), (box, [])):
        taken = daemon.ask("POST", f"/v1/sandboxes/{origin}/snapshots", {"name": "at-" + origin[-4:]}, key=ann)
        assert taken.status == 201, taken
        made = daemon.ask("POST", "/v1/sandboxes", {"snapshot": taken.json()["id"], "network": {"allow": allowed}}, key=ann)
        assert made.status == 201, made
        (reaches if allowed else is_closed)(made.json()["id"])
    for wrong in ("http://a.org", "127.1", "*.*"):
        assert daemon.ask("POST", "/v1/sandboxes", {"network": {"allow": [wrong]}}, key=ann).status == 400, wrong


@case("ports behind the process wall: on the loopback, of whom asked, gone with the sandbox, and a fork's are others")
def ports(daemon):
    daemon.start()
    request = {"isolation": "process", "network": {"publish": [":8000"]}}
    made = daemon.ask("POST", "/v1/sandboxes", request)
    if made.status != 201:
        assert os.geteuid() != 0, made
        return
    box = made.json()
    ann = daemon.command("key", "create", "--data", str(daemon.data), "ann").stdout.split()[0]
    other = daemon.ask("POST", "/v1/sandboxes", request, key=ann).json()

    def get(where):
        until = time.monotonic() + 20
        while True:
            try:
                with socket.create_connection(("127.0.0.1", where["ports"][0]["host_port"]), 5) as one:
                    one.sendall(b"?")
                    said = one.recv(100)
                    if said or time.monotonic() > until:
                        return said.decode()
            except OSError:
                if time.monotonic() > until:
                    return None
            time.sleep(0.05)
    serve = "import socket; s = socket.create_server(('127.0.0.1', 8000))\nwhile True:\n c = s.accept()[0]; c.recv(1); c.sendall(b'{}'); c.close()"
    for one, word in ((box, "first"), (other, "second")):   # the same port inside
        reply = daemon.ask("POST", f"/v1/sandboxes/{one['id']}/processes", {"exec": {"command": ["python3", "-c", serve.format(word)]}})
        assert reply.status == 201, reply
    assert (get(box), get(other)) == ("first", "second")
    assert box["network"]["publish"] == [":8000"] and box["ports"][0]["address"] == f"127.0.0.1:{box['ports'][0]['host_port']}", box
    refused = daemon.ask("POST", "/v1/sandboxes", {"isolation": "process", "network": {"publish": ["8000:8000"]}}, key=ann)
    assert refused.status == 403 and "administrator" in refused.json()["error"]["message"], refused
    assert daemon.ask("DELETE", f"/v1/sandboxes/{box['id']}").status in (200, 204)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", box["ports"][0]["host_port"])) != 0
    assert get(other) == "second"
    # By an administrator's choice; a fork has another one.
    chosen = box["ports"][0]["host_port"]
    own = daemon.ask("POST", "/v1/sandboxes", {"isolation": "process", "network": {"publish": [f"{chosen}:8000"]}})
    assert own.status == 201 and own.json()["ports"][0]["host_port"] == chosen, own
    fork = daemon.ask("POST", f"/v1/sandboxes/{own.json()['id']}/fork", {"count": 1}).json()["forks"][0]
    assert fork["error"] is None and fork["sandbox"]["network"]["publish"] == [":8000"] and fork["sandbox"]["ports"][0]["host_port"] != chosen, fork


@case("the log of a sandbox: all execs in one order, from any point, followed, across a stop and a kill -9")
def sandbox_log(daemon):
    daemon.start()
    for isolation, box in walls(daemon):
        first = daemon.run(box, "echo one; echo two >&2; echo three")["process_id"]
        second = daemon.run(box, "printf '\\377'")["process_id"]

        def read(query="", box=box):
            reply = daemon.ask("GET", f"/v1/sandboxes/{box}/logs{query}")
            assert reply.status == 200, reply
            return reply.json()
        log = read()
        if isolation == "virtual":   # of two pipes nobody knows the order
            assert [(piece["stream"], piece["data"]) for piece in log["pieces"][:3]] == [("stdout", "one\n"), ("stderr", "two\n"), ("stdout", "three\n")], log
        assert {piece["process_id"] for piece in log["pieces"][:-1]} == {first}, log
        last = log["pieces"][-1]
        assert (last["process_id"], last["data"], last["is_base64"]) == (second, "/w==", True), log
        assert [piece["data"] for piece in read(f"?offset={log['pieces'][0]['next']}")["pieces"]] == [piece["data"] for piece in log["pieces"][1:]]
        assert read(f"?since={last['at']}")["pieces"][-1] == last and read("?since=2100-01-01")["pieces"] == []
        assert read(f"?offset={log['next']}")["pieces"] == [] and read()["is_complete"]
        follower = Events(daemon, f"/v1/sandboxes/{box}/logs?offset={log['next']}")
        daemon.run(box, "echo live")
        name, number, data = follower.next()
        assert (name, data["data"]) == ("output", "live\n"), data
        follower.close()
        again = Events(daemon, f"/v1/sandboxes/{box}/logs", last_id=log["next"])
        assert again.next()[2]["data"] == "live\n"
        daemon.run(box, "echo more")
        assert again.next()[2]["data"] == "more\n"
        again.close()
        daemon.stop()
        daemon.start()
        assert [piece["data"] for piece in read()["pieces"]][-2:] == ["live\n", "more\n"]
        daemon.run(box, "echo kept")
        time.sleep(7)
        daemon.run(box, "echo perhaps lost")
        daemon.kill()
        daemon.start()
        texts = [piece["data"] for piece in read()["pieces"]]
        assert "kept\n" in texts[-2:], texts
        daemon.run(box, "echo and on")
        assert read()["pieces"][-1]["data"] == "and on\n"
        follower = Events(daemon, f"/v1/sandboxes/{box}/logs?offset={read()['next']}")
        assert daemon.ask("DELETE", f"/v1/sandboxes/{box}").status == 204
        assert follower.next()[0] == "deleted" and follower.next() is None
        follower.close()
        assert not [name for name in os.listdir(daemon.data / "logs") if name.startswith(box)]
    box = daemon.make()
    for method, path in (("GET", "/v1/sandboxes/{}/logs"),):
        refusals(daemon, method, path, box, owner_key(daemon, "eve"))


@case("the log of a sandbox is bounded by size and by age")
def bounded_log(daemon):
    config = daemon.data.parent / "paddock.toml"
    config.write_text('[retention]\nlog_bytes = "200KiB"\noutput = "2s"\n')
    daemon.start("--config", str(config))
    box = daemon.make()
    daemon.run(box, "seq 1 200000")
    log = daemon.ask("GET", f"/v1/sandboxes/{box}/logs?limit=8000000").json()
    assert not log["is_complete"] and log["pieces"][-1]["data"].endswith("200000\n"), log["pieces"][-1:]
    assert sum(len(piece["data"]) for piece in log["pieces"]) < 400 << 10
    assert sum(path.stat().st_size for path in (daemon.data / "logs").iterdir()) <= 300 << 10
    time.sleep(2.1)
    assert daemon.ask("GET", f"/v1/sandboxes/{box}/logs").json()["pieces"] == []
    daemon.run(box, "echo new")
    assert [piece["data"] for piece in daemon.ask("GET", f"/v1/sandboxes/{box}/logs").json()["pieces"]] == ["new\n"]


@case("files are watched: what comes, changes, moves and goes is told, on every isolation")
def watching(daemon):
    daemon.start()
    for isolation, box in walls(daemon):
        base = daemon.run(box, "mkdir -p w/sub; pwd")["stdout"].strip() + "/w"
        assert daemon.ask("GET", f"/v1/sandboxes/{box}/files/watch?path={base}").status == 400, "it is a stream"
        assert daemon.ask("GET", f"/v1/sandboxes/{box}/files/watch?path={base}/none", headers={"Accept": "text/event-stream"}).status == 404
        assert daemon.ask("GET", f"/v1/sandboxes/{box}/files/watch?path=w", headers={"Accept": "text/event-stream"}).status == 400
        deep = Events(daemon, f"/v1/sandboxes/{box}/files/watch?path={base}&recursive=true")
        flat = Events(daemon, f"/v1/sandboxes/{box}/files/watch?path={base}")
        assert deep.next()[0] == flat.next()[0] == "ready"

        def told(events, kind, path, base=base):
            return events.until(lambda event: event[2].get("kind") == kind and event[2]["path"] == f"{base}/{path}")[-1][2]
        daemon.run(box, "echo x > w/sub/a")
        assert told(deep, "created", "sub/a")["is_directory"] is False
        daemon.run(box, "echo y >> w/sub/a")
        told(deep, "modified", "sub/a")
        daemon.run(box, "mv w/sub/a w/b")
        assert told(deep, "moved", "b")["from"] == f"{base}/sub/a"
        told(flat, "created", "b")
        daemon.run(box, "chmod 600 w/b")
        told(deep, "attributes", "b")
        daemon.run(box, "rm w/b; mkdir w/dir")
        told(deep, "removed", "b")
        assert told(deep, "created", "dir")["is_directory"] is True
        assert daemon.ask("PUT", f"/v1/sandboxes/{box}/files/content?path={base}/dir/up", b"z").status == 200
        # While an exec runs, too.
        slow = daemon.ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": "echo 1 > w/during; while :; do :; done"}}).json()["id"]
        told(deep, "created", "during")
        deep.close()
        resumed = Events(daemon, f"/v1/sandboxes/{box}/files/watch?path={base}&recursive=true", last_id="7")
        assert resumed.next()[0] == "ready" and resumed.next()[2]["kind"] == "lost", "what happened meanwhile nobody knows"
        daemon.ask("POST", f"/v1/sandboxes/{box}/processes/{slow}/signal", {"signal": 9})
        daemon.ask("GET", f"/v1/sandboxes/{box}/processes/{slow}/wait")
        assert daemon.ask("POST", f"/v1/sandboxes/{box}/pause", {"force": True}).status == 200
        assert resumed.until(lambda event: event[0] == "end")[-1][2]["error"]["code"] == "unavailable"
        resumed.close()
        flat.close()
        refusals(daemon, "GET", "/v1/sandboxes/{}/files/watch?path=/tmp", box, owner_key(daemon, f"eve{isolation}"))


@case("watchers are bounded, and those that leave make room")
def many_watchers(daemon):
    daemon.start()
    box = daemon.make()
    open_ones = [Events(daemon, f"/v1/sandboxes/{box}/files/watch?path=/tmp") for _ in range(64)]
    assert all(events.status == 200 for events in open_ones)
    assert daemon.ask("GET", f"/v1/sandboxes/{box}/files/watch?path=/tmp", headers={"Accept": "text/event-stream"}).status == 429
    daemon.run(box, "echo > /tmp/new")
    for events in open_ones:
        events.until(lambda event: event[2].get("kind") == "created")
        events.close()
    until = time.monotonic() + 20
    while True:
        last = Events(daemon, f"/v1/sandboxes/{box}/files/watch?path=/tmp")
        last.close()
        if last.status == 200:
            break
        assert time.monotonic() < until
        time.sleep(0.1)


@case("files are read and written while a long exec runs; what was acknowledged survives a kill -9")
def files_meanwhile(daemon):
    daemon.start()
    box = daemon.make()
    for script in ("while :; do :; done", "sleep 1000", "yes > /dev/null", "while :; do echo $((n++)) > /tmp/count; done"):
        process = daemon.ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": script}}).json()["id"]
        path = f"/v1/sandboxes/{box}/files/content?path=/tmp/file"
        slowest = 0
        for i in range(20):
            began = time.monotonic()
            reply = daemon.ask("PUT", path, f"{script} {i}".encode() * 1000)
            assert reply.status == 200, reply
            reply = daemon.ask("GET", path)
            assert reply.body == f"{script} {i}".encode() * 1000
            slowest = max(slowest, time.monotonic() - began)
        assert slowest < 10, f"{script}: {slowest}"
        assert daemon.ask("GET", f"/v1/sandboxes/{box}/files?path=/tmp").status == 200
        assert daemon.ask("POST", f"/v1/sandboxes/{box}/files/mkdir", {"path": "/tmp/d"}).status == 204
        assert daemon.ask("DELETE", f"/v1/sandboxes/{box}/files?path=/tmp/d").status == 204
        assert daemon.ask("GET", f"/v1/sandboxes/{box}/processes/{process}").json()["state"] == "running"
        daemon.ask("POST", f"/v1/sandboxes/{box}/processes/{process}/signal", {"signal": 9})
        assert daemon.ask("GET", f"/v1/sandboxes/{box}/processes/{process}/wait").json()["state"] == "exited"
    process = daemon.ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": "echo mine > /tmp/of-exec; while [ ! -e /tmp/go ]; do :; done; cat /tmp/go"}}).json()["id"]
    # A slow upload does not hold the exec up: it goes on between the pieces.
    sock = socket.create_connection(("127.0.0.1", daemon.port), timeout=30)
    sock.sendall(f"PUT /v1/sandboxes/{box}/files/content?path=/tmp/slow HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nAuthorization: Bearer {daemon.key}\r\n"
                 "Content-Length: 6\r\n\r\nabc".encode())
    assert daemon.ask("PUT", f"/v1/sandboxes/{box}/files/content?path=/tmp/go", b"went on").status == 200
    ended = daemon.ask("GET", f"/v1/sandboxes/{box}/processes/{process}/wait").json()
    assert ended["exit_code"] == 0, ended
    sock.sendall(b"def")
    assert b" 200 " in sock.recv(4096).split(b"\r\n")[0]
    sock.close()
    assert daemon.ask("GET", f"/v1/sandboxes/{box}/files/content?path=/tmp/slow").body == b"abcdef"
    daemon.ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": "while :; do :; done"}})
    assert daemon.ask("PUT", f"/v1/sandboxes/{box}/files/content?path=/tmp/acknowledged", b"yes").status == 200
    daemon.kill()
    daemon.start()
    assert daemon.ask("GET", f"/v1/sandboxes/{box}/files/content?path=/tmp/acknowledged").body == b"yes"
    assert daemon.ask("GET", f"/v1/sandboxes/{box}/files/content?path=/tmp/of-exec").body == b"mine\n"
    listed = [entry["name"] for entry in daemon.ask("GET", f"/v1/sandboxes/{box}/files?path=/tmp").json()["entries"]]
    assert not [name for name in listed if name.startswith(".paddock-upload")], listed


@case("metrics count what happens, for administrators")
def metrics(daemon):
    daemon.start()
    assert daemon.ask("GET", "/metrics", key=None).status == 401
    assert daemon.ask("GET", "/metrics", key=owner_key(daemon, "ann")).status == 403
    box = daemon.make()
    for _ in range(3):
        daemon.run(box, "true")
    ws = WebSocket(daemon, f"/v1/sandboxes/{box}/terminal")
    ws.until("$ ")

    def values():
        reply = daemon.ask("GET", "/metrics")
        assert reply.status == 200, reply
        return dict(re.findall(r"^([a-z_]+(?:\{[^}]*\})?) (\S+)$", reply.body.decode(), re.M))
    seen = values()
    assert seen['paddock_sandboxes{isolation="virtual",state="running"}'] == "1", seen
    assert seen['paddock_requests_total{operation="exec",status="200"}'] == "3", seen
    assert seen['paddock_requests_total{operation="getMetrics",status="403"}'] == "1", seen
    assert seen['paddock_request_seconds_bucket{operation="exec",le="+Inf"}'] == "3", seen
    assert seen["paddock_open_streams"] == "1" and int(seen["process_resident_memory_bytes"]) > 1 << 20, seen
    ws.close()
    until = time.monotonic() + 20
    while values()["paddock_open_streams"] != "0":
        assert time.monotonic() < until
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES))
