#!/usr/bin/env python3
"""Attacks containers from inside and looks from outside: the claims S1 to S24 of docs/security-model.md, each on a real Docker and a real Podman.

    run_container_attacks.py [--paddock FILE] [--only RE] [-v]

Takes root; an engine that is not installed is skipped, with the reason. Everything is driven by `paddock run --isolation container` by way of a socket that
records what the engine is asked (S21). The last line is "N passed, N failed, N skipped".
"""

import argparse
import contextlib
import http.server
import io
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import traceback
import urllib.request
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "security")]
sys.dont_write_bytecode = True

import engines_for_test  # noqa: E402
from containers import recorder  # noqa: E402

IMAGE, TRAPS, TRAPPED_WORKSPACE = "localhost/base:1", "localhost/traps:1", "localhost/trapped-workspace:1"
CASES = []
PATIENCE = 120


class Skipped(Exception):
    pass


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def check(condition, *said):
    if not condition:
        raise AssertionError(" ".join(str(one)[-1500:] for one in said))


class Place:
    """One engine, and how containers are run on it."""

    def __init__(self, engine, paddock, folder, probe):
        self.engine, self.paddock, self.folder, self.probe = engine, str(paddock), folder, probe
        self.recorder = recorder.Recorder(engine.socket, folder / "recorded.sock")
        self.secrets = []   # must not be seen anywhere
        self.temporary = folder / "temporary"
        self.temporary.mkdir()

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DOCKER_", "PADDOCK_", "CONTAINER_SANDBOX_"))}
        return {**kept, "TMPDIR": str(self.temporary), **more}

    def start(self, *words, image=IMAGE, host=None, stdin=subprocess.DEVNULL, environment=None):
        command = [self.paddock, "run", "--isolation", "container", "--docker-host", host or f"unix://{self.recorder.path}", "--image", image, *words]
        if host == "":
            del command[4:6]
        return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment or self.environment(), start_new_session=True)

    def run(self, *words, input=None, **more):
        """The ended process, with text; for --json its result."""
        child = self.start(*words, stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL, **more)
        try:
            out, err = child.communicate(input, PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
            raise AssertionError(f"no end: {out[-500:]!r} {err[-500:]!r}") from None
        child.out, child.err = out.decode(errors="replace"), err.decode(errors="replace")
        return child

    def script(self, text, *options, **more):
        """What a script prints; it must end with 0."""
        ended = self.run(*options, text, **more)
        check(ended.returncode == 0, f"status {ended.returncode}:", ended.err, ended.out)
        return ended.out

    def result(self, text, *options, **more):
        ended = self.run("--json", *options, text, **more)
        check(ended.out.startswith("{"), f"status {ended.returncode}:", ended.err, ended.out)
        return json.loads(ended.out)

    def ask(self, method, path):
        status, body = self.engine.request(method, "/v1.41" + path)
        return json.loads(body) if status == 200 and body.strip() else []

    def containers(self):
        return self.ask("GET", "/containers/json?all=1")

    def stop(self):
        self.recorder.close()


def started(child, word):
    """Waits for a line of a running one."""
    seen = []
    while True:
        line = child.stdout.readline().decode(errors="replace")
        if not line:
            raise AssertionError(f"it ended: {child.wait()}: {''.join(seen)} {child.stderr.read()[-600:]!r}")
        if line.startswith(word):
            return line[len(word):].strip()
        seen.append(line)


@contextlib.contextmanager
def running(place, script, *options, **more):
    child = place.start(*options, script, stdin=subprocess.PIPE, **more)
    try:
        yield child
    finally:
        with contextlib.suppress(OSError):
            child.stdin.close()
        try:
            child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()
        child.stderr.close()


class Listener:
    """Answers every connection of the host with a token."""

    def __init__(self, family=socket.AF_INET, address="0.0.0.0", port=0):
        self.token = "token-" + secrets.token_hex(8)
        self.socket = socket.socket(family)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        self.socket.bind((address, port))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                with self.socket.accept()[0] as one:
                    with contextlib.suppress(OSError):
                        one.sendall(self.token.encode() + b"\n")

    def fetch(self, address):
        with contextlib.suppress(OSError), socket.create_connection((address, self.port), 5) as one:
            return one.recv(100).decode()
        return ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)   # a thread in accept() holds it otherwise
        self.socket.close()


