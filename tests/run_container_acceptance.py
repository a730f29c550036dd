#!/usr/bin/env python3
"""What docs/containers-acceptance.md says of containers, line by line: settings, execs and files by the tools of a session, and faults of an engine, on a
real Docker Engine and a real Podman. Each case begins with the lines that it shows.

    run_container_acceptance.py [--paddock FILE] [--only RE] [--engine NAME]

Takes root. An engine that is not installed is skipped, with the reason. The last line is "N passed, N failed, N skipped".
"""

import base64
import concurrent.futures
import contextlib
import io
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.parse

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent / "security")]
sys.dont_write_bytecode = True
import engines_for_test  # noqa: E402
from containers.recorder import Recorder  # noqa: E402
from daemon_for_test import Skipped  # noqa: E402
from run_containers import IMAGE, begin, count, deployment, eventually, inspect, out, run, run_on_engines, session, things, tool  # noqa: E402

CASES = []
EIGHT = ["sandbox_create", "sandbox_exec", "sandbox_read_file", "sandbox_write_file", "sandbox_upload", "sandbox_download", "sandbox_list", "sandbox_manage"]


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


class Box:
    """A session with one container, by its tools."""

    def __init__(self, daemon, engine, config=None, **settings):
        begin(daemon, engine, **settings)
        self.daemon = daemon
        self.session = session(daemon, capabilities=[{"ref": "container_sandbox", "config": config or {}}])
        made = self.call("create")
        assert not made["is_error"], made
        self.id = made["structured"]["sandbox_id"]

    def call(self, what, **arguments):
        return tool(self.daemon, self.session, "sandbox_" + what, **arguments)

    def exec(self, command, **arguments):
        """What became of a command; that the tool itself failed is an error of the case."""
        told = self.call("exec", command=command, **arguments)
        assert not told["is_error"], told
        return told["structured"]

    def shell(self, command, **arguments):
        ended = self.exec(command, **{"output": "full", **arguments})
        assert ended["exit_code"] == 0, ended
        return ended["stdout"]

    def fails(self, what, *words, **arguments):
        began = time.monotonic()
        told = self.call(what, **arguments)
        assert told["is_error"] and all(word in told["content"] for word in words), (str(arguments)[:300], words, told)
        assert time.monotonic() - began < 10, "it took its time"
        return told["content"]

    def content(self, path):
        """A file's bytes, past the tools."""
        reply = self.daemon.ask("GET", f"/v1/sandboxes/{self.id}/files/content?path={urllib.parse.quote(path, safe='')}")
        assert reply.status == 200, reply
        return reply.body

    def processes(self, name):
        return self.shell(f"grep -lx {name} /proc/[0-9]*/comm 2>/dev/null; true").split()


# ---- contract and configuration

@case("C2 either flag turns containers on, and the new one wins")
def flags(daemon, engine):
    for new, old, is_on in (("true", None, True), (None, "true", True), ("false", "true", False), (None, None, False)):
        begin(daemon, engine)
        daemon.stop()
        for name, value in (("FEATURE_CONTAINER_SANDBOX", new), ("FEATURE_DOCKER_CAPABILITY", old)):
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        try:
            daemon.start("--config", str(daemon.data.parent / "paddock.toml"))
        finally:
            for name in ("FEATURE_CONTAINER_SANDBOX", "FEATURE_DOCKER_CAPABILITY"):
                os.environ.pop(name, None)
        reply = daemon.ask("POST", "/v1/sessions", {"capabilities": ["container_sandbox"]})
        assert (reply.status == 201) == is_on, (new, old, reply)
        if not is_on:
            assert "FEATURE_CONTAINER_SANDBOX" in reply.json()["error"]["message"], reply
        daemon.stop()


@case("C4 an argument that is wrong is named, and the engine hears nothing of it")
def arguments(daemon, engine):
    recorder = Recorder(engine.socket, daemon.data.parent / "recorded.sock")
    try:
        begin(daemon, engine, docker_host=f"unix://{recorder.path}")
        where = session(daemon, harness="coding-container")
        tools = {one["name"]: one["input_schema"] for one in daemon.ask("GET", f"/v1/sessions/{where}/tools?format=neutral").json()["tools"]}
        assert set(EIGHT) <= set(tools), tools.keys()
        good = {"command": "true", "path": "/workspace/x", "content": "x", "session_path": "/x", "container_path": "/workspace/x", "action": "stop"}
        tried = 0
        for name in EIGHT:
            schema = tools[name]
            needed = {key: good[key] for key in schema.get("required", [])}
            wrong = [({**needed, "bogus_key": 1}, "bogus_key")]
            wrong += [({other: value for other, value in needed.items() if other != key}, key) for key in needed]
            for key, rule in schema["properties"].items():
                wrong.append(({**needed, key: 7 if rule.get("type") == "array" else [[1]]}, key))
                if "minimum" in rule:
                    wrong.append(({**needed, key: rule["minimum"] - 1}, key))
                if "maximum" in rule:
                    wrong.append(({**needed, key: rule["maximum"] + 1}, key))
                if "enum" in rule:
                    wrong.append(({**needed, key: "bogus"}, key))
                if "maxLength" in rule and rule["maxLength"] < 1 << 20:
                    wrong.append(({**needed, key: "a" * (rule["maxLength"] + 1)}, key))
            for given, key in wrong:
                told = tool(daemon, where, name, **given)
                assert told["is_error"] and key in told["content"], (name, given, told)
                tried += 1
        assert tried > 80, tried
        assert not list(recorder.seen()), list(recorder.seen())[:3]
    finally:
        recorder.close()


