#!/usr/bin/env python3
"""Many clients at once, and bad ones, against `paddock serve`: a thousand streams, clients that read nothing, that vanish in the middle,
that say half of a request. Draws the daemon's memory and open descriptors over each case, and fails where either does not come back.

    run_load.py [--paddock FILE] [--only RE] [--scale N]

--scale multiplies the rounds of the cases that look for leaks (default 1). The last line is "N passed, N failed, N skipped".
"""

import http.client
import json
import os
import pathlib
import re
import resource
import selectors
import socket
import struct
import subprocess
import sys
import threading
import time

from daemon_for_test import Skipped, run_cases

CASES = []
BARS = "▁▂▃▄▅▆▇█"
MIB = 1 << 20
SPARE = 40   # descriptors that stay: readers of the database, sandboxes at work. Each case opens more than that


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


class Watched:
    """Samples the daemon's memory and descriptors while it is entered; draws both when it is left."""

    def __init__(self, daemon):
        self.daemon, self.samples, self.ended = daemon, [], threading.Event()
        self.thread = threading.Thread(target=self._sample, daemon=True)

    def now(self):
        process = pathlib.Path(f"/proc/{self.daemon.child.pid}")
        memory = int(re.search(r"VmRSS:\s+(\d+)", (process / "status").read_text())[1]) << 10
        return memory, len(os.listdir(process / "fd"))

    def _sample(self):
        while not self.ended.wait(0.05):
            try:
                self.samples.append(self.now())
            except (OSError, TypeError):
                return

    def __enter__(self):
        self.first = self.now()
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.ended.set()
        self.thread.join()
        for name, index, unit, scale in (("memory", 0, "MiB", MIB), ("descriptors", 1, "", 1)):
            values = [sample[index] for sample in self.samples] or [self.first[index]]
            picked = [max(values[i * len(values) // 60:max((i + 1) * len(values) // 60, i * len(values) // 60 + 1)]) for i in range(min(60, len(values)))]
            least, most = min(picked), max(picked)
            bars = "".join(BARS[(value - least) * (len(BARS) - 1) // max(most - least, 1)] for value in picked)
            print(f"     {name:11} {bars} {least / scale:.0f} to {most / scale:.0f} {unit}", flush=True)

    def most(self, index):
        return max([sample[index] for sample in self.samples] + [self.first[index]])

    def settles(self, memory=None, patience=40):
        """Waits until hardly more descriptors are open than at the beginning, and no more than `memory` bytes are added."""
        until = time.monotonic() + patience
        while True:
            now = self.now()
            if now[1] <= self.first[1] + SPARE and (memory is None or now[0] <= self.first[0] + memory):
                return
            assert time.monotonic() < until, f"at first {self.first[0] / MIB:.0f} MiB and {self.first[1]} descriptors, now {now[0] / MIB:.0f} MiB and {now[1]}"
            time.sleep(0.1)


def connect(daemon, receive_buffer=None):
    sock = socket.socket(socket.AF_INET)
    if receive_buffer:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    sock.settimeout(60)
    sock.connect(("127.0.0.1", daemon.port))
    return sock


def head(daemon, method, path, **headers):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {daemon.key}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def reset(sock):
    """Closes it as a machine that lost power and came back would: with a reset instead of a goodbye."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def read_until(socks, wanted, patience=60):
    """Reads from all sockets until each has shown `wanted`; how many did."""
    seen = {sock: b"" for sock in socks}
    found = set()
    with selectors.DefaultSelector() as selector:
        for sock in socks:
            sock.setblocking(False)
            selector.register(sock, selectors.EVENT_READ)
        until = time.monotonic() + patience
        while len(found) < len(socks) and time.monotonic() < until:
            for key, _ in selector.select(1):
                try:
                    data = key.fileobj.recv(1 << 16)
                except OSError:
                    data = b""
                if not data:
                    selector.unregister(key.fileobj)
                    continue
                seen[key.fileobj] = seen[key.fileobj][-len(wanted):] + data
                if wanted in seen[key.fileobj]:
                    found.add(key.fileobj)
    return len(found)


@case("a thousand followers of events, all told of each")
def followers(daemon):
    daemon.start()
    soft, hard = re.search(r"Max open files +(\d+) +(\d+)", pathlib.Path(f"/proc/{daemon.child.pid}/limits").read_text()).groups()
    assert soft == hard, (soft, hard)   # it raised what it was started with
    first = daemon.make()
    with Watched(daemon) as watched:
        streams = [connect(daemon) for _ in range(1000)]
        for stream in streams:
            stream.sendall(head(daemon, "GET", "/v1/events?after=0", Accept="text/event-stream"))
        assert read_until(streams, first.encode()) == 1000
        last = daemon.make()
        assert read_until(streams, last.encode()) == 1000
        assert watched.now()[0] < watched.first[0] + 200 * MIB, watched.now()
        for stream in streams:
            stream.close()
        watched.settles(memory=150 * MIB)
    daemon.run(last, "true")


@case("a thousand followers of one process; nineteen of twenty read nothing")
def one_process(daemon):
    daemon.start()
    box = daemon.make()
    with Watched(daemon) as watched:
        process = daemon.ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": "read x; seq 1 200000; echo THE-''END"}, "open_input": True}).json()["id"]
        streams = [connect(daemon, receive_buffer=4096) for _ in range(1000)]
        for stream in streams:
            stream.sendall(head(daemon, "GET", f"/v1/sandboxes/{box}/processes/{process}/output?offset=0", Accept="text/event-stream"))
        readers = streams[::20]
        assert daemon.ask("POST", f"/v1/sandboxes/{box}/processes/{process}/input", "go\n").status < 300
        assert read_until(readers, b"THE-END", patience=120) == len(readers)
        assert daemon.run(daemon.make(), "echo still")["stdout"] == "still\n"
        assert watched.now()[0] < watched.first[0] + 600 * MIB, watched.now()
        for stream in streams:
            stream.close()
        watched.settles(memory=200 * MIB)


@case("two thousand sockets with half of a request")
def half_requests(daemon):
    daemon.start()
    halves = [b"", b"G", b"GET /v1/sandboxes HT", b"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10",
              b"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{",
              b"PUT /v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffff"]
    with Watched(daemon) as watched:
        socks = []
        for number in range(2000):
            sock = connect(daemon)
            sock.sendall(halves[number % len(halves)])
            socks.append(sock)
        started = time.monotonic()
        box = daemon.make()
        assert daemon.run(box, "echo served")["stdout"] == "served\n"
        assert time.monotonic() - started < 20
        for number, sock in enumerate(socks):
            reset(sock) if number % 2 else sock.close()
        watched.settles(memory=100 * MIB)


@case("uploads that break off leave nothing")
def broken_uploads(daemon):
    daemon.start()
    box = daemon.make()
    with Watched(daemon) as watched:
        for round_number in range(20):
            socks = []
            for number in range(10):
                sock = connect(daemon)
                sock.sendall(head(daemon, "PUT", f"/v1/sandboxes/{box}/files/content?path=/home/agent/broken-{round_number}-{number}", Content_Length=64 * MIB))
                sock.sendall(b"x" * MIB)
                socks.append(sock)
            for number, sock in enumerate(socks):
                reset(sock) if number % 2 else sock.close()
        archive = head(daemon, "PUT", f"/v1/sandboxes/{box}/files/archive?path=/home/agent/tree", Content_Length=10 * MIB)
        for _ in range(20):
            sock = connect(daemon)
            sock.sendall(archive + b"\0" * 300)
            reset(sock)
        watched.settles(memory=100 * MIB)
    names = daemon.run(box, "ls -A ~")["stdout"].split()
    assert not [name for name in names if name.startswith("broken")], names
    left = [str(file) for file in daemon.data.rglob("*") if file.is_file() and file.stat().st_size >= MIB]
    assert not left, left


@case("clients that vanish while they wait for an exec")
def vanishing_execs(daemon):
    daemon.start()
    box = daemon.make()
    with Watched(daemon) as watched:
        body = json.dumps({"script": "sleep 0.01; echo $((++n)) >> ~/n", "keep_shell": True}).encode()
        for number in range(200):
            sock = connect(daemon)
            sock.sendall(head(daemon, "POST", f"/v1/sandboxes/{box}/exec", Content_Type="application/json", Content_Length=len(body)) + body)
            reset(sock) if number % 2 else sock.close()
        until = time.monotonic() + 60
        while True:   # those that were accepted run to their end: a client that goes away does not end its exec
            running = [one for one in daemon.ask("GET", f"/v1/sandboxes/{box}/processes").json()["processes"] if one["state"] != "exited"]
            if not running:
                break
            assert time.monotonic() < until, len(running)
            time.sleep(0.1)
        watched.settles(memory=100 * MIB)
    lines = daemon.run(box, "wc -l < ~/n; tail -n 1 ~/n")["stdout"].split()
    assert lines[0] == lines[1] and int(lines[0]) > 0, lines   # none ran twice, none in the middle of another


@case("answers that nobody reads are cut, the others served")
def unread_answers(daemon):
    daemon.start()
    box = daemon.make()
    daemon.run(box, "head -c 50000000 /dev/zero > ~/big")
    with Watched(daemon) as watched:
        socks = [connect(daemon, receive_buffer=4096) for _ in range(300)]
        for sock in socks:
            sock.sendall(head(daemon, "GET", f"/v1/sandboxes/{box}/files/content?path=/home/agent/big"))
        time.sleep(1)
        other = daemon.make()
        started = time.monotonic()
        assert daemon.run(other, "echo served")["stdout"] == "served\n"
        assert time.monotonic() - started < 20
        assert watched.most(0) < watched.first[0] + 300 * MIB, f"{watched.most(0) / MIB:.0f} MiB"
        watched.settles(memory=200 * MIB, patience=80)   # cut after 30 seconds without a byte
        for sock in socks:
            sock.close()


@case("a transfer at a client's pace holds up nobody else in its sandbox")
def slow_transfers(daemon):
    daemon.start()
    box = daemon.make()
    daemon.run(box, "mkdir ~/d; yes first | head -c 30000000 > ~/d/big; cp -r ~/d ~/tree")

    def served(what):
        started = time.monotonic()
        answer = daemon.run(box, "echo second > ~/d/big; echo served")
        assert answer["stdout"] == "served\n" and time.monotonic() - started < 15, what

    def rest(sock):
        pieces = []
        while piece := sock.recv(1 << 20):
            pieces.append(piece)
        return b"".join(pieces)
    slow = connect(daemon, receive_buffer=4096)
    slow.sendall(head(daemon, "GET", f"/v1/sandboxes/{box}/files/content?path=/home/agent/d/big", Connection="close"))
    packed = connect(daemon, receive_buffer=4096)
    packed.sendall(head(daemon, "GET", f"/v1/sandboxes/{box}/files/archive?path=/home/agent/tree", Connection="close"))
    time.sleep(0.5)
    served("a download")
    content = rest(slow)
    assert content.count(b"first\n") == 5000000 and b"second" not in content   # the file as it was when it was asked for
    assert rest(packed).count(b"first\n") >= 4990000
    assert daemon.run(box, "cat ~/d/big")["stdout"] == "second\n"

    # The same while an exec writes: each reader gets the file of one moment, and the exec loses nothing.
    box = daemon.make()
    process = daemon.ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": "for ((i = 0; i < 300000; i++)); do echo $i; done > ~/log"}}).json()["id"]
    sizes = []
    while not sizes or len(sizes) < 40 and sizes[-1] < 1988890:
        got = daemon.ask("GET", f"/v1/sandboxes/{box}/files/content?path=/home/agent/log")
        if got.status == 404:   # not begun
            continue
        lines = got.body.decode().split("\n")
        assert got.status == 200 and lines[:-1] == [str(number) for number in range(len(lines) - 1)], got
        sizes.append(len(got.body))
    assert sizes == sorted(sizes), sizes
    ended = daemon.ask("GET", f"/v1/sandboxes/{box}/processes/{process}/wait?wait_ms=60000").json()
    assert ended["exit_code"] == 0, ended
    assert daemon.run(box, "wc -l < ~/log; tail -n 1 ~/log")["stdout"].split() == ["300000", "299999"]
    box = daemon.make()
    daemon.run(box, "mkdir ~/d ~/tree")

    upload = connect(daemon)
    upload.sendall(head(daemon, "PUT", f"/v1/sandboxes/{box}/files/content?path=/home/agent/up", Content_Length=3 * MIB, Connection="close") + b"u" * MIB)
    archive = connect(daemon)
    archive.sendall(head(daemon, "PUT", f"/v1/sandboxes/{box}/files/archive?path=/home/agent/in", Content_Length=10240, Connection="close") + b"\0" * 512)
    time.sleep(0.5)
    served("an upload")
    upload.sendall(b"u" * (2 * MIB))
    archive.sendall(b"\0" * (10240 - 512))
    assert b" 200 " in upload.recv(1 << 16) and b" 200 " in archive.recv(1 << 16)
    assert daemon.run(box, "tr -d u < ~/up | wc -c; wc -c < ~/up; ls -A ~")["stdout"].split() == ["0", str(3 * MIB), "d", "in", "tree", "up"]
    small = daemon.make(limits={"disk": "1MiB"})
    reply = daemon.ask("PUT", f"/v1/sandboxes/{small}/files/content?path=/home/agent/f", b"x" * (2 * MIB))
    assert reply.status == 507, reply
    sock = connect(daemon)   # far more than it can hold is refused before it comes
    sock.sendall(head(daemon, "PUT", f"/v1/sandboxes/{small}/files/content?path=/home/agent/f", Content_Length=1 << 30))
    assert b" 413 " in sock.recv(1 << 16)
    assert daemon.run(small, "ls -A ~")["stdout"] == ""


@case("one owner cannot take all the places")
def fair(daemon):
    daemon.start()
    made = daemon.command("key", "create", "--data", str(daemon.data), "--role", "user", "bob")
    assert made.returncode == 0, made
    time.sleep(1.5)
    box = daemon.make()
    socks = []
    with Watched(daemon) as watched:
        for _ in range(1600):   # three quarters of 2,048 are 1,536
            sock = connect(daemon)
            sock.sendall(head(daemon, "PUT", f"/v1/sandboxes/{box}/files/content?path=/home/agent/f", Content_Length=MIB) + b"x" * 1000)
            socks.append(sock)
        with selectors.DefaultSelector() as selector:
            for sock in socks:
                selector.register(sock, selectors.EVENT_READ)
            refused = 0
            until = time.monotonic() + 20
            while refused < 64 and time.monotonic() < until:
                for key, _ in selector.select(1):
                    answer = key.fileobj.recv(4096)
                    assert b" 429 " in answer and b"requests" in answer, answer
                    selector.unregister(key.fileobj)
                    refused += 1
        assert refused == 64, refused
        over_mcp = daemon.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers={"Accept": "application/json, text/event-stream"})
        assert over_mcp.status == 429 and b"requests" in over_mcp.body, over_mcp   # the same places
        started = time.monotonic()
        mine = daemon.ask("POST", "/v1/sandboxes", {}, key=made.stdout.strip())
        assert mine.status == 201, mine
        assert daemon.ask("POST", f"/v1/sandboxes/{mine.json()['id']}/exec", {"script": "echo hi"}, key=made.stdout.strip()).json()["stdout"] == "hi\n"
        assert time.monotonic() - started < 20
        for sock in socks:
            reset(sock)
        watched.settles(memory=150 * MIB)


@case("one owner cannot take all the calls over MCP")
def fair_calls(daemon):
    daemon.start()
    for number in range(4):   # a sandbox runs 64 at most
        reply = daemon.ask("POST", "/v1/sessions", {"name": f"s{number}", "capabilities": ["bashkit_shell"]})
        assert reply.status == 201, reply
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    socks = []
    for number in range(200):   # three quarters of 256 are 192
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                           "params": {"name": "bash", "arguments": {"commands": "sleep 30"}, "_meta": meta}}).encode()
        sock = connect(daemon)
        sock.sendall(head(daemon, "POST", f"/mcp?session=s{number % 4}", Accept="application/json, text/event-stream", Content_Type="application/json",
                          Content_Length=len(body), MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call", Mcp_Name="bash") + body)
        socks.append(sock)
    answers = [sock.recv(500) for sock in socks]
    refused = [answer for answer in answers if b" 429 " in answer]
    assert len(refused) == 8 and b"192 calls" in refused[0], (len(refused), answers[0])
    for sock in socks:
        sock.close()


@case("a peer whose network is gone is noticed")
def cable_pulled(daemon):
    if os.geteuid() != 0:
        raise Skipped("takes root: it makes a network of its own")
    if subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode != 0:
        raise Skipped("this host makes no network namespaces")
    holder = subprocess.Popen(["unshare", "-n", "sleep", "600"])
    outer = subprocess.Popen(["unshare", "-n", "sleep", "600"])
    try:
        time.sleep(0.3)
        inside = ["nsenter", "-n", "-t", str(outer.pid)]
        beside = ["nsenter", "-n", "-t", str(holder.pid)]
        run = lambda words: subprocess.run(words, check=True, capture_output=True, text=True)   # noqa: E731
        run([*inside, "ip", "link", "set", "lo", "up"])
        made = subprocess.run([*inside, "ip", "link", "add", "paddock0", "type", "veth", "peer", "name", "paddock1", "netns", str(holder.pid)],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise Skipped(f"this host makes no veth pair: {made.stderr.strip()}")
        run([*inside, "ip", "address", "add", "10.93.7.1/24", "dev", "paddock0"])
        run([*inside, "ip", "link", "set", "paddock0", "up"])
        run([*beside, "ip", "address", "add", "10.93.7.2/24", "dev", "paddock1"])
        run([*beside, "ip", "link", "set", "paddock1", "up"])
        made = daemon.command("key", "create", "--data", str(daemon.data), "--role", "admin", "me")
        assert made.returncode == 0, made
        serve = subprocess.Popen([*inside, daemon.paddock, "serve", "--data", str(daemon.data), "--port", "7420", "--address", "10.93.7.1"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in serve.stdout:
            if line.endswith("sandboxes\n"):
                break
        assert serve.poll() is None, serve.stderr.read()
        daemon.child = serve
        client = subprocess.Popen([*beside, sys.executable, "-c", CLIENT, made.stdout.strip()], stdout=subprocess.PIPE, text=True)
        with Watched(daemon) as watched:
            assert client.stdout.readline() == "open\n"
            assert watched.now()[1] >= watched.first[1] + 150, watched.now()
            run([*beside, "ip", "link", "set", "paddock1", "down"])
            client.kill()   # its goodbyes reach nobody
            client.wait()
            watched.settles(patience=150)
    finally:
        for child in (holder, outer):
            child.kill()
            child.wait()


# Opens 60 event streams from the other side of the cable and says so.
CLIENT = """
import socket, sys, time
socks = []
for _ in range(200):
    sock = socket.create_connection(("10.93.7.1", 7420), 30)
    sock.sendall(f"GET /v1/events HTTP/1.1\\r\\nHost: 10.93.7.1\\r\\nAuthorization: Bearer {sys.argv[1]}\\r\\nAccept: text/event-stream\\r\\n\\r\\n".encode())
    answer = sock.recv(1000)
    assert b" 200 " in answer, answer
    socks.append(sock)
print("open", flush=True)
time.sleep(600)
"""


@case("sandboxes that come and go leave nothing behind")
def churn(daemon):
    daemon.start()

    def round_of(count):
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
        headers = {"Authorization": f"Bearer {daemon.key}", "Content-Type": "application/json"}

        def ask(method, path, body=None):
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            data = answer.read()
            assert answer.status < 300, (answer.status, data)
            return json.loads(data) if data else None
        for _ in range(count):
            box = ask("POST", "/v1/sandboxes", {})["id"]
            ask("POST", f"/v1/sandboxes/{box}/exec", {"script": "x=$(seq 100); echo $x > ~/f; mkdir -p d/e", "keep_shell": True})
            ask("DELETE", f"/v1/sandboxes/{box}")
        connection.close()

    round_of(1000)
    with Watched(daemon) as watched:
        for _ in range(3 * daemon.options.scale):
            round_of(1000)
        watched.settles(memory=16 * MIB)
    boxes = [entry.name for entry in (daemon.data / "sandboxes").iterdir()] if (daemon.data / "sandboxes").exists() else []
    assert not boxes, boxes[:5]


def add_options(parser):
    parser.add_argument("--scale", type=int, default=1, metavar="N")


if __name__ == "__main__":
    most_open = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_open - 1 if 0 < most_open < 8192 else 8192, most_open))   # the daemon's soft limit, too
    sys.exit(run_cases(__doc__, CASES, add_options))
