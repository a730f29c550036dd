#!/usr/bin/env python3
"""Starts `paddock serve` and uses it as a client would: over TCP with a key, over the unix socket without one; kills it with -9 while
clients work and looks at what is there afterwards.

    run_daemon.py [--paddock FILE] [--only RE] [--kills N]

The last line is "N passed, N failed, N skipped".
"""

import http.client
import os
import random
import re
import stat
import subprocess
import sys
import threading
import time

from daemon_for_test import Skipped, run_cases

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


@case("starts, says where, and ends when asked")
def starts(daemon):
    daemon.start()
    assert stat.S_IMODE((daemon.data / "admin.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(daemon.data.stat().st_mode) == 0o700
    assert stat.S_IMODE((daemon.data / "paddock.sock").stat().st_mode) == 0o600
    health = daemon.ask("GET", "/v1/health", key=None)
    assert health.status == 200 and health.json()["status"] == "ok", health
    assert daemon.stop() == 0


@case("takes keys on TCP, and the user's own processes on the socket")
def keys(daemon):
    daemon.start()
    assert daemon.ask("GET", "/v1/sandboxes", key=None).status == 401
    assert daemon.ask("GET", "/v1/sandboxes", key=daemon.key[:-1] + ("a" if daemon.key[-1] != "a" else "b")).status == 401
    assert daemon.ask("GET", "/v1/sandboxes").status == 200
    assert daemon.ask("GET", "/v1/sandboxes", unix=True).status == 200
    made = daemon.command("key", "create", "--data", str(daemon.data), "--role", "read", "--label", "for looking", "ann")
    assert made.returncode == 0, made
    key, key_id = made.stdout.strip(), made.stderr.split(",")[0]
    assert daemon.ask("GET", "/v1/sandboxes", key=key).status == 200
    assert daemon.ask("POST", "/v1/sandboxes", {}, key=key).status == 403
    assert "for looking" in daemon.command("key", "list", "--data", str(daemon.data)).stdout
    assert daemon.command("key", "revoke", "--data", str(daemon.data), key_id).returncode == 0
    time.sleep(1.5)   # another process is believed after a second
    assert daemon.ask("GET", "/v1/sandboxes", key=key).status == 401


@case("refuses hosts that are not this machine's")
def hosts(daemon):
    daemon.start()
    assert daemon.ask("GET", "/v1/health", headers={"Host": "evil.example"}).status == 421
    assert daemon.ask("GET", "/v1/health", headers={"Host": "localhost"}).status == 200


@case("beyond loopback only with a key")
def beyond(daemon):
    refused = daemon.command("serve", "--data", str(daemon.data), "--port", "0", "--address", "0.0.0.0")
    assert refused.returncode == 1 and "key" in refused.stderr, refused
    assert daemon.command("key", "create", "--data", str(daemon.data), "--role", "admin", "me").returncode == 0


@case("one daemon a directory; bad configuration is named")
def refusals(daemon):
    daemon.start()
    second = daemon.command("serve", "--data", str(daemon.data), "--port", "0")
    assert second.returncode == 1 and str(daemon.data) in second.stderr, second
    config = daemon.data.parent / "paddock.toml"
    config.write_text("[server]\nprot = 1\n")
    bad = daemon.command("serve", "--config", str(config))
    assert bad.returncode == 2 and "prot" in bad.stderr and "port" in bad.stderr, bad
    config.write_text("[server]\nport = 1\n")
    good = daemon.command("config", "check", "--config", str(config))
    assert good.returncode == 0 and re.search(r"server\.port +1 .*paddock\.toml:2", good.stdout), good


@case("limits that the configuration gives hold on every isolation, or are refused by name")
def default_limits(daemon):
    config = daemon.data.parent / "paddock.toml"
    config.write_text("[limits]\ncpus = 2\ntime = \"300ms\"\ncpu_time = \"20s\"\n")
    daemon.start("--config", str(config))
    assert {"virtual", "process", "container", "oci", "gvisor"} <= set(daemon.ask("GET", "/v1/isolations").json()["isolations"])
    for isolation in ("virtual", "process"):   # containers have suites of their own
        box = daemon.make(isolation=isolation)
        limits = daemon.ask("GET", f"/v1/sandboxes/{box}").json()["limits"]
        assert limits["cpus"] == 2 and limits["exec_time"] == "300ms" and limits["cpu_time"] == "20s", limits
        assert daemon.run(box, "sleep 20")["termination"]["reason"] == "timeout"
        burner = daemon.make(isolation=isolation, limits={"cpu_time": "100ms", "exec_time": "20s"})
        ended = daemon.run(burner, "while :; do :; done")
        assert ended["exit_code"] is None and ended["termination"]["reason"] == "cpu", ended
        assert ended["termination"]["limit"] == "cpu_time" and ended["termination"]["peak"] >= 100_000_000, ended
        assert daemon.run(burner, "sleep 0.3; echo slept")["stdout"] == "slept\n"
    refused = daemon.ask("POST", "/v1/sandboxes", {"isolation": "virtual", "limits": {"cpus": 0.5}})
    assert refused.status == 400 and b"limits.cpus" in refused.body, refused


@case("quotas hold for each owner, and others for those that the configuration names")
def quotas(daemon):
    config = daemon.data.parent / "paddock.toml"
    config.write_text("[quota]\nsandboxes = 2\nexecs = 1\nsessions = 1\nsnapshots = 1\n"
                      "[quota.owners.ada]\nsandboxes = 3\nexecs = 2\nsnapshots = 2\n")
    daemon.start("--config", str(config))
    for owner, sandboxes, execs, sessions, snapshots in (("ada", 3, 2, 1, 2), ("bob", 2, 1, 1, 1)):
        made = daemon.command("key", "create", "--data", str(daemon.data), owner)
        key = made.stdout.split()[-1]

        def ask(method, path, body=None, key=key):
            return daemon.ask(method, path, body, key=key)
        boxes = [ask("POST", "/v1/sandboxes", {}) for _ in range(sandboxes + 1)]
        assert [reply.status for reply in boxes] == [201] * sandboxes + [429], boxes
        box = boxes[0].json()["id"]
        for _ in range(2):   # a place that was given back is there again
            running = [ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": "sleep 60"}}) for _ in range(execs + 1)]
            assert [reply.status for reply in running] == [201] * execs + [429], running
            assert ask("POST", f"/v1/sandboxes/{boxes[1].json()['id']}/exec", {"script": ":"}).status == 429
            for reply in running[:execs]:
                where = f"/v1/sandboxes/{box}/processes/{reply.json()['id']}"
                assert ask("POST", where + "/signal", {"signal": 9}).status == 200
                assert ask("GET", where + "/wait").json()["state"] == "exited"
            deadline = time.monotonic() + 10
            while ask("POST", f"/v1/sandboxes/{box}/exec", {"script": ":"}).status == 429:
                assert time.monotonic() < deadline
        assert [ask("POST", "/v1/sessions", {}).status for _ in range(sessions + 1)] == [201] * sessions + [429]
        assert [ask("POST", f"/v1/sandboxes/{box}/snapshots", {}).status for _ in range(snapshots + 1)] == [201] * snapshots + [429]


@case("runs scripts, keeps shells, tells how they end")
def runs(daemon):
    daemon.start()
    box = daemon.make(name="dev")
    ended = daemon.run("dev", "x=5; echo out; echo err >&2; exit 3", keep_shell=True)
    assert (ended["stdout"], ended["stderr"], ended["exit_code"]) == ("out\n", "err\n", 3), ended
    ended = daemon.run(box, "while :; do :; done", timeout="100ms")
    assert ended["exit_code"] is None and ended["termination"]["reason"] == "timeout", ended
    ended = daemon.run(box, "seq 1 400000")
    assert ended["stdout_dropped_bytes"] > 0 and ended["stdout"].endswith("400000\n") and ended["stdout"].startswith("1\n"), ended["stdout"][-50:]
    whole = daemon.ask("GET", f"/v1/sandboxes/{box}/processes/{ended['process_id']}/output?limit=8000000").json()
    assert "".join(piece["data"] for piece in whole["pieces"]) == "".join(f"{n}\n" for n in range(1, 400001))


@case("a sandbox behind the process wall, side by side")
def walled(daemon):
    def outside():   # what a state directory of "" would make
        return os.stat("/paddock/quarantine").st_mtime_ns if os.path.exists("/paddock/quarantine") else None
    before = outside()
    daemon.start()
    box = daemon.make(isolation="process")
    ended = daemon.run(box, "python3 -c 'print(6 * 7)'; echo text > file; ls /root 2>/dev/null | head -1")
    assert ended["stdout"] == "42\n" and ended["exit_code"] is not None, ended
    refused = daemon.ask("POST", f"/v1/sandboxes/{box}/exec", {"script": ":", "keep_shell": True})
    assert refused.status == 501, refused
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/stop", {}).json()["state"] == "stopped"
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/exec", {"script": ":"}).status == 409
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/start", {}).json()["state"] == "running"
    assert daemon.run(box, "cat file")["stdout"] == "text\n"
    assert daemon.ask("DELETE", f"/v1/sandboxes/{box}").status == 204
    assert not any((daemon.data / "sandboxes").iterdir())
    assert outside() == before


@case("memory is a sandbox's own: what one's database takes is not held against another's")
def own_memory(daemon):
    daemon.start()
    waits = daemon.make(limits={"memory": "64MiB"})
    script = "(sleep 3; echo 'select count(*) from generate_series(1, 1000);') | sqlite3"
    process = daemon.ask("POST", f"/v1/sandboxes/{waits}/processes", {"exec": {"script": script}}).json()["id"]
    time.sleep(0.5)   # its sqlite3 has begun
    fill = "(echo 'create table t as select value, randomblob(1000) b from generate_series(1, 150000);'; sleep 6; echo 'select count(*), sum(length(b)) from t;') | sqlite3"
    done = daemon.run(daemon.make(), fill)   # holds it when the other one goes on
    assert done["stdout"] == "150000|150000000\n", done
    done = daemon.run(daemon.make(limits={"memory": "64MiB"}), fill)
    assert done["termination"]["reason"] == "oom", done   # its own is
    done = daemon.ask("GET", f"/v1/sandboxes/{waits}/processes/{process}/wait").json()
    said = daemon.ask("GET", f"/v1/sandboxes/{waits}/logs").json()["pieces"]
    assert done["exit_code"] == 0 and [piece["data"] for piece in said] == ["1000\n"], (done, said)


@case("a stop keeps everything, a start finds it")
def keeps(daemon):
    daemon.start()
    box = daemon.make(name="dev")
    daemon.run(box, "x=5; mkdir d; cd d; echo text > f", keep_shell=True)
    assert daemon.stop() == 0
    daemon.start()
    assert daemon.run("dev", "echo $x $(cat f) ${PWD##*/}", keep_shell=True)["stdout"] == "5 text d\n"


@case("snapshots, restoring and forks")
def snapshots(daemon):
    daemon.start()
    box = daemon.make(name="dev")
    daemon.run(box, "x=1; mkdir d; cd d; seq 1 1000 > n; echo one > f", keep_shell=True)
    taken = daemon.ask("POST", f"/v1/sandboxes/{box}/snapshots", {"name": "first", "labels": {"a": "b"}})
    assert taken.status == 201 and taken.json()["sandbox_id"] == box and taken.json()["tree"].startswith("sha256:"), taken
    daemon.run(box, "x=2; rm n; echo two > f", keep_shell=True)
    forks = daemon.ask("POST", "/v1/sandboxes/dev/fork", {"count": 2, "name": "try"}).json()["forks"]
    assert [fork["sandbox"]["origin"] for fork in forks] == [box, box] and forks[0]["error"] is None, forks
    assert daemon.ask("POST", "/v1/sandboxes/dev/fork", {"name": "dev"}).json()["forks"][0]["error"]["code"] == "exists"
    daemon.run("try-1", "echo mine >> f")
    back = daemon.ask("POST", f"/v1/sandboxes/{box}/restore", {"snapshot": "first"})
    assert back.status == 200, back
    assert daemon.ask("GET", f"/v1/sandboxes/{box}/snapshots").json()["snapshots"][0]["name"] == "first"
    assert daemon.ask("DELETE", f"/v1/sandboxes/{box}").status == 204
    assert daemon.ask("POST", "/v1/system/collect", {"grace": "1ms"}).status == 200
    daemon.kill()
    daemon.start()
    again = daemon.ask("POST", "/v1/sandboxes", {"snapshot": "first"}).json()
    assert again["origin"] == taken.json()["id"], again
    assert daemon.run(again["id"], "echo $x $(wc -l < n) $(cat f) ${PWD##*/}", keep_shell=True)["stdout"] == "1 1000 one d\n"
    assert daemon.run("try-1", "echo $x $(ls) $(cat f)", keep_shell=True)["stdout"] == "2 f two mine\n"
    assert daemon.ask("GET", "/v1/snapshots?sandbox=" + box).json()["snapshots"][0]["labels"] == {"a": "b"}
    key = daemon.command("key", "create", "--data", str(daemon.data), "--role", "user", "bob").stdout.strip()
    for method, path, body in [("GET", "/v1/snapshots/first", None), ("DELETE", "/v1/snapshots/first", None), ("POST", "/v1/sandboxes", {"snapshot": "first"})]:
        assert daemon.ask(method, path, body, key=key).status == 404, (method, path)
    assert daemon.ask("GET", "/v1/snapshots", key=key).json()["snapshots"] == []
    assert daemon.ask("POST", "/v1/system/collect", {}, key=key).status == 403
    assert daemon.ask("DELETE", "/v1/snapshots/first").status == 204
    assert daemon.ask("GET", "/v1/snapshots/first").status == 404
    wall = daemon.make(isolation="process")
    assert daemon.ask("POST", f"/v1/sandboxes/{wall}/snapshots", {}).status == 201


@case("snapshots are compared, and carried as files")
def carries(daemon):
    daemon.start()
    box = daemon.make(name="dev")
    daemon.run(box, "x=1; echo one > f; seq 5 > gone; ln -s f link", keep_shell=True)
    assert daemon.ask("POST", "/v1/sandboxes/dev/snapshots", {"name": "a"}).status == 201
    daemon.run(box, "echo two >> f; rm gone; mkdir new; head -c 100 /dev/zero > new/bytes; chmod 600 f; touch link", keep_shell=True)
    now = daemon.ask("GET", "/v1/snapshots/a/diff?sandbox=dev&patch=true").json()
    assert daemon.ask("POST", "/v1/sandboxes/dev/snapshots", {"name": "b"}).status == 201
    assert daemon.ask("GET", "/v1/snapshots/a/diff?to=b&patch=true").json() == now, now
    told = {change["path"]: change for change in now["changes"]}
    home = "/home/agent/"
    assert {(path, change["kind"]) for path, change in told.items()} == {
        (home + "f", "modified"), (home + "gone", "removed"), (home + "new", "added"), (home + "new/bytes", "added")}, told
    assert told[home + "f"]["patch"] == "@@ -1 +1,2 @@\n one\n+two\n" and told[home + "f"]["mode_after"] == "0600", told
    assert told[home + "new/bytes"]["patch"] is None and told[home + "new/bytes"]["size_after"] == 100, told
    few = daemon.ask("GET", f"/v1/snapshots/a/diff?to=b&limit=1&path={home}new").json()
    assert [change["path"] for change in few["changes"]] == [home + "new"] and not few["is_complete"], few
    assert daemon.ask("GET", "/v1/snapshots/a/diff?to=a").json() == {"changes": [], "is_complete": True}
    assert daemon.ask("GET", "/v1/snapshots/a/diff").status == 400
    key = daemon.command("key", "create", "--data", str(daemon.data), "--role", "user", "bob").stdout.strip()
    for path in ["a/diff?to=b", "a/export"]:
        assert daemon.ask("GET", "/v1/snapshots/" + path, key=key).status == 404, path
    file = daemon.ask("GET", "/v1/snapshots/a/export").body
    assert file.startswith(b"paddock snapshot 1\nvirtual "), file[:50]
    taken = daemon.ask("POST", "/v1/snapshots/import?name=mine&label=k%3Dv", file, key=key)
    assert taken.status == 201 and taken.json()["sandbox_id"] is None and taken.json()["labels"] == {"k": "v"}, taken
    assert taken.json()["tree"] == daemon.ask("GET", "/v1/snapshots/a").json()["tree"]
    made = daemon.ask("POST", "/v1/sandboxes", {"snapshot": "mine"}, key=key).json()["id"]
    ended = daemon.ask("POST", f"/v1/sandboxes/{made}/exec", {"script": "echo $x $(cat link) $(wc -l < gone)", "keep_shell": True}, key=key)
    assert ended.json()["stdout"] == "1 one 5\n", ended
    assert daemon.ask("GET", f"/v1/snapshots/a/diff?sandbox={made}", key=daemon.key).json()["is_complete"]
    for bad in [b"", b"paddock snapshot 1\n", file[:-1], file[:100], file.replace(b"virtual", b"v" * 200, 1), file[:200] + b"\0" + file[201:], b"x" * 1000]:
        refused = daemon.ask("POST", "/v1/snapshots/import", bad)
        assert refused.status == 400, (refused, bad[:40])
    assert daemon.ask("POST", "/v1/snapshots/import", b"paddock snapshot 1\nvirtual 99999999999 0\n").status == 429


@case("a thousand at once, and the daemon is well")
def crowd(daemon):
    daemon.start()
    box = daemon.make()
    failures = []

    def work():
        for _ in range(20):
            try:
                ended = daemon.run(box, "echo $((6 * 7))")
                if ended["stdout"] != "42\n":
                    failures.append(ended)
            except (AssertionError, OSError) as error:
                if "429" not in str(error):   # more at once than one sandbox takes
                    failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[:3]
    assert daemon.ask("GET", "/v1/health").status == 200


@case("no acknowledged write is lost to kill -9, and nothing is left behind")
def killed(daemon):
    """Clients write numbered lines; whatever was acknowledged is there after each kill, in order and once."""
    random.seed(7)
    daemon.start()
    boxes = {daemon.make(name="one"): 0, daemon.make(name="two"): 0}
    walls = daemon.make(name="wall", isolation="process")
    states = daemon.make(name="states")
    for letter in "ab":
        daemon.run(states, f"x={letter}; echo {letter} > f; echo {letter} > g", keep_shell=True)
        assert daemon.ask("POST", f"/v1/sandboxes/{states}/snapshots", {"name": letter}).status == 201

    def change_states(stop):
        for n in range(100000):
            if stop.is_set():
                return
            daemon.ask("POST", f"/v1/sandboxes/{states}/restore", {"snapshot": "ab"[n % 2]})
            daemon.ask("POST", f"/v1/sandboxes/{states}/snapshots", {"labels": {"round": "1"}})
            daemon.run(states, f"echo {n} > h")   # a fork is a step behind a base
            daemon.ask("POST", f"/v1/sandboxes/{states}/fork", {"count": 3, "labels": {"fork": "1"}})

    uploads = daemon.make(name="uploads")
    sent = [0]   # of the files that were acknowledged, the last one's number

    def upload(stop):
        for n in range(sent[0] + 1, 100000):
            if stop.is_set():
                return
            reply = daemon.ask("PUT", f"/v1/sandboxes/{uploads}/files/content?path=/tmp/large", bytes([n % 251]) * (2 << 20))
            assert reply.status == 200, reply
            sent[0] = n

    acknowledged = dict.fromkeys(boxes, 0)
    uncertain = dict.fromkeys(boxes, 0)   # requests without an answer: kept or not
    for _ in range(daemon.options.kills):
        stop = threading.Event()

        def work(box):
            while not stop.is_set():
                try:
                    if daemon.run(box, "echo line >> log", keep_shell=True)["exit_code"] == 0:
                        acknowledged[box] += 1
                except (AssertionError, OSError, http.client.HTTPException, ValueError):
                    uncertain[box] += 1
                    return

        threads = [threading.Thread(target=work, args=(box,)) for box in boxes]
        threads.append(threading.Thread(target=lambda: quietly(lambda: daemon.run(walls, "sleep 31415"))))
        threads.append(threading.Thread(target=lambda: quietly(lambda: daemon.ask("DELETE", f"/v1/sandboxes/{daemon.make()}"))))
        threads.append(threading.Thread(target=lambda stop=stop: quietly(lambda: change_states(stop))))
        threads.append(threading.Thread(target=lambda stop=stop: quietly(lambda: upload(stop))))
        for thread in threads:
            thread.start()
        time.sleep(random.uniform(0.02, 0.4))
        daemon.kill()
        stop.set()
        for thread in threads:
            thread.join()
        daemon.start()
        for box in boxes:
            lines = int(daemon.run(box, "cat log 2>/dev/null | grep -cx line")["stdout"])
            least = acknowledged[box]
            assert least <= lines <= least + uncertain[box], (box, least, lines, uncertain[box])
            acknowledged[box], uncertain[box] = lines, 0
        large = daemon.ask("GET", f"/v1/sandboxes/{uploads}/files/content?path=/tmp/large")
        if sent[0] > 0:
            assert large.status == 200 and len(large.body) == 2 << 20 and large.body == large.body[:1] * len(large.body), (large.status, len(large.body))
            assert large.body[0] in (sent[0] % 251, (sent[0] + 1) % 251), (large.body[0], sent[0])
            sent[0] += large.body[0] != sent[0] % 251
            extents = [entry for entry in (daemon.data / "sandboxes" / uploads).iterdir() if entry.name.startswith("extent-")]
            assert len(extents) <= 20, f"{len(extents)} files where one is needed"
        for one in [states] + [fork["id"] for fork in daemon.ask("GET", "/v1/sandboxes?label=fork=1&limit=1000").json()["sandboxes"]]:
            whole = daemon.run(one, "echo $x$(cat f)$(cat g)", keep_shell=True)["stdout"]
            assert whole in ("aaa\n", "bbb\n"), f"half a state: {whole!r}"
            if one != states:
                assert daemon.ask("DELETE", f"/v1/sandboxes/{one}").status == 204
        for one in daemon.ask("GET", "/v1/snapshots?label=round=1&limit=1000").json()["snapshots"]:
            made = daemon.make(snapshot=one["id"])
            whole = daemon.run(made, "echo $x$(cat f)$(cat g)", keep_shell=True)["stdout"]
            assert whole in ("aaa\n", "bbb\n"), f"half a snapshot: {whole!r}"
            assert daemon.ask("DELETE", f"/v1/sandboxes/{made}").status == 204
            assert daemon.ask("DELETE", f"/v1/snapshots/{one['id']}").status == 204
        assert daemon.ask("POST", "/v1/system/collect", {"grace": "1ms"}).status == 200
        known = {one["id"] for one in daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"]}
        strange = {entry.name for entry in (daemon.data / "sandboxes").iterdir()} - known
        assert not strange, f"directories of no sandbox: {strange}"
    for _ in range(100):
        left = subprocess.run(["pgrep", "-f", "^sleep 31415$"], capture_output=True, text=True).stdout.split()
        if not left:
            break
        time.sleep(0.1)
    assert not left, f"processes of dead daemons: {left}"


def quietly(call):
    try:
        call()
    except (AssertionError, OSError, http.client.HTTPException, ValueError):
        pass


@case("the disk is full: errors by name, and it works again when there is room")
def full(daemon):
    if os.geteuid() != 0:
        raise Skipped("takes root: a small file system of its own")
    daemon.data.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24M,mode=0700", "tmpfs", str(daemon.data)], check=True)
    try:
        daemon.start()
        box = daemon.make()
        filler = daemon.data / "filler"
        with open(filler, "wb") as file:
            try:
                while True:
                    file.write(b"x" * 65536)
                    file.flush()
            except OSError:
                pass
        reply = daemon.ask("POST", f"/v1/sandboxes/{box}/exec", {"script": "head -c 300000 /dev/urandom > big"})
        assert reply.status == 507 and "could not be kept" in reply.json()["error"]["message"], reply
        assert str(daemon.data) not in reply.json()["error"]["message"], "where the daemon keeps its data is not for clients"
        assert daemon.ask("GET", f"/v1/sandboxes/{box}").status == 200
        filler.unlink()
        assert daemon.run(box, "wc -c < big")["stdout"].strip() == "300000"
        daemon.kill()
        daemon.start()
        assert daemon.run(box, "wc -c < big")["stdout"].strip() == "300000"
        daemon.stop()
    finally:
        daemon.stop()
        subprocess.run(["umount", "-l", str(daemon.data)], check=True)


def add_options(parser):
    parser.add_argument("--kills", type=int, default=15)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, add_options))