class Counter:
    """A socket that hangs up on whoever comes, and counts."""

    def __init__(self, path):
        self.path, self.hits = str(path), 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                self.listener.accept()[0].close()
                self.hits += 1


@case("C5 the option wins over CONTAINER_SANDBOX_DOCKER_HOST, that over DOCKER_HOST")
def precedence(daemon, _engine):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-hosts-"))
    sockets = {name: Counter(folder / name) for name in ("option", "own", "docker")}
    try:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DOCKER_", "CONTAINER_SANDBOX_"))}
        variables = {"CONTAINER_SANDBOX_DOCKER_HOST": f"unix://{folder}/own", "DOCKER_HOST": f"unix://{folder}/docker"}
        for left, words in (("option", ["--docker-host", f"unix://{folder}/option"]), ("own", []), ("docker", [])):
            if left == "docker":
                del variables["CONTAINER_SANDBOX_DOCKER_HOST"]
            before = {name: one.hits for name, one in sockets.items()}
            ran = subprocess.run([daemon.paddock, "run", "-i", "container", *words, "true"], env={**kept, **variables}, capture_output=True, text=True, timeout=60)
            assert ran.returncode == 125, ran
            assert eventually(lambda: sockets[left].hits > before[left]), (left, ran)
            assert all(one.hits == before[name] for name, one in sockets.items() if name != left), {name: one.hits for name, one in sockets.items()}
    finally:
        for one in sockets.values():
            one.listener.close()
        shutil.rmtree(folder)


@case("E9 an engine beyond this machine is refused without TLS, and only allow_insecure lets it be tried")
def insecure(daemon, engine):
    ran = subprocess.run([daemon.paddock, "run", "-i", "container", "--docker-host", "tcp://192.0.2.1:2375", "true"], capture_output=True, text=True, timeout=30)
    assert ran.returncode == 2 and "plain TCP beyond this machine" in ran.stderr, ran
    told = ""
    try:
        begin(daemon, engine, docker_host="tcp://192.0.2.1:2375")
    except AssertionError as error:
        told = str(error)
    assert "it ended" in told and "plain TCP beyond this machine" in told and "allow_insecure" in told, told
    begin(daemon, engine, docker_host="tcp://192.0.2.1:2375", allow_insecure="yes")   # it is the operator's to say


@case("C6 limits are read as people write them, and refused by their key")
def limits(daemon, engine):
    begin(daemon, engine, cpus=2)
    for config, memory, cpus in (({"memory_limit": "1g", "cpu_limit": "1.5"}, 1 << 30, 1_500_000_000), ({"memory_limit": 2147483648, "cpu_limit": 500000000}, 2147483648, 500_000_000)):
        where = session(daemon, capabilities=[{"ref": "container_sandbox", "config": config}])
        made = tool(daemon, where, "sandbox_create")
        assert not made["is_error"], made
        host = inspect(engine, things(engine, deployment(daemon))["container"][0]["Id"])["HostConfig"]
        assert (host["Memory"], host["NanoCpus"]) == (memory, min(cpus, os.cpu_count() * 1_000_000_000)), host
        assert not tool(daemon, where, "sandbox_manage", action="remove")["is_error"]
    for key, values in (("memory_limit", [0, -1, "2x", "", True]), ("cpu_limit", [0, -1, "2x", ""]), ("pids_limit", [0, -1, "2x"])):
        for value in values:
            reply = daemon.ask("POST", "/v1/sessions", {"capabilities": [{"ref": "container_sandbox", "config": {key: value}}]})
            assert reply.status == 400 and key in reply.json()["error"]["message"], (key, value, reply)