def host_addresses():
    found = []
    for one in json.loads(subprocess.run(["ip", "-j", "addr"], capture_output=True, text=True, check=True).stdout):
        found += [address["local"] + (f"%{one['ifname']}" if address.get("scope") == "link" and ":" in address["local"] else "") for address in one["addr_info"]]
    return found


# ---- what is inside

@case("S1 no socket of the host's is inside, and nothing of its files but what engines put there")
def _(place):
    out = place.script("find / -xdev -type s; ls /var/run/docker.sock /run/docker.sock /run/podman/podman.sock /run/containerd 2>/dev/null; echo end; cat /proc/self/mountinfo")
    sockets, _, mounts = out.partition("end\n")
    check(sockets == "", "sockets:", sockets)
    allowed = re.compile(r"/|/workspace|/tmp|/\.paddock|/etc/(resolv\.conf|hostname|hosts)|/run/\.containerenv|/(proc|sys|dev)(/.*)?")
    for line in mounts.strip().splitlines():
        point = line.split()[4]
        is_podmans = point in ("/run", "/var/tmp") and " - tmpfs " in line   # memory of its own, beside a read-only root
        check(allowed.fullmatch(point) or is_podmans, "mounted:", line)
        if point == "/.paddock":
            check("ro" in line.split()[5].split(","), "the agent can be written to:", line)
    for path in ("/proc/1/root/etc/shadow", "/proc/sys/kernel/hostname", "/sys/kernel/uevent_helper", "/proc/sysrq-trigger"):
        check(place.run(f"echo x > {path}").returncode != 0, "written:", path)


@case("S4 no capability in any set, of process 1 and of commands, in both profiles")
def _(place):
    for profile in ("strict", "dev"):
        out = place.script("cat /proc/1/status /proc/self/status; id -u", "--profile", profile)
        sets = re.findall(r"^(Cap\w+):\s+(\w+)$", out, re.M)
        check(len(sets) == 10 and all(set(value) == {"0"} for _, value in sets), sets)
        check(out.splitlines()[-1] == ("1000" if profile == "strict" else "0"), out[-20:])


@case("S5 no new privileges, and a set-id program of the image gives none")
def _(place):
    out = place.script("grep NoNewPrivs /proc/1/status /proc/self/status; /bin/setuid ids", image=TRAPS)
    check(re.findall(r"NoNewPrivs:\s+(\d)", out) == ["1", "1"], out)
    check(out.splitlines()[-1] == "1000 1000", "it runs as somebody else:", out)
    trap = place.probe.parent / "setuid"   # the same on the host, or it would prove nothing
    shutil.copy(place.probe, trap)
    trap.chmod(0o6755)
    as_other = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", str(trap), "ids"], capture_output=True, text=True, check=True).stdout
    check(as_other == "0 0\n", "the trap has no teeth:", as_other)
    made = place.run("cp /bin/busybox /workspace/b && chmod 4755 /workspace/b && stat -c %a /workspace/b", image=TRAPS)
    check(made.returncode != 0 and "4755" not in made.out, "a set-id file was made:", made.out, made.err)


@case("S6 what opens the kernel is refused by Paddock's own filter, in both profiles")
def _(place):
    # What an ordinary user of the host may do: else the probe would find nothing.
    free = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", str(place.probe), "calls"], capture_output=True, text=True, check=True).stdout
    free = dict(line.rsplit(" ", 1) for line in free.splitlines())
    biting = [name for name, error in free.items() if error not in ("1", "38", "killed")]
    check(len(biting) >= 10, "the probe has no teeth here:", biting)
    for profile in ("strict", "dev"):
        out = place.script("grep Seccomp: /proc/1/status /proc/self/status; /bin/probe calls", "--profile", profile, image=TRAPS)
        check(re.findall(r"Seccomp:\s+(\d)", out) == ["2", "2"], out)
        tried = dict(line.rsplit(" ", 1) for line in out.splitlines() if "Seccomp" not in line)
        check(tried.keys() == free.keys(), "not all was tried:", free.keys() - tried.keys())
        # EPERM or ENOSYS; the agent's memory is kept by the kernel's own rules (EACCES).
        refused = {name: ("1", "13", "38") if name == "init-memory" else ("killed", "38") if name in ("i386", "x32") else ("1", "38") for name in tried}
        worked = {name: error for name, error in tried.items() if error not in refused[name]}
        check(not worked, f"{profile}:", worked)


