#!/usr/bin/env python3
"""Starts `paddock serve` and tries the operations that work on a sandbox's inside: terminals, files, usage, metrics; on every isolation
that this machine can stand up, with two owners, across restarts.

    run_rest.py [--paddock FILE] [--only RE]

The last line is "N passed, N failed, N skipped".
"""

import base64
import io
import json
import os
import pathlib
import re
import socket
import struct
import sys
import tarfile
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

    def until(self, wanted):
        """What is shown up to and with `wanted`; of very much, the end."""
        wanted = wanted.encode()
        while wanted not in self.shown:
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
        ws.send(b"echo \"size $COLUMNS.\"\r")
        ws.until("size 55.\r\n")
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