@case("C8 the harness coding-container has containers and session storage, and is there only with the flag")
def harness(daemon, engine):
    begin(daemon, engine)
    names = {one["name"] for one in daemon.ask("GET", f"/v1/sessions/{session(daemon, harness='coding-container')}/tools").json()["tools"]}
    assert set(EIGHT) | {"kv_store", "read_file", "write_file"} <= names, names
    daemon.stop()
    begin(daemon, engine, features=False)
    reply = daemon.ask("POST", "/v1/sessions", {"harness": "coding-container"})
    assert reply.status >= 400 and "FEATURE_CONTAINER_SANDBOX" in reply.json()["error"]["message"], reply


# ---- execs

@case("X1 streams apart, the exit code, and a call that is fine although the command failed")
def streams(daemon, engine):
    ended = Box(daemon, engine).exec("echo out; echo err >&2; exit 7")
    assert (ended["stdout"], ended["stderr"], ended["exit_code"], ended["success"]) == ("out\n", "err\n", 7, False), ended


@case("X2, X4 a time limit ends all that was started; a background child does not hold a command up")
def timeouts(daemon, engine):
    box = Box(daemon, engine)
    began = time.monotonic()
    ended = box.exec("(setsid sleep 999 &) ; sleep 999", timeout_ms=1000)
    took = time.monotonic() - began
    assert ended["timed_out"] and ended["exit_code"] is None and took < 3, (took, ended)
    assert box.processes("sleep") == []
    began = time.monotonic()
    ended = box.exec("sleep 60 & echo hi")
    took = time.monotonic() - began
    assert ended["exit_code"] == 0 and ended["stdout"] == "hi\n" and took < 5, (took, ended)