@case("S7 user 0 inside is not user 0 outside, where the engine remaps")
def _(place):
    if place.engine.name != "docker":
        raise Skipped("Podman's service does not remap unless it runs without root")
    # A dockerd of its own, that sees other /etc/subuid and /etc/subgid than the machine does.
    folder = place.folder / "remapped"
    folder.mkdir()
    (folder / "subuid").write_text("nobody:200000:65536\n")
    (folder / "subgid").write_text("nobody:300000:65536\nnogroup:300000:65536\n")
    enter = ["unshare", "--mount", "sh", "-c", f'mount --bind {folder}/subuid /etc/subuid && mount --bind {folder}/subgid /etc/subgid && exec "$@"', "sh"]
    try:
        remapped = engines_for_test.start_docker(folder, ["--userns-remap", "nobody:nogroup"], enter)
    except RuntimeError as error:
        raise Skipped(f"dockerd does not remap here: {str(error)[-300:]}") from None
    try:
        remapped.import_image(engines_for_test.busybox_root(), *engines_for_test.IMAGE)
        for profile in ("strict", "dev"):
            out = place.script("cat /proc/self/uid_map /proc/self/gid_map; echo a > /workspace/f; stat -c %u /workspace/f; grep -E 'Cap|NoNew|Seccomp:' /proc/self/status",
                               "--profile", profile, host=f"unix://{remapped.socket}").split("\n")
            check([line.split() for line in out[:2]] == [["0", "200000", "65536"], ["0", "300000", "65536"]], out)
            check(out[2] == ("1000" if profile == "strict" else "0"), out)
            check(all(line.split()[1].strip("0") in ("", "1", "2") for line in out[3:] if line), out)
    finally:
        remapped.stop()


@case("S18 the root is read-only in the strict profile, the workspace and /tmp are not")
def _(place):
    out = place.script("for p in /x /etc/x /usr/x /bin/x /root/x /var/x /dev/x /.paddock/x /.paddock/paddock-guest; do (echo x > $p) 2>/dev/null && echo wrote $p; done; "
                       "echo a > /workspace/f; cat /workspace/f; echo b > /tmp/f; cat /tmp/f")
    check(out == "a\nb\n", out)


# ---- the network

@case("S8 one sandbox does not reach another")
def _(place):
    token = "token-" + secrets.token_hex(8)
    serve = f"busybox nc -ll -p 7777 -e echo {token} & while ! busybox nc -w 2 127.0.0.1 7777 < /dev/null | grep -q {token}; do sleep 0.1; done; " \
            "echo serving $(busybox ip -o addr | tr -s ' ' | cut -d' ' -f4 | cut -d/ -f1); cat > /dev/null"
    with running(place, serve) as first:
        addresses = started(first, "serving").split()
        check("127.0.0.1" in addresses, addresses)
        name = [one["Names"][0].strip("/") for one in place.containers() if one["State"] == "running"]
        check(name, "no container runs")
        targets = sorted(set(addresses + name + ["sandbox", "paddock", "host.docker.internal", "host.containers.internal"]))
        seen = place.run(f"for h in {' '.join(targets)}; do busybox timeout 3 busybox nc -w 2 $h 7777 < /dev/null 2>/dev/null; done; echo end")
        check(seen.out.endswith("end\n") and token not in seen.out, seen.out, seen.err)


@case("S9 nothing of the host is reached, by none of its addresses")
def _(place):
    with Listener() as four, Listener(socket.AF_INET6, "::") as six:
        script = "echo ready; while read h p; do busybox timeout 3 busybox nc -w 2 $h $p < /dev/null 2>/dev/null; done; echo end"
        with running(place, script) as child:
            started(child, "ready")
            addresses = [one for one in host_addresses() if not one.startswith("fe80") or "%" in one]
            check(four.fetch("127.0.0.1").strip() == four.token and six.fetch("::1").strip() == six.token, "the listeners do not answer")
            for address in [*addresses, "172.17.0.1", "10.88.0.1", "10.0.2.2", "192.168.127.254"]:
                child.stdin.write(f"{address} {six.port if ':' in address else four.port}\n".encode())
            child.stdin.close()
            out = child.stdout.read().decode()
        check(out.endswith("end\n"), "it did not end:", out)
        check(four.token not in out and six.token not in out, "reached:", out)


@case("S10 no metadata service answers")
def _(place):
    address = "169.254.169.254"
    added = subprocess.run(["ip", "addr", "add", f"{address}/32", "dev", "lo"], capture_output=True).returncode == 0
    try:
        try:
            listener = Listener(address=address, port=80)
        except OSError as error:
            raise Skipped(f"no listener can stand at {address}:80: {error}") from None
        with listener:
            check(listener.fetch(address).strip() == listener.token, "the listener does not answer")
            out = place.run(f"busybox timeout 3 busybox nc -w 2 {address} 80 < /dev/null; busybox timeout 3 busybox wget -qO- http://{address}/latest/meta-data/; echo end").out
            check(out.endswith("end\n") and listener.token not in out, out)
    finally:
        if added:
            subprocess.run(["ip", "addr", "del", f"{address}/32", "dev", "lo"], capture_output=True)


@case("S11 what a rule allows passes the proxy, and nothing else gets out")
def _(place):
    address = next((one for one in host_addresses() if ":" not in one and not one.startswith(("127.", "169.254."))), None)
    if address is None:
        raise Skipped("this machine has no address of its own")

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = f"{self.server.token}\n".encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with contextlib.ExitStack() as stack:
        def serve(kind, at, token):
            server = stack.enter_context(kind((at, 0), Page))
            server.token = token
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            return server.server_address[1]

        class Six(http.server.ThreadingHTTPServer):
            address_family = socket.AF_INET6
        allowed, other, six = (f"{word}-{secrets.token_hex(8)}" for word in ("allowed", "other", "six"))
        allowed_port = serve(http.server.ThreadingHTTPServer, address, allowed)
        other_port = serve(http.server.ThreadingHTTPServer, address, other)
        six_port = serve(Six, "::1", six)
        resolver = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        resolver.bind((address, 0))
        resolver_port = resolver.getsockname()[1]
        for url, token in ((f"http://{address}:{allowed_port}/", allowed), (f"http://{address}:{other_port}/", other), (f"http://[::1]:{six_port}/", six)):
            check(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=10).read().decode().strip() == token, "no answer at", url)
        get = "busybox timeout 10 busybox wget -qO- "
        tries = [f"http://{address}:{other_port}/", f"http://[::1]:{six_port}/", f"http://localhost:{allowed_port}/", f"http://127.0.0.1:{other_port}/", "http://169.254.169.254/",
                 f"http://0x{int.from_bytes(socket.inet_aton(address), 'big'):x}:{allowed_port}/", f"http://{int.from_bytes(socket.inet_aton(address), 'big')}:{allowed_port}/"]
        script = f"{get}http://{address}:{allowed_port}/; echo first; " + "; ".join(get + f"'{url}'" for url in tries)
        # Past the proxy: the same address, directly; and over UDP.
        script += f"; busybox timeout 3 busybox nc -w 2 {address} {allowed_port} < /dev/null; unset http_proxy HTTP_PROXY; {get}http://{address}:{allowed_port}/"
        script += f"; busybox timeout 3 busybox nslookup -port={resolver_port} example.org {address}; busybox timeout 2 busybox nc -u -w 1 {address} {resolver_port} < /etc/passwd; echo end"
        ended = place.run("--allow-host", f"{address}:{allowed_port}", script)
        first, _, rest = ended.out.partition("first\n")
        check(first == allowed + "\n", "what is allowed does not pass:", ended.out, ended.err)
        check(rest.endswith("end\n") and all(token not in rest for token in (allowed, other, six)), "reached:", rest)
        resolver.setblocking(False)
        try:
            asked = resolver.recv(1000)
        except BlockingIOError:
            asked = b""
        check(not asked, "the resolver was asked:", asked)


# ---- limits

@case("S12 a fork bomb ends at the limit, and processes can be had afterwards")
def _(place):
    out = place.script("/bin/probe forks; echo alive", "--limits", "processes=40", image=TRAPS)
    children, error, again = map(int, re.search(r"children (\d+) error (\d+) again (\d)", out).groups())
    check(10 < children < 40 and error == 11 and again == 1 and out.endswith("alive\n"), out)
    began = time.monotonic()
    bomb = place.run("--limits", "time=3s,processes=64", "b() { b | b & }; b; sleep 100")
    check(bomb.returncode != 0 and time.monotonic() - began < PATIENCE, bomb.returncode)
    check(place.script("echo alive") == "alive\n")