def peak(pid):
    return int(next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")).split()[1]) << 10


@case("X3 endless output takes no memory of the daemon's, is told as cut, and its writer ends")
def endless(daemon, engine):
    box = Box(daemon, engine)
    box.exec("yes | head -c 1000000")
    before = peak(daemon.child.pid)
    ended = box.exec("yes", timeout_ms=5000)
    assert ended["truncated"]["stdout"] and ended["exit_code"] is None and ended["ended_by"] in ("timeout", "output_cap"), {**ended, "stdout": ""}
    assert peak(daemon.child.pid) - before < 32 << 20, (before, peak(daemon.child.pid))
    assert box.processes("yes") == []


@case("X5 stdin of a megabyte, to who reads it and to who does not")
def stdin(daemon, engine):
    box = Box(daemon, engine)
    text = "x" * (1 << 20)
    assert box.exec("true", stdin=text)["exit_code"] == 0
    assert box.exec("cat | wc -c", stdin=text)["stdout"].strip() == "1048576"
    began = time.monotonic()
    ended = box.exec("sleep 5", stdin=text, timeout_ms=1000)
    assert ended["timed_out"] and time.monotonic() - began < 4, ended
    box.fails("exec", "stdin", command="true", stdin=text + "x")


@case("X6 whatever a command writes becomes clean text")
def cleaned(daemon, engine):
    box = Box(daemon, engine)
    ended = box.exec(r"""printf 'a\000b\377c \033[31mred\033[0m \033]0;title\007end\n'; printf '10%%\r50%%\r100%%\n'""")
    assert ended["stdout"] == "ab\ufffdc red end\n100%\n", ended
    assert box.exec("head -c 100000 /dev/urandom", output="full")["exit_code"] == 0


@case("X7 output keeps to its budget, a fifth of it from the head, and all of it lies in session files")
def budgets(daemon, engine):
    box = Box(daemon, engine)
    for mode, most in (("silent", 200), ("concise", 2 << 10), ("normal", 8 << 10), ("verbose", 16 << 10), ("full", 64 << 10), ("auto", 384)):
        ended = box.exec("seq 1 100000", output=mode)
        shown = ended["stdout"].encode()
        assert most * 0.7 < len(shown) <= most and ended["truncated"]["stdout"], (mode, len(shown))
        head = shown.split(b"\n[")[0] if mode != "silent" else b""
        assert mode == "silent" or most * 0.1 < len(head) < most * 0.25, (mode, len(head))
        assert shown.startswith(b"1\n2\n") and shown.endswith(b"99999\n100000\n"), (mode, shown[:40], shown[-40:])
        stat = tool(daemon, box.session, "stat_file", path=ended["output_files"][0])["structured"]
        assert stat["size_bytes"] == 588895, stat
    assert len(box.exec("seq 1 100000; exit 1")["stdout"]) > 6000, "of a failure more is shown"
    kept = box.exec("yes | head -c 3000000")["output_files"][0]
    assert tool(daemon, box.session, "stat_file", path=kept)["structured"]["size_bytes"] <= 1 << 20


@case("X8 a command of 127 KiB runs, one that is too long is refused by its length")
def long_commands(daemon, engine):
    box = Box(daemon, engine)
    for size in (127 << 10, (128 << 10) - 1):
        command = "echo ok #"
        assert box.exec(command + "x" * (size - len(command)))["stdout"] == "ok\n", size
    for size in (128 << 10, 129 << 10):
        box.fails("exec", "command", "131071", command="#" + "x" * (size - 1))


@case("X9 an image without a shell: a clear error, and no result that was made up")
def no_shell(daemon, engine):
    bare = io.BytesIO()
    with tarfile.open(fileobj=bare, mode="w") as tar:
        for name in ("proc", "sys", "dev", "etc", "tmp", "workspace"):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
    engine.import_image(bare.getvalue(), "localhost/bare", "1")
    box = Box(daemon, engine, {"image": "localhost/bare:1"})
    told = box.call("exec", command="echo hi")
    assert told["is_error"] and "'/bin/sh'" in told["content"], told
    assert not box.call("write_file", path="/workspace/f", content="files work all the same\n")["is_error"]
    assert "all the same" in box.call("read_file", path="/workspace/f")["content"]


@case("X10 a working directory and a user that are not there are named")
def no_directory(daemon, engine):
    box = Box(daemon, engine)
    box.fails("exec", "/no/such", command="true", working_dir="/no/such")
    box.fails("exec", "user", command="true", user="nobody-here")


@case("X11 sixteen at a time, fifty times: each sees its own")
def parallel(daemon, engine):
    box = Box(daemon, engine)

    def one(number):
        ended = daemon.run(box.id, f"echo token-{number}; sleep 0.0{number % 5}; echo token-{number} >&2")
        return (ended["stdout"], ended["stderr"], ended["exit_code"]) == (f"token-{number}\n", f"token-{number}\n", 0)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert all(pool.map(one, range(16 * 50)))


@case("X12 who takes more memory than there is is ended and told; the next one is fine")
def memory(daemon, engine):
    box = Box(daemon, engine, {"memory_limit": "64m"})
    ended = box.exec("tail /dev/zero", timeout_ms=60000)
    assert ended["oom_killed"] and not ended["success"] and ended["exit_code"] in (None, 137), ended
    assert box.shell("echo fine") == "fine\n"


@case("X13 the tool of a sandbox that is removed under it says so")
def removed(daemon, engine):
    box = Box(daemon, engine)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(box.call, "exec", command="touch begun; sleep 100")
        assert eventually(lambda: daemon.ask("GET", f"/v1/sandboxes/{box.id}/files/content?path=/workspace/begun").status == 200)
        assert not box.call("manage", action="remove", force=True)["is_error"]
        told = running.result(30)
    assert told["is_error"] or told["structured"]["exit_code"] in (None, 137), told
    box.fails("exec", "sandbox_create", command="true")
    assert not box.call("manage", action="remove", sandbox_id=box.id)["is_error"], "L13: twice is as good as once"
    assert count(things(engine, deployment(daemon))) == 0


@case("X14 five hundred execs leave no zombie and no descriptor")
def many(daemon, engine):
    box = Box(daemon, engine)
    descriptors = lambda: len(os.listdir(f"/proc/{daemon.child.pid}/fd"))  # noqa: E731
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: out(daemon.run(box.id, "(true &); true")), range(20)))
        before = descriptors()
        list(pool.map(lambda _: out(daemon.run(box.id, "(true &); true")), range(500)))
    assert eventually(lambda: descriptors() <= before + 5), (before, descriptors())
    zombies = box.shell("for f in /proc/[0-9]*/stat; do read -r l < $f || continue; case \"$l\" in *') Z '*) echo \"$l\";; esac; done 2>/dev/null; true")
    assert zombies == "", zombies


def engine_exec(engine, container, *command):
    status, body = engine.request("POST", f"/v1.41/containers/{container}/exec", json.dumps({"Cmd": list(command), "AttachStdout": True, "AttachStderr": True}), {"Content-Type": "application/json"})
    assert status == 201, body
    number = json.loads(body)["Id"]
    status, said = engine.request("POST", f"/v1.41/exec/{number}/start", json.dumps({"Detach": False, "Tty": False}), {"Content-Type": "application/json"})
    assert status == 200, said
    assert json.loads(engine.request("GET", f"/v1.41/exec/{number}/json")[1])["ExitCode"] == 0
    return said


@case("X15 an exec takes no longer than the engine's own")
def overhead(daemon, engine):
    box = Box(daemon, engine)
    container = things(engine, deployment(daemon))["container"][0]["Id"]

    def median(act):
        times = []
        for _ in range(15):
            began = time.monotonic()
            act()
            times.append(time.monotonic() - began)
        return statistics.median(times) * 1000
    ours = median(lambda: out(daemon.run(box.id, "true")))
    theirs = median(lambda: engine_exec(engine, container, "true"))
    print(f"     ours {ours:.1f} ms, the engine's {theirs:.1f} ms")
    assert ours <= theirs + 10, (ours, theirs)