@case("S13 memory beyond the limit ends who takes it, and is told; the sandbox goes on")
def _(place):
    result = place.result("dd if=/dev/zero of=/dev/null bs=128M count=1; echo status $?; echo alive", "--limits", "memory=64M")
    check(result["stdout"] == "status 137\nalive\n", result)
    check(any("memory" in line for line in result["denials"]), result)
    result = place.result("exec dd if=/dev/zero of=/dev/null bs=128M count=1", "--limits", "memory=64M")
    check(result["termination"]["reason"] == "oom" and result["termination"]["limit"] == "memory" and result["exit_code"] is None, result)


@case("S14 half a processor is half a processor")
def _(place):
    out = place.script("/bin/probe spin 2 3000", "--limits", "cpus=0.5", image=TRAPS)
    cpu, wall = map(int, re.search(r"cpu (\d+) wall (\d+)", out).groups())
    check(wall >= 3000 and cpu <= 0.5 * wall * 1.2, out)


@case("S15 the disk limit ends who passes it, and one file cannot")
def _(place):
    fill = "i=0; while [ $i -lt 1000 ]; do dd if=/dev/zero of=/workspace/f$i bs=1M count=2 2>/dev/null; i=$((i+1)); done; echo all"
    for profile in ("strict", "dev"):
        result = place.result(fill, "--limits", "disk=32M", "--profile", profile)
        check(result["termination"]["reason"] == "disk" and result["termination"]["limit"] == "disk" and "all" not in result["stdout"], profile, result)
        check(32 << 20 < result["termination"]["peak"] < 2000 << 20, profile, result)
    inner = place.result(fill.replace("/workspace/", "/data/"), "--limits", "disk=32M", image=TRAPS)   # a volume that the image asks for
    check(inner["termination"]["reason"] == "disk", inner)
    one = place.run("--limits", "disk=32M", "dd if=/dev/zero of=/workspace/big bs=1M count=200 2>/dev/null; stat -c %s /workspace/big")
    check(int(one.out.split()[-1]) <= 32 << 20, one.out, one.err)
    tmp = place.run("--limits", "memory=256M", "dd if=/dev/zero of=/tmp/big bs=1M count=4000 2>/dev/null; stat -c %s /tmp/big")
    check(tmp.returncode != 0 or int(tmp.out.split()[-1]) <= 256 << 20, "the memory of /tmp has no bound:", tmp.out)
    refused = place.run("--limits", "files=10", "true")
    check(refused.returncode != 0 and "limits.files" in refused.err, refused.err)


@case("S16 endless output is cut off, held nowhere, and its writer ended")
def _(place):
    marker = f"endless-{secrets.token_hex(4)}"
    child = place.start("--json", "--limits", "time=60s,output=1M", f"yes {marker}", stdin=subprocess.DEVNULL)
    out, _ = child.communicate(timeout=PATIENCE)
    result = json.loads(out)
    check(result["termination"]["reason"] == "output_cap" or result["termination"]["limit"] == "output", result["termination"])
    check(len(result["stdout"]) <= 1 << 20, len(result["stdout"]))
    check(not alive(marker), "it still runs")
    # What nobody reads is not collected: a reader that stops takes no memory.
    with running(place, f"yes {marker}", "--limits", "time=60s,output=0") as slow:
        slow.stdout.read(1 << 20)
        peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{slow.pid}/status").read_text())[1])
        check(peak < 100 << 10, f"{peak} KiB")
        slow.terminate()
    check(not alive(marker), "it still runs")


@case("S19 a time limit ends everything that was started, also what tried to get away")
def _(place):
    marker = f"98{secrets.randbelow(10**6):06}"
    ended = place.run("--limits", "time=1s", f"sleep {marker} & (busybox setsid sleep {marker} &) ; busybox nohup sleep {marker} & trap '' TERM INT HUP; sleep {marker}")
    check(ended.returncode == 124, ended.returncode, ended.err)
    check(not alive(marker), "it still runs")


def alive(marker):
    """Processes of the machine with this word on their command line, but for those of this test; gives them a moment to be reaped."""
    for _ in range(100):
        found = []
        for one in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = one.read_bytes().split(b"\0")
                if marker.encode() in words and b"run" not in words[:2]:
                    found.append(words)
        if not found:
            return []
        time.sleep(0.1)
    return found


# ---- what is asked for, and what images try

@case("S17 a runtime that the engine has not, or would ignore, is refused by name")
def _(place):
    for runtime in ("gvisor", "kata", "sysbox-runc", "no-such-runtime"):
        ended = place.run("--runtime", runtime, "echo ran")
        check(ended.returncode == 125 and "ran" not in ended.out and runtime in ended.err, runtime, ended.returncode, ended.out, ended.err)


@case("S20 an image that sets traps harms nobody outside")
def _(place):
    token = f"escaped-{secrets.token_hex(8)}"
    before = {one for one in os.listdir("/tmp")}
    for image in (TRAPPED_WORKSPACE, TRAPS):
        for profile in ("strict", "dev"):
            place.run("--profile", profile, f"echo {token} > /workspace/{token}; echo {token} > {token}", image=image)
    check(not any(token in one for one in set(os.listdir("/tmp")) - before), "a file of the container's is in /tmp")
    check(not pathlib.Path("/etc", token).exists() and not pathlib.Path("/", token).exists(), "a file of the container's is on the host")
    # The image's own idea of how to run is not followed.
    for profile in ("strict", "dev"):
        out = place.script("echo $TRAP; env; pwd; ls /data; sleep 3; ls /data; cat /proc/1/cmdline", "--profile", profile, image=TRAPS)
        check("trap" not in out and "health" not in out and "entrypoint" not in out and "\n/workspace\n" in out, out)
        agent = place.script("cat /proc/1/fd/0 /proc/1/environ 2>&1; ls /proc/1/fd /proc/1/cwd/ 2>&1; kill -9 1; kill -STOP 1; kill -TERM 1; echo > /proc/1/fd/1; echo alive", "--profile", profile, image=TRAPS)
        check(agent.count("ermission denied") >= 3 and agent.endswith("alive\n"), profile, agent)


@case("S22 secrets of a run are in nothing that the engine keeps or tells")
def _(place):
    secret = "secret-" + secrets.token_hex(12)
    place.secrets.append(secret)
    script = "cat > /workspace/file; echo ready; cat /workspace/file > /dev/null; while [ ! -e /workspace/stop ]; do sleep 0.1; [ $((i=${i:-0}+1)) -lt 30 ] || break; done"
    child = place.start("--env", f"TOKEN={secret}", script, stdin=subprocess.PIPE)
    began = int(time.time()) - 2
    child.stdin.write(secret.encode())
    child.stdin.close()
    started(child, "ready")
    told = []
    for one in place.containers():
        identity = one["Id"]
        for path in (f"/containers/{identity}/json", f"/containers/{identity}/logs?stdout=1&stderr=1", f"/containers/{identity}/changes", f"/containers/{identity}/top"):
            told.append(place.engine.request("GET", "/v1.41" + path)[1])
    check(told, "no container was there")
    child.wait(PATIENCE)
    child.stdout.close()
    child.stderr.close()
    for _ in range(50):   # Podman writes them to a file some time
        events = place.engine.request("GET", f"/v1.41/events?since={began}&until={int(time.time()) + 1}")[1]
        if b"create" in events:
            break
        time.sleep(0.1)
    check(b"create" in events or place.engine.name == "podman", "no events were told")
    told += [events, place.engine.log().encode()]
    check(all(secret.encode() not in one for one in told), "the secret was told")
    failed = place.run("--env", f"TOKEN={secret}", "echo hi", image="localhost/absent:1")
    check(failed.returncode != 0 and secret not in failed.err, failed.err)