# ---- files

@case("F1, F2, F8 what is written is what is read, belongs to the user, and has a size")
def round_trip(daemon, engine):
    box = Box(daemon, engine)
    noise = os.urandom(4 << 20)
    for path, content in (("plain.txt", b"one\ntwo\n"), ("empty", b""), ("binary", noise), ("n\u00e4me \u65e5\u672c", b"x"), ("n" * 200, b"y"), ("with spaces and 'quotes\"", b"z"), ("line\nbreak", b"w"),
                          ("deep/er/still", b"v")):
        told = box.call("write_file", path="/workspace/" + path, content=base64.b64encode(content).decode(), encoding="base64")
        assert not told["is_error"], (path, told)
        assert box.content("/workspace/" + path) == content, path
        assert box.exec("cat \"$P\" | wc -c", env={"P": "/workspace/" + path})["stdout"].strip() == str(len(content)), path
    box.fails("write_file", "4", path="/workspace/big", content=base64.b64encode(noise + b"x").decode(), encoding="base64")
    assert box.shell("ls /workspace/big 2>&1; true").strip() != "/workspace/big", "F2: nothing of it is there"
    assert box.shell("stat -c '%u:%g %a' plain.txt deep deep/er/still") == "1000:1000 644\n1000:1000 755\n1000:1000 644\n"
    assert not box.call("write_file", path="/workspace/run", content="#!/bin/sh\necho ran\n", mode="0755")["is_error"]
    assert box.shell("./run; stat -c %a run") == "ran\n755\n"
    box.fails("write_file", "mode", path="/workspace/suid", content="x", mode="4755")


@case("F3 lines are numbered, and cut where the schema says")
def lines(daemon, engine):
    box = Box(daemon, engine)
    read = lambda **more: box.call("read_file", path="/workspace/f", **more)  # noqa: E731
    box.shell("printf 'a\\r\\nb\\nc' > f")
    told = read()["structured"]
    assert (told["total_lines"], told["truncated"], told["size_bytes"]) == (3, False, 6), told
    assert told["content"].splitlines() == ["1|a", "2|b", "3|c"] or told["content"].split("\n")[0] in ("1|a\r", "1|a"), told
    assert read(offset=1, limit=1)["structured"]["content"].startswith("2|b"), read(offset=1, limit=1)
    assert read(offset=2)["structured"]["lines_shown"]["end"] == 3
    beyond = read(offset=3)
    assert beyond["is_error"] or beyond["structured"]["content"] == "", beyond
    box.fails("read_file", "limit", path="/workspace/f", limit=0)
    box.fails("read_file", "offset", path="/workspace/f", offset=-1)
    box.shell("head -c 1048576 /dev/zero | tr '\\0' x > f")
    told = read()
    assert len(json.dumps(told["structured"]["content"])) < 52 << 10 and told["structured"]["truncated"], len(told["content"])
    box.shell("seq 1 30000 > f")
    told = read()["structured"]
    assert told["lines_shown"]["end"] == 2000 and told["total_lines"] == 30000 and told["truncated"], {**told, "content": ""}
    assert len(read(limit=30000)["structured"]["content"]) <= 50 << 10


@case("F4 what is no file is an error, at once")
def no_files(daemon, engine):
    box = Box(daemon, engine)
    box.shell("mkdir d; ln -s nothing dangling; ln -s /etc/shadow shadow; mkfifo pipe; ln -s loop loop; printf '\\000\\001' > binary")
    for path, words in (("/workspace/d", "directory"), ("/workspace/absent", "absent"), ("/workspace/dangling", "dangling"), ("/workspace/shadow", "shadow"), ("/workspace/pipe", ""), ("/dev/zero", ""),
                        ("/proc/kmsg", ""), ("/workspace/loop", "loop")):
        box.fails("read_file", words, path=path)
    told = box.call("read_file", path="/workspace/binary")
    assert not told["is_error"] and "\0" not in json.dumps(told["structured"].get("content") or ""), told
    assert told["structured"]["size_bytes"] == 2, told
    box.fails("write_file", "d", path="/workspace/d", content="x")
    box.fails("write_file", path="/workspace/plain/", content="x")


@case("F5 odd paths mean what they mean, or are refused")
def paths(daemon, engine):
    box = Box(daemon, engine)
    box.fails("write_file", "/etc/x", path="/workspace/../etc/x", content="x")
    assert not box.call("write_file", path="//workspace//./x", content="x\n")["is_error"]
    assert box.shell("cat /workspace/x") == "x\n"
    for path in ("relative", "", "workspace/x", "/workspace/\0x", "/" + "a" * 5000):
        for what, more in (("read_file", {}), ("write_file", {"content": "x"})):
            box.fails(what, "path", path=path, **more)