@case("S23 an engine behind TLS is used only if everything about it is right")
def _(place):
    if place.engine.name != "docker":
        raise Skipped("Podman's service has no TLS")
    folder = place.folder / "tls"
    folder.mkdir()
    make_certificates(folder)
    port = free_port()
    served = engines_for_test.start_docker(place.folder / "tls", ["-H", f"tcp://127.0.0.1:{port}", "--tlsverify", "--tlscacert", f"{folder}/ca.pem", "--tlscert",
                                                                 f"{folder}/server.pem", "--tlskey", f"{folder}/server-key.pem"])
    try:
        served.import_image(engines_for_test.busybox_root(), *engines_for_test.IMAGE)

        def reach(host, files, **more):
            named = folder / files
            return place.run("echo reached", host="", environment=place.environment(DOCKER_HOST=host, DOCKER_TLS_VERIFY="1", DOCKER_CERT_PATH=str(named), **more))
        right = reach(f"tcp://127.0.0.1:{port}", "right")
        check(right.out == "reached\n", right.err)
        refusals = {}
        for name, host, files in (("wrong authority", f"tcp://127.0.0.1:{port}", "wrong-ca"), ("wrong host name", f"tcp://localhost:{port}", "right"),
                                  ("certificate of a stranger", f"tcp://127.0.0.1:{port}", "stranger")):
            ended = reach(host, files)
            check(ended.returncode == 125 and "reached" not in ended.out, name, ended.returncode, ended.err)
            refusals[name] = ended.err
        plain = place.run("echo reached", host=f"tcp://127.0.0.1:{port}")
        check(plain.returncode == 125 and "reached" not in plain.out, plain.err)
        refusals["plain"] = plain.err
        none = place.run("echo reached", host="", environment=place.environment(DOCKER_HOST=f"https://127.0.0.1:{port}", SSL_CERT_FILE=f"{folder}/ca.pem"))
        check(none.returncode == 125 and "reached" not in none.out, none.err)
        refusals["no certificate"] = none.err
        with old_server(folder) as old:
            ended = reach(f"tcp://127.0.0.1:{old}", "right")
        check(ended.returncode == 125 and "reached" not in ended.out, ended.err)
        refusals["TLS 1.1"] = ended.err
        # Of a client's certificate the server tells after the handshake, with the same alert whatever is wrong with it, or by just going away.
        by_alert = [refusals.pop("no certificate"), refusals.pop("certificate of a stranger")]
        check(all("certificate" in one or "connection broke" in one for one in by_alert), by_alert)
        refusals["alert"] = by_alert[0]
        check(len(set(refusals.values())) == len(refusals), "two refusals read the same:", json.dumps(refusals, indent=1))
        for text in refusals.values():
            check("127.0.0.1" in text or "localhost" in text, "the endpoint is not named:", text)
    finally:
        served.stop()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def make_certificates(folder):
    """ca, another ca, a server for 127.0.0.1, a client, and a client of the other ca; and directories as DOCKER_CERT_PATH takes them."""
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)
    for name in ("ca", "other"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}-key.pem", "-out", f"{name}.pem", "-days", "2",
                "-subj", f"/CN=test {name}", "-addext", "basicConstraints=critical,CA:TRUE")
    for name, authority, usage in (("server", "ca", "serverAuth\nsubjectAltName=IP:127.0.0.1"), ("client", "ca", "clientAuth"), ("stranger", "other", "clientAuth")):
        (folder / "extensions").write_text(f"extendedKeyUsage={usage}\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}-key.pem", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}-key.pem", "-CAcreateserial", "-days", "2", "-out", f"{name}.pem",
                "-extfile", "extensions")
    for name, authority, client in (("right", "ca", "client"), ("wrong-ca", "other", "client"), ("stranger", "ca", "stranger")):
        (folder / name).mkdir()
        for source, target in ((f"{authority}.pem", "ca.pem"), (f"{client}.pem", "cert.pem"), (f"{client}-key.pem", "key.pem")):
            shutil.copy(folder / source, folder / name / target)


@contextlib.contextmanager
def old_server(folder):
    """A server that speaks TLS 1.1 and nothing newer; its port."""
    warnings.simplefilter("ignore", DeprecationWarning)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.load_cert_chain(folder / "server.pem", folder / "server-key.pem")
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                one = listener.accept()[0]
            except OSError:
                return
            with contextlib.suppress(OSError), context.wrap_socket(one, server_side=True) as wrapped:
                wrapped.recv(1)
    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


@case("S21 no request of all the above has a field that opens a container")
def _(place):
    creates = found = 0
    for method, path, body in place.recorder.seen():
        creates += "/containers/create" in path
        found += 1
        said = recorder.objections(method, path, body)
        check(not said, said)
        check(not re.search(r"/containers/[^/?]+/exec", path), "an exec of the engine's:", path)
        if "/attach" not in path:   # what goes to the agent
            check(all(secret.encode() not in body and secret not in path for secret in place.secrets), "a secret was sent:", path)
    check(creates > 20 and found > 100, f"only {creates} creates of {found} requests were seen")
    check(recorder.objections("POST", "/containers/create", b'{"HostConfig":{"Privileged":true}}'), "the check has no teeth")