@case("F6, F7 what is written to /tmp is there, and to the root it is refused")
def places(daemon, engine):
    box = Box(daemon, engine)
    assert not box.call("write_file", path="/tmp/f", content="in memory\n")["is_error"]
    assert box.shell("cat /tmp/f; grep -c ' /tmp tmpfs' /proc/mounts") == "in memory\n1\n"
    assert "in memory" in box.call("read_file", path="/tmp/f")["content"]
    box.fails("write_file", "/etc/x", path="/etc/x", content="x")
    assert box.exec("echo x > /etc/x")["exit_code"] != 0
    assert box.shell("echo x > /workspace/x; cat /workspace/x") == "x\n"


@case("F9 files of one at rest: told in the same words on each engine")
def stopped_files(daemon, engine):
    box = Box(daemon, engine)
    assert not box.call("write_file", path="/workspace/f", content="kept\n")["is_error"]
    assert not box.call("manage", action="stop")["is_error"]
    for what, more in (("read_file", {}), ("write_file", {"content": "x"}), ("exec", {"command": "true", "path": None})):
        arguments = {key: value for key, value in {"path": "/workspace/f", **more}.items() if value is not None}
        told = box.fails(what, **arguments)
        assert "stopped" in told and "start" in told, told
    assert not box.call("manage", action="start")["is_error"]
    assert "kept" in box.call("read_file", path="/workspace/f")["content"]


@case("F10 a full disk: an error, and what was there stays whole")
def full(daemon, engine):
    box = Box(daemon, engine, tmp="8MiB")
    three = "x" * (3 << 20)
    for name in ("a", "b"):
        assert not box.call("write_file", path=f"/tmp/{name}", content=three)["is_error"]
    box.fails("write_file", "space", path="/tmp/c", content=three)
    box.fails("write_file", "space", path="/tmp/a", content="y" * (3 << 20))
    assert box.shell("ls -A /tmp; head -c 1 /tmp/a; wc -c < /tmp/a").split() == ["a", "b", "x3145728"] or box.shell("ls -A /tmp").split() == ["a", "b"], box.shell("ls -lA /tmp")
    assert box.content("/tmp/a") == three.encode()


@case("F12 up and down: bytes as they are, and what is not there is named")
def transfers(daemon, engine):
    box = Box(daemon, engine)
    noise = os.urandom(100_000)
    box.call("write_file", path="/workspace/noise", content=base64.b64encode(noise).decode(), encoding="base64")
    down = box.call("download", container_path="/workspace/noise", session_path="/kept/noise")
    assert not down["is_error"] and down["structured"]["encoding"] == "base64" and down["structured"]["bytes"] == len(noise), down
    assert not box.call("upload", session_path="/kept/noise", container_path="/workspace/back")["is_error"]
    assert box.content("/workspace/back") == noise
    box.fails("upload", "/kept/absent", session_path="/kept/absent", container_path="/workspace/x")
    box.fails("download", "/workspace/absent", container_path="/workspace/absent", session_path="/x")
    box.fails("write_file", "content", path="/workspace/x", content="no base64 !", encoding="base64")


@case("F11 a tree that code inside made out of links and special files brings nothing else out")
def hostile_tree(daemon, engine):
    box = Box(daemon, engine)
    box.shell("mkdir -p t/d; cd t; echo one > d/one; ln -s /etc/passwd link; ln -s ../../.. up; ln -s d through; mkfifo pipe; ln d/one hard")
    told = box.call("download", container_path="/workspace/t", session_path="/t", recursive=True)
    assert not told["is_error"] and told["structured"]["files"] == 2 and told["structured"]["skipped"] == 4, told
    listed = tool(daemon, box.session, "list_directory", path="/t")
    assert [one["path"] for one in listed["structured"]["entries"]] == ["/t/d", "/t/hard"], listed
    assert [one["path"] for one in tool(daemon, box.session, "list_directory", path="/t/d")["structured"]["entries"]] == ["/t/d/one"]
    box.shell("mkdir many; cd many; i=0; while [ $i -lt 1001 ]; do : > $i; i=$((i+1)); done")
    box.fails("download", "1000", container_path="/workspace/many", session_path="/many", recursive=True)
    box.shell("mkdir large; dd if=/dev/zero of=large/f bs=1M count=0 seek=1000 2>/dev/null")
    box.fails("download", container_path="/workspace/large", session_path="/large", recursive=True)
    assert tool(daemon, box.session, "stat_file", path="/large")["is_error"], "nothing of it is there"


# ---- inside