@case("S24 nothing is left behind")
def _(place):
    def left():
        names = [one["Names"][0] for one in place.containers()]
        networks = [one["Name"] for one in place.ask("GET", "/networks") if "paddock" in one["Name"]]
        volumes = [one["Name"] for one in (place.ask("GET", "/volumes").get("Volumes") or []) if not one["Name"].startswith("paddock-agent-")]
        processes = [one.parent.name for one in pathlib.Path("/proc").glob("[0-9]*/comm") if text_of(one).strip() == "paddock-guest"
                     and str(place.folder) in text_of(one.parent / "mountinfo")]
        files = os.listdir(place.temporary)
        return names + networks + volumes + processes + files
    for _ in range(200):   # an engine removes what ended a moment later
        found = left()
        if not found:
            return
        time.sleep(0.1)
    raise AssertionError(f"left: {found}")


def text_of(path):
    """Of a file of /proc; nothing when its process ends meanwhile."""
    with contextlib.suppress(OSError):
        return path.read_text(errors="replace")
    return ""


# ----

def with_entries(tar, entries):
    """A tar archive with more in it: (name, type, content or link target, mode)."""
    made = io.BytesIO(tar)
    with tarfile.open(fileobj=made, mode="a") as archive:
        for name, kind, content, mode in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = kind, mode
            if kind == tarfile.REGTYPE:
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
            else:
                entry.linkname = content
                archive.addfile(entry)
    return made.getvalue()


def import_images(engine, probe):
    root = engines_for_test.busybox_root()
    # What its configuration asks for must not be done, or not without limits.
    changes = ["ENV TRAP=trap", "ENV LD_PRELOAD=/trap.so", "VOLUME /data", "VOLUME /workspace/inner", "USER 0", 'ENTRYPOINT ["/bin/sh", "-c", "echo trap > /data/entrypoint"]', "WORKDIR /root",
               'CMD ["trap"]', *(["HEALTHCHECK --interval=1s --retries=1 CMD echo trap >> /data/health"] if engine.name == "docker" else [])]
    traps = [("data", tarfile.DIRTYPE, "", 0o777), ("bin/probe", tarfile.REGTYPE, probe.read_bytes(), 0o755), ("bin/setuid", tarfile.REGTYPE, probe.read_bytes(), 0o6755)]
    engine.import_image(with_entries(root, traps), "localhost/traps", "1", changes)
    with tarfile.open(fileobj=io.BytesIO(root)) as source:
        without = io.BytesIO()
        with tarfile.open(fileobj=without, mode="w") as target:
            for entry in source:
                if entry.name != "workspace":
                    target.addfile(entry, source.extractfile(entry) if entry.isreg() else None)
    engine.import_image(with_entries(without.getvalue(), [("workspace", tarfile.SYMTYPE, "../../../../../../tmp", 0o777)]), "localhost/trapped-workspace", "1")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paddock", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "paddock")
    parser.add_argument("--only", default="", metavar="RE")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    passed = failed = skipped = 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-attacks-", dir="/var/tmp"))   # where overlays can be
    try:
        probe = folder / "probe"
        subprocess.run(["gcc", "-O1", "-static", "-Wall", "-Wextra", "-o", probe, ROOT / "tests" / "security" / "containers" / "probe.c"], check=True)
        folder.chmod(0o755)
        with engines_for_test.started(folder) as engines:
            for name, reason in engines.missing.items():
                print(f"skip {name}: {reason}")
                skipped += 1
            for engine in engines.running:
                import_images(engine, probe)
                place = Place(engine, options.paddock.resolve(), folder / engine.name, probe)
                for name, function in CASES:
                    title = f"{engine.name}: {name}"
                    if not re.search(options.only, title):
                        continue
                    began = time.monotonic()
                    try:
                        function(place)
                        passed += 1
                        if options.verbose:
                            print(f"ok {title} ({time.monotonic() - began:.1f} s)", flush=True)
                    except Skipped as reason:
                        skipped += 1
                        print(f"skip {title}: {reason}", flush=True)
                    except Exception as error:
                        failed += 1
                        print(f"FAIL {title}: {error if isinstance(error, AssertionError) else traceback.format_exc()}", flush=True)
                place.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