@case("7.7 what a container's processes see of their wall")
def inside(daemon, engine):
    box = Box(daemon, engine)
    status = box.shell("grep -E 'Cap(Eff|Bnd)|NoNewPrivs|Seccomp:' /proc/self/status").split()
    assert status == ["CapBnd:", "0000000000000000", "NoNewPrivs:", "1", "Seccomp:", "2"] or dict(zip(status[::2], status[1::2])) == {
        "CapEff:": "0" * 16, "CapBnd:": "0" * 16, "NoNewPrivs:": "1", "Seccomp:": "2"}, status
    assert box.shell("cat /sys/fs/cgroup/pids/pids.max 2>/dev/null || cat /sys/fs/cgroup/pids.max").strip() == "256"
    assert box.shell("cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max").strip() == str(2 << 30)
    assert len(box.shell("cat /proc/self/uid_map").split()) == 3
    assert box.shell("cat /proc/net/route | wc -l; ls /sys/class/net").split() == ["1", "lo"], "no route, only the loopback"
    ended = box.exec(":(){ :|:& };:", timeout_ms=5000)
    assert box.shell("echo ok") == "ok\n", ended
    assert box.shell("ls -d /var/run/docker.sock /run/docker.sock /run/podman/podman.sock 2>/dev/null; true") == ""
    host = inspect(engine, things(engine, deployment(daemon))["container"][0]["Id"])["HostConfig"]
    assert host["Privileged"] is False and host["PidMode"] not in ("host",) and host["NetworkMode"] == "none", host
    assert not [bind for bind in host.get("Binds") or [] if bind.startswith("/")], host
    dropped = host["CapDrop"] or []
    assert dropped == ["ALL"] or len(dropped) > 10, host   # Podman tells them by name
    assert not box.call("manage", action="remove")["is_error"]
    assert count(things(engine, deployment(daemon))) == 0


# ---- faults of an engine

@case("L12 the engine is killed and starts again: files are there, and the next exec works")
def engine_killed(daemon, engine):
    box = Box(daemon, engine)
    box.shell("echo kept > file")
    engine.kill_and_restart()

    def works():
        told = box.call("exec", command="cat file")
        return not told["is_error"] and told["structured"]["stdout"] == "kept\n"
    assert eventually(works, 60), box.call("exec", command="cat file")
    assert not box.call("manage", action="remove")["is_error"]
    assert count(things(engine, deployment(daemon))) == 0


class Faulty(Recorder):
    """As the recorder, but that some requests are answered by an error of the engine's."""

    def __init__(self, upstream, path):
        self.fails = lambda _method, _path: False
        self.refused = 0
        super().__init__(upstream, path)

    def serve(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.one, args=(client,), daemon=True).start()

    def one(self, client):
        head = b""
        while b"\r\n" not in head:
            piece = client.recv(1 << 16)
            if not piece:
                client.close()
                return
            head += piece
        words = head.split(b"\r\n")[0].decode("latin-1").split(" ")
        if self.fails(words[0], words[1]):
            self.refused += 1
            text = b'{"message":"device or resource busy"}'
            with contextlib.suppress(OSError):
                client.sendall(b"HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " + str(len(text)).encode() + b"\r\n\r\n" + text)
            client.close()
            return
        server = socket.socket(socket.AF_UNIX)
        server.connect(self.upstream)
        server.sendall(head)
        threading.Thread(target=self.carry, args=(server, client, None), daemon=True).start()
        self.carry(client, server, None)


@case("twenty containers are stopped side by side when the daemon ends")
def ends(daemon, engine):
    faulty = Faulty(engine.socket, daemon.data.parent / "faulty.sock")
    lock, together, most = threading.Lock(), 0, 0
    met = threading.Event()

    def meet(method, path):   # holds whoever looks whether one has ended until another one looks
        nonlocal together, most
        if method == "GET" and "/containers/" in path and path.endswith("/json"):
            with lock:
                together += 1
                most = max(most, together)
            if most > 1:
                met.set()
            met.wait(5)
            with lock:
                together -= 1
        return False
    try:
        begin(daemon, engine, docker_host=f"unix://{faulty.path}")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: daemon.make(isolation="container"), range(20)))
        faulty.fails = meet
        began = time.monotonic()
        assert daemon.stop() == 0
        print(f"     {time.monotonic() - began:.2f} s, {most} at once")
        assert met.is_set(), most
        states = [one["State"] for one in things(engine, deployment(daemon))["container"]]
        assert len(states) == 20 and "running" not in states, states
    finally:
        daemon.stop()
        faulty.close()


@case("L14 an engine that refuses to remove: the sandbox stays known, and removing it again works")
def remove_fails(daemon, engine):
    faulty = Faulty(engine.socket, daemon.data.parent / "faulty.sock")
    try:
        begin(daemon, engine, docker_host=f"unix://{faulty.path}")
        box = daemon.make(isolation="container")
        faulty.fails = lambda method, path: method == "DELETE" and "/containers/" in path
        reply = daemon.ask("DELETE", f"/v1/sandboxes/{box}")
        assert reply.status >= 400 and "busy" in reply.json()["error"]["message"] and faulty.refused > 0, reply
        assert daemon.ask("GET", f"/v1/sandboxes/{box}").json()["state"] == "deleting"
        assert len(things(engine, deployment(daemon))["container"]) == 1
        faulty.fails = lambda _method, _path: False
        assert daemon.ask("DELETE", f"/v1/sandboxes/{box}").status in (200, 204)
        assert count(things(engine, deployment(daemon))) == 0
        # By a lease it is tried again by itself; over a new start, too.
        faulty.fails = lambda method, path: method == "DELETE" and "/containers/" in path
        refused = faulty.refused
        box = daemon.make(isolation="container", lease={"ttl": "1s", "on_expiry": "delete"})
        assert eventually(lambda: faulty.refused > refused + 1), faulty.refused
        faulty.fails = lambda _method, _path: False
        assert eventually(lambda: daemon.ask("GET", f"/v1/sandboxes/{box}").status == 404)
        assert eventually(lambda: count(things(engine, deployment(daemon))) == 0)
    finally:
        daemon.stop()
        faulty.close()


@case("L6 a start that fails leaves nothing")
def start_fails(daemon, engine):
    faulty = Faulty(engine.socket, daemon.data.parent / "faulty.sock")
    try:
        begin(daemon, engine, docker_host=f"unix://{faulty.path}", network="isolated")
        daemon.ask("DELETE", f"/v1/sandboxes/{daemon.make(isolation='container')}")   # what is made once is there
        for step in ("/start", "/attach", "/containers/create", "/volumes/create", "/networks/create"):
            refused = faulty.refused
            faulty.fails = lambda method, path, step=step: method == "POST" and step in path
            reply = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container"})
            assert reply.status >= 400 and "busy" in reply.json()["error"]["message"] and faulty.refused > refused, (step, reply)
            faulty.fails = lambda _method, _path: False
            assert count(things(engine, deployment(daemon))) == 0, (step, things(engine, deployment(daemon)))
        assert daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"] == []
        daemon.make(isolation="container")
    finally:
        daemon.stop()
        faulty.close()


@case("L15 leases that run out while clients delete: each goes once")
def two_cleaners(daemon, engine):
    begin(daemon, engine)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: daemon.make(isolation="container", lease={"ttl": "1s", "on_expiry": "delete"}), range(16)))
        replies = list(pool.map(lambda one: daemon.ask("DELETE", f"/v1/sandboxes/{one}"), [one for one in made for _ in range(2)]))
    assert {one.status for one in replies} <= {200, 204, 404}, replies
    assert eventually(lambda: not daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"])
    assert count(things(engine, deployment(daemon))) == 0
    events = [one["subject"] for one in daemon.ask("GET", "/v1/events?limit=1000").json()["events"] if one["type"] == "sandbox.deleted"]
    assert sorted(events) == sorted(made), (len(events), len(made))


@case("L16 more sandboxes than an engine has networks for")
def no_networks_left(daemon, engine):
    if engine.name != "docker":
        raise Skipped("its pools are of another kind")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-pool-", dir="/var/tmp"))
    small = None
    try:
        (folder / "docker").mkdir()
        small = engines_for_test.start_docker(folder / "docker", pool="base=10.213.0.0/27,size=28")   # two
        small.import_image(engines_for_test.busybox_root(), *engines_for_test.IMAGE)
        begin(daemon, small, network="isolated")
        for _ in range(2):
            daemon.make(isolation="container")
        before = things(small, deployment(daemon))
        reply = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container"})
        assert reply.status >= 400 and "network" in reply.json()["error"]["message"], reply
        assert things(small, deployment(daemon)).keys() == before.keys() and count(things(small, deployment(daemon))) == count(before), reply
        for one in daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"]:
            assert daemon.ask("DELETE", f"/v1/sandboxes/{one['id']}").status in (200, 204)
        daemon.stop()
        begin(daemon, small, memory="32MiB")   # as it is without a word: no network of the engine's is needed
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: daemon.make(isolation="container"), range(36)))
            assert set(pool.map(lambda one: out(daemon.run(one, "echo here")), made)) == {"here\n"}
            list(pool.map(lambda one: daemon.ask("DELETE", f"/v1/sandboxes/{one}"), made))
        assert count(things(small, deployment(daemon))) == 0
    finally:
        daemon.stop()
        if small is not None:
            small.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(run_on_engines(__doc__, CASES))
