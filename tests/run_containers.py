#!/usr/bin/env python3
"""Sandboxes that are containers, through `paddock serve` and `paddock run`, on a real Docker Engine and a real Podman: their life, what is left
when the daemon is killed between any two steps, sessions and tools. Each case runs on both engines.

    run_containers.py [--paddock FILE] [--only RE] [--engine NAME]

Takes root. An engine that is not installed is skipped, with the reason. The last line is "N passed, N failed, N skipped".
"""

import concurrent.futures
import hashlib
import io
import json
import os
import pathlib
import random
import shutil
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
import engines_for_test  # noqa: E402
from daemon_for_test import Skipped, run_cases  # noqa: E402

CASES = []
IMAGE = ":".join(engines_for_test.IMAGE)


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


# ---- what an engine has

def things(engine, deployment=None):
    """Names of the containers, networks and volumes of Paddock's, by kind; those of one deployment, with their labels."""
    wanted = "org.paddock.deployment" + (f"={deployment}" if deployment else "")
    filters = json.dumps({"label": [wanted]}).replace('"', "%22").replace(" ", "")
    found = {}
    for kind, path in (("container", "/v1.41/containers/json?all=1&"), ("network", "/v1.41/networks?"), ("volume", "/v1.41/volumes?")):
        status, body = engine.request("GET", path + "filters=" + filters)
        assert status == 200, (kind, status, body)
        answer = json.loads(body)
        found[kind] = answer["Volumes"] or [] if kind == "volume" else answer
    return found


def count(found):
    return sum(len(of_kind) for of_kind in found.values())


def deployment(daemon):
    return (daemon.data / "deployment").read_text()


def inspect(engine, container):
    status, body = engine.request("GET", f"/v1.41/containers/{container}/json")
    assert status == 200, body
    return json.loads(body)


def begin(daemon, engine, features=True, **settings):
    """The daemon for this engine; settings of [containers]."""
    settings = {"docker_host": f"unix://{engine.socket}", "image": IMAGE, **settings}
    lines = ["[containers]", *(f"{name} = {json.dumps(value)}" for name, value in settings.items())]
    config = daemon.data.parent / "paddock.toml"
    config.write_text("\n".join(lines) + "\n")
    os.environ["FEATURE_CONTAINER_SANDBOX"] = "true" if features else "false"
    daemon.start("--config", str(config))


def eventually(look, seconds=20):
    until = time.monotonic() + seconds
    while True:
        seen = look()
        if seen or time.monotonic() > until:
            return seen
        time.sleep(0.05)


def session(daemon, **body):
    reply = daemon.ask("POST", "/v1/sessions", body)
    assert reply.status == 201, reply
    return reply.json()["id"]


def tool(daemon, where, named, /, **arguments):
    reply = daemon.ask("POST", f"/v1/sessions/{where}/tools/{named}", {"arguments": arguments})
    assert reply.status == 200, reply
    return reply.json()


def out(result):
    assert result["exit_code"] == 0, result
    return result["stdout"]


# ---- life

@case("L1 one container and one network, with labels and limits")
def made(daemon, engine):
    begin(daemon, engine, network="isolated")
    sandbox = daemon.make(isolation="container")
    found = things(engine, deployment(daemon))
    assert [len(found[kind]) for kind in ("container", "network", "volume")] == [1, 1, 1], found
    container = inspect(engine, found["container"][0]["Id"])
    host = container["HostConfig"]
    assert host["Memory"] == 2 << 30 and host["PidsLimit"] == 256 and host["NanoCpus"] == 1_000_000_000, host
    assert not host["Privileged"] and not host["CapAdd"] and host["NetworkMode"] != "host" and host["PidMode"] != "host", host
    assert not [bind for bind in host.get("Binds") or [] if bind.startswith("/")], host   # Podman tells volumes there
    assert list(container["NetworkSettings"]["Networks"]) == [found["network"][0]["Name"]], container["NetworkSettings"]
    assert all(sandbox not in value for value in container["Config"]["Labels"].values()), container["Config"]["Labels"]
    digits = hashlib.sha256(sandbox.encode()).hexdigest()[:16]
    assert container["Name"].lstrip("/").startswith(f"paddock-{digits}-sandbox-"), container["Name"]
    assert out(daemon.run(sandbox, "pwd; id -u")) == "/workspace\n1000\n"


@case("files outlive stop, start and a new daemon")
def outlives(daemon, engine):
    begin(daemon, engine)
    sandbox = daemon.make(isolation="container")
    out(daemon.run(sandbox, "echo kept > file; echo gone > /tmp/file"))
    for action in ("stop", "stop", "start", "start"):   # L13: each twice
        assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/{action}").status == 200, action
    assert out(daemon.run(sandbox, "cat file; ls /tmp")) == "kept\n"
    daemon.kill()
    begin(daemon, engine)
    assert out(daemon.run(sandbox, "cat file")) == "kept\n"
    assert daemon.stop() == 0
    states = [one["State"] for one in things(engine, deployment(daemon))["container"]]
    assert states in (["exited"], ["stopped"]), states   # as Podman calls one that has just ended
    begin(daemon, engine)
    assert out(daemon.run(sandbox, "cat file")) == "kept\n"
    reply = daemon.ask("DELETE", f"/v1/sandboxes/{sandbox}")
    assert reply.status in (200, 204), reply
    assert count(things(engine, deployment(daemon))) == 0
    assert daemon.ask("DELETE", f"/v1/sandboxes/{sandbox}").status == 404


@case("a paused one stands still, and goes on where it was")
def paused(daemon, engine):
    begin(daemon, engine)
    sandbox = daemon.make(isolation="container")
    out(daemon.run(sandbox, "echo here > /tmp/file"))
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/pause").status == 200
    found = things(engine, deployment(daemon))["container"]
    assert [one["State"] for one in found] == ["paused"], found
    reply = daemon.ask("POST", f"/v1/sandboxes/{sandbox}/exec", {"script": "true"})
    assert reply.status == 409 and "paused" in reply.json()["error"]["message"] or reply.status == 503, reply
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/resume").status == 200
    assert out(daemon.run(sandbox, "cat /tmp/file")) == "here\n"
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/pause").status == 200
    daemon.kill()   # frozen, with nobody to thaw it
    begin(daemon, engine)
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/resume").status == 200
    assert out(daemon.run(sandbox, "echo alive")) == "alive\n"
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/pause").status == 200
    assert daemon.ask("DELETE", f"/v1/sandboxes/{sandbox}").status in (200, 204)
    assert count(things(engine, deployment(daemon))) == 0


@case("a container that somebody else removed is told, not made anew")
def removed(daemon, engine):
    begin(daemon, engine)
    sandbox = daemon.make(isolation="container")
    out(daemon.run(sandbox, "echo kept > file"))
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/stop").status == 200
    container = things(engine, deployment(daemon))["container"][0]["Id"]
    assert engine.request("DELETE", f"/v1.41/containers/{container}?force=1")[0] == 204
    reply = daemon.ask("POST", f"/v1/sandboxes/{sandbox}/start")
    assert reply.status >= 400 and "somebody else removed it" in reply.json()["error"]["message"], reply
    assert daemon.ask("DELETE", f"/v1/sandboxes/{sandbox}").status in (200, 204)
    assert count(things(engine, deployment(daemon))) == 0


@case("a container that is killed from outside ends its execs, and starts again")
def killed_outside(daemon, engine):
    begin(daemon, engine)
    sandbox = daemon.make(isolation="container")
    out(daemon.run(sandbox, "echo kept > file"))
    container = things(engine, deployment(daemon))["container"][0]["Id"]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(daemon.ask, "POST", f"/v1/sandboxes/{sandbox}/exec", {"script": "echo begun > /workspace/begun; sleep 100"})
        assert eventually(lambda: daemon.ask("GET", f"/v1/sandboxes/{sandbox}/files/content?path=/workspace/begun").status == 200)
        assert engine.request("POST", f"/v1.41/containers/{container}/kill")[0] == 204
        reply = running.result(30)
    assert reply.status != 200 or reply.json()["exit_code"] != 0, reply
    assert out(daemon.run(sandbox, "cat file")) == "kept\n"


@case("X13 deleting ends what runs")
def deleted_meanwhile(daemon, engine):
    begin(daemon, engine)
    sandbox = daemon.make(isolation="container")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(daemon.ask, "POST", f"/v1/sandboxes/{sandbox}/exec", {"script": "echo begun > /workspace/begun; sleep 100"})
        assert eventually(lambda: daemon.ask("GET", f"/v1/sandboxes/{sandbox}/files/content?path=/workspace/begun").status == 200)
        assert daemon.ask("DELETE", f"/v1/sandboxes/{sandbox}").status in (200, 204)
        reply = running.result(30)
    assert reply.status != 200 or reply.json()["exit_code"] is None or reply.json()["exit_code"] != 0, reply
    assert count(things(engine, deployment(daemon))) == 0


@case("L6 what cannot be made leaves nothing")
def not_made(daemon, engine):
    begin(daemon, engine, images=["localhost/base", "localhost/absent"])
    for request, words in (({"image": "localhost/absent:9"}, "localhost/absent:9"), ({"image": "evil/thing:1"}, "not one of those that the operator allows"),
                           ({"runtime": "gvisor"}, "containers.runtimes"), ({"limits": {"memory": "64GiB"}}, "at most"), ({"limits": {"files": 10}}, "limits.files"),
                           ({"image": "-rf /"}, "no reference"), ({"image": "a" * 600}, "")):
        reply = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", **request})
        assert 400 <= reply.status < 600 and reply.status != 500 and words in reply.json()["error"]["message"], (request, reply)
    reply = daemon.ask("POST", "/v1/sandboxes", {"isolation": "virtual", "image": IMAGE})
    assert reply.status == 400, reply
    assert count(things(engine, deployment(daemon))) == 0 and not daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"]


@case("L7, L8 idle ones are stopped, then deleted")
def idle(daemon, engine):
    begin(daemon, engine, auto_stop="2s", remove_after="4s")
    stopped, woken = daemon.make(isolation="container"), daemon.make(isolation="container")
    out(daemon.run(woken, "echo kept > file"))
    state = lambda one: daemon.ask("GET", f"/v1/sandboxes/{one}").json().get("state")  # noqa: E731
    assert eventually(lambda: state(stopped) == "stopped" and state(woken) == "stopped")
    assert out(daemon.run(woken, "cat file; sleep 5")) == "kept\n", "use wakes it, and keeps it while it lasts"
    assert eventually(lambda: daemon.ask("GET", f"/v1/sandboxes/{stopped}").status == 404)
    assert daemon.ask("GET", f"/v1/sandboxes/{woken}").status == 200
    assert eventually(lambda: count(things(engine, deployment(daemon))) == 0, 40), things(engine, deployment(daemon))


@case("L11 two daemons on one engine leave each other's alone")
def two_daemons(daemon, engine):
    begin(daemon, engine)
    sandbox = daemon.make(isolation="container")
    first = deployment(daemon)
    other = type(daemon)(daemon.paddock, daemon.data.parent / "other")
    (daemon.data.parent / "other").mkdir()
    try:
        begin(other, engine)
        own = other.make(isolation="container")
        assert deployment(other) != first
        for _ in range(2):
            other.kill()
            begin(other, engine)   # sweeps
        assert out(other.run(own, "echo alive")) == "alive\n"
        assert out(daemon.run(sandbox, "echo alive")) == "alive\n"
        other.ask("DELETE", f"/v1/sandboxes/{own}")
        assert count(things(engine, deployment(other))) == 0 and count(things(engine, first)) == 2
    finally:
        other.stop()


@case("L10 killed at random moments of create, exec and delete: nothing of ours stays, nothing of others goes")
def killed(daemon, engine):
    theirs = json.dumps({"Name": f"theirs-{random.getrandbits(40):x}", "Labels": {"org.example": "1"}})
    assert engine.request("POST", "/v1.41/volumes/create", theirs, {"Content-Type": "application/json"})[0] == 201
    seed = daemon.options.seed if daemon.options.seed is not None else random.randrange(2**32)
    print(f"     seed {seed}")
    dice = random.Random(seed)
    begin(daemon, engine, network="isolated")
    daemon.make(isolation="container", name="kept")
    out(daemon.run("kept", "echo kept > file"))
    for _ in range(daemon.options.kills):
        def client(number):
            try:
                made = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "name": f"n{number}"})
                if made.status == 201:
                    one = made.json()["id"]
                    daemon.ask("POST", f"/v1/sandboxes/{one}/exec", {"script": "echo x > f"})
                    daemon.ask("DELETE", f"/v1/sandboxes/{one}")
            except (OSError, ValueError, Exception):  # noqa: BLE001 - the daemon goes away under it
                pass
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for number in range(2):
                pool.submit(client, number)
            time.sleep(dice.uniform(0.05, 2.5))
            daemon.kill()
        begin(daemon, engine, network="isolated")
        for one in daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"]:
            if one["name"] != "kept":
                reply = daemon.ask("DELETE", f"/v1/sandboxes/{one['id']}")
                assert reply.status in (200, 204), (seed, reply)
        # One container, one network, one volume: the kept one's.
        left = lambda: things(engine, deployment(daemon))  # noqa: E731
        assert eventually(lambda: count(left()) == 3, 60), (seed, left())
        assert out(daemon.run("kept", "cat file")) == "kept\n", seed
    assert engine.request("DELETE", f"/v1.41/volumes/{json.loads(theirs)['Name']}")[0] == 204


@case("warm containers are claimed, replaced when they are taken or gone, and end with the daemon")
def warm(daemon, engine):
    begin(daemon, engine, warm=2)
    ids = lambda: {one["Id"] for one in things(engine, deployment(daemon))["container"] if one["State"] == "running"}  # noqa: E731
    assert eventually(lambda: len(ids()) == 2), ids()

    def claim(**request):
        """A sandbox whose container was there before; one that is asked for while none stands ready yet is made."""
        for _ in range(20):
            before = ids()
            sandbox = daemon.make(isolation="container", **request)
            digits = hashlib.sha256(sandbox.encode()).hexdigest()[:16]

            def named():
                found = {one["Id"]: one for one in things(engine, deployment(daemon))["container"]}
                return [one for one in found if any(name.lstrip("/").startswith(f"paddock-{digits}-sandbox-") for name in found[one]["Names"])]

            own = eventually(named)   # one that is claimed gets its name a little later
            assert len(own) == 1, (sandbox, own)
            if own[0] in before:
                return sandbox, own[0]
            assert daemon.ask("DELETE", f"/v1/sandboxes/{sandbox}").status in (200, 204)
            assert eventually(lambda: len(ids() - set(claimed)) >= 2), ids()
            time.sleep(0.2)
        raise AssertionError("nothing is claimed")

    claimed = {}
    for request in ({}, {"network": {"allow": ["allowed.example"]}}, {"limits": {"memory": 100 << 20}}):
        sandbox, container = claim(**request)
        claimed[container] = (sandbox, request)
        assert out(daemon.run(sandbox, "pwd; id -u; ls; echo kept > file; cat file")) == "/workspace\n1000\nkept\n"
        assert ("127.0.0.1" in out(daemon.run(sandbox, "echo $HTTPS_PROXY"))) == ("network" in request), request
        assert inspect(engine, container)["HostConfig"]["Memory"] == request.get("limits", {}).get("memory", 2 << 30)
        assert eventually(lambda: len(ids() - set(claimed)) == 2), (ids(), claimed)
    # What somebody else has removed is not claimed.
    for one in ids() - set(claimed):
        assert engine.request("DELETE", f"/v1.41/containers/{one}?force=1")[0] == 204
    sandbox = daemon.make(isolation="container", limits={"memory": 100 << 20})
    assert out(daemon.run(sandbox, "echo here")) == "here\n"
    assert daemon.ask("DELETE", f"/v1/sandboxes/{sandbox}").status in (200, 204)
    for stop in (daemon.kill, daemon.stop):
        assert eventually(lambda: len(ids() - set(claimed)) == 2), (ids(), claimed)
        stop()
        begin(daemon, engine, warm=0)
        left = lambda: {one["Id"] for one in things(engine, deployment(daemon))["container"]}  # noqa: E731
        assert eventually(lambda: left() == set(claimed)), (left(), claimed)   # of a daemon that was killed they are swept
        for sandbox, _ in claimed.values():
            assert out(daemon.run(sandbox, "cat file")) == "kept\n"
        daemon.stop()
        begin(daemon, engine, warm=2)
    daemon.stop()
    assert left() == set(claimed), left()   # those that nobody had claimed went with the daemon
    begin(daemon, engine)


@case("snapshots, restoring and forks hold the workspace")
def states(daemon, engine):
    begin(daemon, engine)
    sandbox = daemon.make(isolation="container", name="first")
    out(daemon.run(sandbox, "mkdir d; echo one > d/file; ln -s d/file link; chmod 751 d; echo $RANDOM; printf '%5000000s' x > large; mkfifo pipe"))
    reply = daemon.ask("POST", f"/v1/sandboxes/{sandbox}/snapshots", {"name": "before"})
    assert reply.status == 201, reply
    out(daemon.run(sandbox, "echo two > d/file; rm link; echo new > more"))
    diff = daemon.ask("GET", f"/v1/snapshots/before/diff?sandbox={sandbox}")
    assert diff.status == 200 and b"more" in diff.body, diff
    forked = daemon.ask("POST", f"/v1/sandboxes/{sandbox}/fork", {"count": 2, "name": "copy"})
    assert forked.status in (200, 201), forked
    forks = [one["sandbox"]["id"] for one in forked.json()["forks"]]
    assert [out(daemon.run(one, "cat d/file more; ls")) for one in forks] == ["two\nnew\nd\nlarge\nmore\npipe\n"] * 2
    out(daemon.run(forks[0], "echo theirs > d/file"))
    assert out(daemon.run(sandbox, "cat d/file")) == "two\n"
    for _ in range(2):
        reply = daemon.ask("POST", f"/v1/sandboxes/{sandbox}/restore", {"snapshot": "before"})
        assert reply.status == 200, reply
        assert out(daemon.run(sandbox, "cat link; ls; stat -c %a d; wc -c < large; id -u; touch d/mine && rm d/mine")) == "one\nd\nlarge\nlink\npipe\n751\n5000000\n1000\n"
        daemon.kill()   # a restored one is found again, and the old container taken away
        begin(daemon, engine)
    made = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "snapshot": "before", "name": "second"})
    assert made.status == 201, made
    assert out(daemon.run("second", "cat link")) == "one\n"
    assert eventually(lambda: len(things(engine, deployment(daemon))["container"]) == 4), things(engine, deployment(daemon))
    # At rest, too, where it stays.
    assert daemon.ask("POST", "/v1/sandboxes/second/pause").status == 200
    assert daemon.ask("POST", "/v1/sandboxes/second/snapshots", {"name": "paused"}).status == 201
    assert daemon.ask("POST", "/v1/sandboxes/copy-1/stop").status == 200
    assert daemon.ask("POST", "/v1/sandboxes/copy-1/snapshots", {"name": "stopped"}).status == 201
    listed = {one["name"]: one["state"] for one in daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"]}
    assert listed == {"first": "running", "copy-1": "stopped", "copy-2": "running", "second": "paused"}, listed
    assert {one["State"] for one in things(engine, deployment(daemon))["container"]} <= {"running", "paused", "exited", "stopped"}
    for one in listed:
        assert daemon.ask("DELETE", f"/v1/sandboxes/{one}").status in (200, 204)
    assert count(things(engine, deployment(daemon))) == 0


# ---- templates

def images(engine, deployment=None):
    """Names of the images that Paddock made of templates; those of one deployment."""
    label = "org.paddock.root"
    for _ in range(20):   # Podman's list fails when an image goes meanwhile
        status, body = engine.request("GET", '/v1.41/images/json?all=1&filters={"label":["' + label + '"]}'.replace('"', "%22"))
        if status != 500:
            break
    assert status == 200, body
    found = [one for one in json.loads(body) if label in (one["Labels"] or {})]
    if deployment:
        found = [one for one in found if one["Labels"].get("org.paddock.deployment") == deployment]
    return sorted(name for one in found for name in (one["RepoTags"] or [one["Id"]]))


def template(daemon, name, tar):
    reply = daemon.ask("POST", f"/v1/templates?name={name}&format=tar", tar)
    assert reply.status == 201, reply
    return reply.json()


def changed_root(*more):
    """The tests' root and more files: (name, content)."""
    made = io.BytesIO(engines_for_test.busybox_root())
    with tarfile.open(fileobj=made, mode="a") as tar:
        for name, content in more:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return made.getvalue()


@case("T1 a template begins containers, also those of its snapshots and forks, and is a template again")
def from_template(daemon, engine):
    begin(daemon, engine)
    template(daemon, "base", changed_root(("etc/mark", b"of the template\n"), ("workspace/given", b"given\n")))
    sandbox = daemon.make(isolation="container", template="base", name="first")
    assert out(daemon.run(sandbox, "cat /etc/mark; ls; id -u; pwd")) == "of the template\ngiven\n1000\n/workspace\n"
    made = images(engine, deployment(daemon))
    assert made, made
    out(daemon.run(sandbox, "echo one > file; mkdir d; ln file d/hard; ln -s file link"))
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/snapshots", {"name": "before"}).status == 201
    forked = daemon.ask("POST", f"/v1/sandboxes/{sandbox}/fork", {"count": 2, "name": "copy"})
    assert forked.status in (200, 201), forked
    assert out(daemon.run("copy-1", "cat /etc/mark link given; echo two > file; rm given")) == "of the template\none\ngiven\n"
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/restore", {"snapshot": "before"}).status == 200
    assert out(daemon.run(sandbox, "cat /etc/mark file; stat -c %h file")) == "of the template\none\n2\n"
    assert images(engine, deployment(daemon)) == made
    # The template goes; what began from it keeps its base.
    again = daemon.ask("POST", "/v1/sandboxes/copy-1/template", {"name": "again"})
    assert again.status == 201, again
    again = again.json()
    assert again["source"] == "sandbox" and again["isolation"] is None, again
    assert daemon.ask("DELETE", "/v1/templates/base").status in (200, 204)
    daemon.kill()
    begin(daemon, engine)
    assert out(daemon.run("copy-2", "cat /etc/mark file")) == "of the template\none\n"
    made = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "snapshot": "before", "name": "late"})
    assert made.status == 201, made
    assert out(daemon.run("late", "cat /etc/mark file given")) == "of the template\none\ngiven\n"
    assert daemon.ask("POST", "/v1/sandboxes/copy-1/restore", {"snapshot": "before"}).status == 200
    assert out(daemon.run("copy-1", "cat file given")) == "one\ngiven\n"
    # Root and workspace.
    seen = daemon.run(daemon.make(isolation="container", template="again", name="next"), "cat /etc/mark file; ls")
    assert out(seen) == "of the template\ntwo\nd\nfile\nlink\n", seen
    files = {}
    with tarfile.open(fileobj=io.BytesIO(daemon.ask("GET", "/v1/templates/again/export").body)) as tar:
        for one in tar:
            files[one.name.removeprefix("./")] = one
        assert tar.extractfile(files["workspace/file"]).read() == b"two\n"
    assert not [name for name in files if name.startswith((".paddock", ".dockerenv", "dev/", "proc/", "sys/", "run/.containerenv"))], sorted(files)
    assert files["bin/sh"].issym() and files["bin/busybox"].mode == 0o755 and files["workspace"].uid == 1000
    for one in daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"]:
        assert daemon.ask("DELETE", f"/v1/sandboxes/{one['id']}").status in (200, 204)
    assert count(things(engine, deployment(daemon))) == 0
    # Nobody needs the first template's images any more; the second's wait for the next create.
    left = images(engine, deployment(daemon))
    assert left and all(again["tree"].removeprefix("sha256:") in name for name in left), left
    assert daemon.ask("DELETE", "/v1/templates/again").status in (200, 204)
    assert eventually(lambda: not images(engine, deployment(daemon))), images(engine, deployment(daemon))


@case("T2 twenty creates of one template at once import it once")
def twenty_of_one(daemon, engine):
    begin(daemon, engine)
    template(daemon, "base", changed_root(("etc/mark", os.urandom(20).hex().encode())))
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda number: daemon.make(isolation="container", template="base", name=f"n{number}"), range(20)))
        assert len({out(daemon.run(one, "cat /etc/mark")) for one in made}) == 1
        names = images(engine, deployment(daemon))
        assert len(names) == 2, names   # as it came, and with the workspace
        status, body = engine.request("GET", "/v1.41/events?since=0&until=" + str(int(time.time()) + 1) + '&filters={"type":["image"],"event":["import"]}'.replace('"', "%22"))
        assert status == 200
        mine = [line for line in body.decode().splitlines() if names[0].rsplit(":", 1)[1][:64] in line]
        assert len(mine) == 1 or engine.name == "podman", mine   # Podman tells of imports in other words
        list(pool.map(lambda one: daemon.ask("DELETE", f"/v1/sandboxes/{one}").status, made))
    assert images(engine, deployment(daemon)) == names, "the template is still there"
    daemon.kill()
    begin(daemon, engine)
    assert images(engine, deployment(daemon)) == names
    assert daemon.ask("DELETE", "/v1/templates/base").status in (200, 204)
    assert eventually(lambda: not images(engine, deployment(daemon))), images(engine, deployment(daemon))


@case("T3 the same template behind the process wall and in a container gives the same files")
def same_files(daemon, engine):
    begin(daemon, engine)
    template(daemon, "base", changed_root(("etc/mark", b"m" * 70000), ("srv/a/b", b"b")))
    look = "cd / && find bin etc/mark usr srv root -type f -exec md5sum {} + | sort; find bin usr srv root | sort | md5sum; ls -l bin/cat | cut -c 1-10"
    shown = {}
    for isolation in ("process", "container"):
        made = daemon.ask("POST", "/v1/sandboxes", {"isolation": isolation, "template": "base", "name": isolation})
        if made.status != 201 and isolation == "process":
            raise Skipped(f"no process wall here: {made}")
        assert made.status == 201, made
        ran = daemon.ask("POST", f"/v1/sandboxes/{isolation}/exec", {"command": ["/bin/sh", "-c", look]})   # no bash there
        assert ran.status == 200, ran
        shown[isolation] = out(ran.json())
    assert shown["process"] == shown["container"] and len(shown["process"]) > 50, shown


@case("T4 what cannot be begun from is told, and leaves nothing")
def bad_templates(daemon, engine):
    begin(daemon, engine)
    elf = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00" + (183).to_bytes(2, "little") + bytes(44)
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        entry = tarfile.TarInfo("bin/sh")
        entry.size, entry.mode = len(elf), 0o755
        tar.addfile(entry, io.BytesIO(elf))
    template(daemon, "arm", made.getvalue())
    reply = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "template": "arm"})
    assert reply.status >= 400 and "aarch64" in reply.json()["error"]["message"] and "x86_64" in reply.json()["error"]["message"], reply
    template(daemon, "base", engines_for_test.busybox_root())
    reply = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "template": "base", "image": IMAGE})
    assert reply.status == 400 and "leave the image out" in reply.json()["error"]["message"], reply
    assert count(things(engine, deployment(daemon))) == 0 and not images(engine, deployment(daemon))


@case("T5 profile dev: snapshots, restoring, forks and diffs hold the whole root")
def dev_states(daemon, engine):
    begin(daemon, engine, profile="dev")
    sandbox = daemon.make(isolation="container", name="first")
    out(daemon.run(sandbox, "echo one > /etc/mark; mkdir /usr/own; echo kept > /usr/own/file; echo w > /workspace/w; chmod 751 /usr/own; ln /.dockerenv /hard 2>/dev/null; true"))
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/snapshots", {"name": "before"}).status == 201
    out(daemon.run(sandbox, "echo two > /etc/mark; rm -r /usr/own /workspace/w; echo new > /root/new"))
    diff = daemon.ask("GET", f"/v1/snapshots/before/diff?sandbox={sandbox}")
    assert diff.status == 200 and b"root/new" in diff.body and b"bin/busybox" not in diff.body, diff
    forked = daemon.ask("POST", f"/v1/sandboxes/{sandbox}/fork", {"count": 2, "name": "copy"})
    assert forked.status in (200, 201), forked
    assert out(daemon.run("copy-2", "cat /etc/mark /root/new; ls /usr/own 2>/dev/null; id -u; echo theirs > /etc/mark") | {"exit_code": 0}) == "two\nnew\n0\n"
    for _ in range(2):
        assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/restore", {"snapshot": "before"}).status == 200
        assert out(daemon.run(sandbox, "cat /etc/mark /usr/own/file /workspace/w; ls /root; stat -c %a /usr/own")) == "one\nkept\nw\n751\n"
        daemon.kill()
        begin(daemon, engine, profile="dev")
    # Each began on an image that goes with it.
    assert images(engine, deployment(daemon))
    out(daemon.run(sandbox, "echo more > /etc/more"))   # else the template may be the tree that it began on, whose image stays with it
    made = daemon.ask("POST", f"/v1/sandboxes/{sandbox}/template", {"name": "ready"})
    assert made.status == 201, made
    for one in ("first", "copy-1", "copy-2"):
        assert daemon.ask("DELETE", f"/v1/sandboxes/{one}").status in (200, 204)
    assert count(things(engine, deployment(daemon))) == 0
    assert not images(engine, deployment(daemon)), images(engine, deployment(daemon))
    assert out(daemon.run(daemon.make(isolation="container", template="ready", name="second"), "cat /etc/mark /usr/own/file")) == "one\nkept\n"
    assert daemon.ask("DELETE", "/v1/sandboxes/second").status in (200, 204)
    assert daemon.ask("DELETE", "/v1/templates/ready").status in (200, 204)
    assert eventually(lambda: not images(engine, deployment(daemon))), images(engine, deployment(daemon))


@case("T5b profile dev: what a session's container has changed since it was created")
def dev_diff(daemon, engine):
    begin(daemon, engine, profile="dev")
    where = session(daemon, capabilities=["container_sandbox"])
    assert not tool(daemon, where, "sandbox_create", name="one")["is_error"]
    assert not tool(daemon, where, "sandbox_exec", sandbox_id="one", command="echo x > /etc/mark; rm /bin/yes")["is_error"]
    told = tool(daemon, where, "sandbox_diff", sandbox_id="one")
    assert not told["is_error"] and "etc/mark" in told["content"] and "bin/yes" in told["content"] and "busybox" not in told["content"], told


@case("T5c profile dev: a snapshot goes out as a file and comes in again")
def dev_export(daemon, engine):
    begin(daemon, engine, profile="dev")
    sandbox = daemon.make(isolation="container", name="first")
    out(daemon.run(sandbox, "echo one > /etc/mark; mkdir /usr/own"))
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/snapshots", {"name": "before"}).status == 201
    file = daemon.ask("GET", "/v1/snapshots/before/export")
    assert file.status == 200
    assert daemon.ask("DELETE", f"/v1/sandboxes/{sandbox}").status in (200, 204)
    assert daemon.ask("DELETE", "/v1/snapshots/before").status in (200, 204)
    taken = daemon.ask("POST", "/v1/snapshots/import?name=after", file.body)
    assert taken.status == 201, taken
    made = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "snapshot": "after", "name": "second"})
    assert made.status == 201, made
    assert out(daemon.run("second", "cat /etc/mark; ls -d /usr/own")) == "one\n/usr/own\n"


@case("T6 a device in a template opens nothing of the host")
def device(daemon, engine):
    begin(daemon, engine, profile="dev")
    made = io.BytesIO(engines_for_test.busybox_root())
    with tarfile.open(fileobj=made, mode="a") as tar:
        for name, kind, numbers in (("srv/memory", tarfile.CHRTYPE, (1, 1)), ("srv/disk", tarfile.BLKTYPE, (8, 0)), ("srv/kmsg", tarfile.CHRTYPE, (1, 11))):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, (entry.devmajor, entry.devminor) = kind, 0o666, numbers
            tar.addfile(entry)
    template(daemon, "devices", made.getvalue())
    sandbox = daemon.make(isolation="container", template="devices")
    for name in ("memory", "disk", "kmsg"):
        ran = daemon.run(sandbox, f"head -c 1 /srv/{name} >/dev/null")
        assert ran["exit_code"] != 0 and ("not permitted" in ran["stderr"] or "ermission denied" in ran["stderr"] or "No such" in ran["stderr"]), ran


@case("T6b templates of sandboxes of any isolation, once for each key, with the image's config and without the sandbox's variables")
def templates_of_sandboxes(daemon, engine):
    engine.import_image(engines_for_test.busybox_root(), "localhost/config", "1", ["ENV FROM_IMAGE=yes", 'CMD ["echo", "hello"]', "WORKDIR /usr"])
    begin(daemon, engine, images=["localhost/config", "localhost/base"])
    daemon.make(isolation="container", image="localhost/config:1", name="plain", environment={"TOKEN": "secret"})
    made = [daemon.ask("POST", "/v1/sandboxes/plain/template", {"name": "ready"}, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert [one.status for one in made] == [201, 200] and made[0].json()["id"] == made[1].json()["id"], made
    one = made[0].json()
    assert one["environment"].get("FROM_IMAGE") == "yes" and "TOKEN" not in one["environment"], one
    assert one["command"] == ["echo", "hello"] and one["working_directory"] == "/usr", one
    daemon.make(isolation="container", template="ready", name="next")
    assert out(daemon.run("next", "echo $FROM_IMAGE$TOKEN; pwd")) == "yes\n/usr\n"
    ran = daemon.ask("POST", "/v1/sandboxes/next/exec", {})
    assert ran.status == 200 and ran.json()["stdout"] == "hello\n", ran
    daemon.make(isolation="virtual", name="virtual")
    out(daemon.run("virtual", "echo v > file"))
    made = daemon.ask("POST", "/v1/sandboxes/virtual/template", {"name": "virtual"})
    assert made.status == 201 and made.json()["isolation"] == "virtual" and made.json()["source"] == "sandbox", made
    daemon.make(isolation="virtual", template="virtual", name="again")
    assert out(daemon.run("again", "cat file")) == "v\n"
    assert daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "template": "virtual"}).status == 400
    assert daemon.ask("POST", "/v1/sandboxes/absent/template", {"name": "x"}).status == 404
    # A command of the shell's, and a session.
    link = ["--server", f"http://127.0.0.1:{daemon.port}", "--key-file", str(daemon.data / "admin.key")]
    shown = daemon.command("template", "create", *link, "--from", "next", "shell")
    assert shown.returncode == 0 and "shell@1" in shown.stdout, shown
    where = session(daemon, capabilities=[{"ref": "container_sandbox", "config": {"template": "ready"}}])
    assert not tool(daemon, where, "sandbox_create", name="one")["is_error"]
    assert "yes" in tool(daemon, where, "sandbox_exec", sandbox_id="one", command="echo $FROM_IMAGE")["content"]
    told = tool(daemon, where, "sandbox_create", name="two", image=IMAGE)
    assert told["is_error"] and "leave the image out" in told["content"], told


@case("T7 killed at random moments of creates, restores and templates: no image of ours stays that nobody needs")
def killed_templates(daemon, engine):
    seed = daemon.options.seed if daemon.options.seed is not None else random.randrange(2**32)
    print(f"     seed {seed}")
    dice = random.Random(seed)
    begin(daemon, engine)
    template(daemon, "kept", changed_root(("etc/mark", b"kept")))
    daemon.make(isolation="container", template="kept", name="kept")
    out(daemon.run("kept", "echo one > file"))
    theirs = ("localhost/theirs", f"{dice.getrandbits(40):x}")
    engine.import_image(changed_root(("etc/mark", b"theirs")), *theirs)
    for turn in range(daemon.options.kills):
        def client(turn=turn):
            try:
                template(daemon, "gone", changed_root(("etc/mark", f"{seed} {turn}".encode())))
                daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "template": "gone", "name": "gone"})
                daemon.ask("POST", "/v1/sandboxes/gone/template", {"name": "other"})
                daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "template": "other", "name": "other"})
                daemon.ask("DELETE", "/v1/sandboxes/gone")
                daemon.ask("DELETE", "/v1/templates/gone")
            except (OSError, ValueError, Exception):  # noqa: BLE001 - the daemon goes away under it
                pass
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(client)
            time.sleep(dice.uniform(0.05, 4))
            daemon.kill()
        begin(daemon, engine)
        for one in daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"]:
            if one["name"] != "kept":
                assert daemon.ask("DELETE", f"/v1/sandboxes/{one['id']}").status in (200, 204), seed
        for one in daemon.ask("GET", "/v1/templates").json()["templates"]:
            if one["name"] != "kept":
                assert daemon.ask("DELETE", f"/v1/templates/{one['id']}").status in (200, 204), seed
        tree = daemon.ask("GET", "/v1/templates/kept").json()["tree"].removeprefix("sha256:")
        assert eventually(lambda: all(tree in name for name in images(engine, deployment(daemon))), 60), (seed, images(engine, deployment(daemon)))
        assert eventually(lambda: count(things(engine, deployment(daemon))) == 2, 60), (seed, things(engine, deployment(daemon)))
        assert out(daemon.run("kept", "cat /etc/mark file")) == "keptone\n", seed
    assert engine.request("GET", f"/v1.41/images/{theirs[0]}:{theirs[1]}/json")[0] == 200
    assert engine.request("DELETE", f"/v1.41/images/{theirs[0]}:{theirs[1]}")[0] == 200


@case("twenty at once")
def twenty(daemon, engine):
    begin(daemon, engine)
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda number: daemon.make(isolation="container", name=f"n{number}"), range(20)))
        said = list(pool.map(lambda one: out(daemon.run(one, f"echo {one}")), made))
        assert said == [one + "\n" for one in made]
        replies = list(pool.map(lambda one: daemon.ask("DELETE", f"/v1/sandboxes/{one}").status, made))
    assert set(replies) <= {200, 204}, replies
    assert count(things(engine, deployment(daemon))) == 0


def fetch(port, seconds=20):
    """What an HTTP server on the host's loopback says; None when nobody answers in time."""
    until = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
                return answer.read().decode()
        except OSError:
            if time.monotonic() > until:
                return None
            time.sleep(0.05)


SERVE = "mkdir -p www{port}; echo {word} > www{port}/index.html; exec httpd -f -p 127.0.0.1:{port} -h www{port}"


def serve(daemon, sandbox, word, port=8000):
    reply = daemon.ask("POST", f"/v1/sandboxes/{sandbox}/processes", {"exec": {"script": SERVE.format(word=word, port=port)}})
    assert reply.status == 201, reply
    return reply.json()["id"]


@case("ports inside are the loopback's outside, also without a network, and the engine publishes none")
def ports(daemon, engine):
    begin(daemon, engine, auto_stop="2s")
    box = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "network": {"publish": [":8000", ":8001"]}, "lease": {"remove_after": "1h"}})
    assert box.status == 201, box
    box = box.json()
    assert [one["port"] for one in box["ports"]] == [8000, 8001] and all(one["host_port"] > 1023 for one in box["ports"]), box
    assert box["network"]["publish"] == [":8000", ":8001"], box["network"]
    ports = [one["host_port"] for one in box["ports"]]
    server = serve(daemon, box["id"], "first")
    assert fetch(ports[0]) == "first\n"
    assert fetch(ports[1], 0) is None, "nobody listens there"
    container = inspect(engine, things(engine, deployment(daemon))["container"][0]["Id"])
    assert not container["HostConfig"]["PortBindings"] and not any((container["NetworkSettings"].get("Ports") or {}).values()), container["NetworkSettings"]
    # A server that runs is use; without one it is stopped after two seconds, and its ports are nobody's.
    until = time.monotonic() + 4
    while time.monotonic() < until:
        assert fetch(ports[0]) == "first\n"
        time.sleep(0.2)
    state = lambda: daemon.ask("GET", f"/v1/sandboxes/{box['id']}").json()  # noqa: E731
    assert state()["state"] == "running"
    assert daemon.ask("POST", f"/v1/sandboxes/{box['id']}/processes/{server}/signal", {"signal": 9}).status == 200
    assert eventually(lambda: state()["state"] == "stopped")
    assert state()["ports"] == [] and fetch(ports[0], 0) is None
    serve(daemon, box["id"], "again")
    assert eventually(lambda: state()["ports"]), state()
    assert fetch(state()["ports"][0]["host_port"]) == "again\n"
    daemon.kill()
    begin(daemon, engine, auto_stop="2s")
    serve(daemon, box["id"], "after")
    assert eventually(lambda: state()["ports"]) and fetch(state()["ports"][0]["host_port"]) == "after\n"
    # A fork has them by others of the host's.
    forked = daemon.ask("POST", f"/v1/sandboxes/{box['id']}/fork", {"count": 1})
    assert forked.status in (200, 201), forked
    fork = forked.json()["forks"][0]["sandbox"]
    assert [one["port"] for one in fork["ports"]] == [8000, 8001], fork
    assert not {one["host_port"] for one in fork["ports"]} & {one["host_port"] for one in state()["ports"]}, fork
    serve(daemon, fork["id"], "fork", 8001)
    assert fetch(fork["ports"][1]["host_port"]) == "fork\n"


@case("ports of the command line, of the host's choice, and of whom may choose")
def chosen_ports(daemon, engine):
    begin(daemon, engine)
    server = ("--server", f"http://127.0.0.1:{daemon.port}", "--key-file", str(daemon.data / "admin.key"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = taken.getsockname()[1]
        refused = daemon.command("create", *server, "-i", "container", "--publish", f"{busy}:8000", "one")
        assert refused.returncode != 0 and f"127.0.0.1:{busy}" in refused.stderr, refused
        assert daemon.ask("GET", "/v1/sandboxes/one").status == 404 and count(things(engine, deployment(daemon))) == 0
    made = daemon.command("create", *server, "-i", "container", "--publish", f"{busy}:8000", "one")
    assert made.returncode == 0 and f"port 8000 inside is 127.0.0.1:{busy}\n" in made.stderr, made
    serve(daemon, "one", "cli")
    assert fetch(busy) == "cli\n"
    assert daemon.ask("DELETE", "/v1/sandboxes/one").status in (200, 204)
    assert fetch(busy, 0) is None
    user = daemon.command("key", "create", "--data", str(daemon.data), "--role", "user", "ann").stdout.strip()
    asked = lambda words, **more: daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "network": {"publish": words}}, **more)  # noqa: E731
    refused = asked([f"{busy}:80"], key=user)
    assert refused.status == 403 and "administrator" in refused.json()["error"]["message"], refused
    for bad in (["80:80"], ["x"], ["1-2"], [""], ["0"], ["70000"], [":1"] * 65):
        refused = asked(bad)
        assert refused.status == 400 and "publish" in refused.json()["error"]["message"], (bad, refused)
    refused = daemon.ask("POST", "/v1/sandboxes", {"isolation": "virtual", "network": {"publish": [":80"]}})
    assert refused.status == 400 and "has no ports" in refused.json()["error"]["message"], refused
    assert asked([":80"], key=user).status == 201


@case("ports of a capability are published and told to the model")
def tool_ports(daemon, engine):
    begin(daemon, engine)
    where = session(daemon, capabilities=[{"ref": "container_sandbox", "config": {"allowed_ports": [8000]}}])
    made = tool(daemon, where, "sandbox_create", name="web")
    assert not made["is_error"], made
    address = made["structured"]["ports"][0]["address"]
    assert made["structured"]["ports"][0]["port"] == 8000 and address in made["content"], made
    assert not tool(daemon, where, "sandbox_exec", command=SERVE.format(word="tool", port=8000), background=True)["is_error"]
    assert fetch(address.split(":")[1]) == "tool\n"
    listed = tool(daemon, where, "sandbox_list")["structured"]["sandboxes"]
    assert listed[0]["ports"] == made["structured"]["ports"], listed


@case("posture: what was found after the start is told over REST, by tools and by a run")
def posture(daemon, engine):
    begin(daemon, engine)
    box = daemon.make(isolation="container", name="box")
    told = daemon.ask("GET", f"/v1/sandboxes/{box}").json()["posture"]
    map_inside = out(daemon.run(box, "cat /proc/self/uid_map")).splitlines()[0].split()
    assert told == {"runtime": told["runtime"], "user_map": " ".join(map_inside), "root_is_somebody_else": map_inside[1] != "0", "seccomp": True, "no_new_privileges": True,
                    "capabilities": "0" * 16}, told
    assert told["runtime"] == inspect(engine, things(engine, deployment(daemon))["container"][0]["Id"])["HostConfig"]["Runtime"] or engine.name == "podman", told
    assert told["runtime"] in ("runc", "crun"), told
    server = ("--server", f"http://127.0.0.1:{daemon.port}", "--key-file", str(daemon.data / "admin.key"))
    assert json.loads(daemon.command("inspect", *server, "box").stdout)["posture"] == told
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/stop").json()["posture"] is None
    where = session(daemon, capabilities=["container_sandbox"])
    made = tool(daemon, where, "sandbox_create")["structured"]
    assert made["user_namespace"] == told["root_is_somebody_else"] and made["runtime"] == told["runtime"], made
    ran = run(daemon, engine, "--json", "true")
    own = json.loads(ran.stdout)["posture"]
    assert {**own, "runtime": None} == {**told, "runtime": None}, ran
    assert own["runtime"] == (told["runtime"] if engine.name == "docker" else None), "Podman is not asked, which would take long"
    daemon.stop()
    begin(daemon, engine, user_namespace="remapped")
    refused = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container"})
    if told["root_is_somebody_else"]:
        assert refused.status == 201, refused
        return
    assert refused.status == 409 and "containers.user_namespace" in refused.json()["error"]["message"], refused
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/start").status == 409, "nor one that was made before"


@case("quotas of containers hold for twenty creates at once, of an owner and of a session")
def quotas(daemon, engine):
    config = daemon.data.parent / "paddock.toml"
    begin(daemon, engine)
    daemon.stop()
    config.write_text(config.read_text() + "[quota]\ncontainers = 3\nsession_containers = 2\n[quota.owners.ann]\ncontainers = 1\n")
    daemon.start("--config", str(config))
    user = daemon.command("key", "create", "--data", str(daemon.data), "--role", "user", "ann").stdout.strip()

    def at_once(key):
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            return list(pool.map(lambda _: daemon.ask("POST", "/v1/sandboxes", {"isolation": "container"}, key=key), range(20)))
    replies = at_once(daemon.key)
    assert sorted(one.status for one in replies) == [201] * 3 + [429] * 17, replies
    assert all("quota.containers" in one.json()["error"]["message"] for one in replies if one.status == 429), replies
    assert len(things(engine, deployment(daemon))["container"]) == 3
    assert sorted(one.status for one in at_once(user)) == [201] + [429] * 19
    assert daemon.ask("POST", "/v1/sandboxes", {"isolation": "virtual"}).status == 201, "others are not meant"
    for one in (reply.json()["id"] for reply in replies if reply.status == 201):
        assert daemon.ask("DELETE", f"/v1/sandboxes/{one}").status in (200, 204)
    where = session(daemon, capabilities=["container_sandbox"])
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda _: tool(daemon, where, "sandbox_create"), range(20)))
    assert sum(not one["is_error"] for one in made) == 2 and all("quota.session_containers" in one["content"] for one in made if one["is_error"]), made
    other = session(daemon, capabilities=["container_sandbox"])
    assert not tool(daemon, other, "sandbox_create")["is_error"]
    told = tool(daemon, other, "sandbox_create")
    assert told["is_error"] and "quota.containers" in told["content"], told


@case("containers.disk is what one has, and the most that may be asked for")
def disk_setting(daemon, engine):
    begin(daemon, engine, disk="32MiB")
    refused = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container", "limits": {"disk": "64MiB"}})
    assert refused.status == 400 and "containers.disk" in refused.json()["error"]["message"], refused
    box = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container"}).json()
    assert box["limits"]["disk"] == 32 << 20, box["limits"]
    ended = daemon.run(box["id"], "for i in 1 2 3 4 5 6 7 8; do dd if=/dev/zero of=f$i bs=1M count=8 2>/dev/null; done; sleep 100")
    assert ended["termination"]["reason"] == "disk" and ended["exit_code"] is None, ended
    assert out(daemon.run(box["id"], "rm -f f*; echo ok")) == "ok\n"


@case("containers.profile_directory is where Podman's filter lies")
def profiles(daemon, engine):
    folder = engine.folder / "files" / "profiles" if engine.name == "podman" else daemon.data.parent / "profiles"
    folder.mkdir()
    begin(daemon, engine, profile_directory=str(folder))
    before = folder.stat().st_mtime_ns
    box = daemon.make(isolation="container")
    assert out(daemon.run(box, "grep Seccomp: /proc/self/status")) == "Seccomp:\t2\n"
    assert (folder.stat().st_mtime_ns != before) == (engine.name == "podman"), "Docker takes it in the request"
    daemon.stop()
    begin(daemon, engine, profile_directory="/nowhere/at/all")
    reply = daemon.ask("POST", "/v1/sandboxes", {"isolation": "container"})
    assert reply.status == 201 if engine.name == "docker" else reply.status >= 400 and "/nowhere/at/all" in reply.json()["error"]["message"], reply


# ---- sessions and tools

@case("C1 without the flag there are no containers for sessions")
def no_flag(daemon, engine):
    begin(daemon, engine, features=False)
    reply = daemon.ask("POST", "/v1/sessions", {"capabilities": ["container_sandbox"]})
    assert reply.status >= 400 and "FEATURE_CONTAINER_SANDBOX" in reply.json()["error"]["message"], reply


@case("L4, C8 several containers of a session of the coding-container harness")
def several(daemon, engine):
    begin(daemon, engine, network="isolated")
    where = session(daemon, harness="coding-container")
    assert "sandbox_create" in [one["name"] for one in daemon.ask("GET", f"/v1/sessions/{where}/tools").json()["tools"]]
    told = tool(daemon, where, "sandbox_exec", command="true")
    assert told["is_error"] and "sandbox_create" in told["content"], told
    ids = []
    for name in ("one", "two", "three"):
        created = tool(daemon, where, "sandbox_create", name=name)
        assert not created["is_error"], created
        ids.append(created["structured"]["sandbox_id"] if "structured" in created else name)
    assert len(things(engine, deployment(daemon))["network"]) == 3
    told = tool(daemon, where, "sandbox_exec", command="true")
    assert told["is_error"] and all(name in told["content"] for name in ids), told
    ran = tool(daemon, where, "sandbox_exec", sandbox_id="two", command="echo out; echo err >&2; exit 7")
    assert not ran["is_error"] and "out" in ran["content"] and "7" in ran["content"], ran
    assert not tool(daemon, where, "sandbox_write_file", sandbox_id="one", path="/workspace/a/b.txt", content="é\n")["is_error"]
    assert "é" in tool(daemon, where, "sandbox_read_file", sandbox_id="one", path="/workspace/a/b.txt")["content"]
    assert tool(daemon, where, "sandbox_read_file", sandbox_id="two", path="/workspace/a/b.txt")["is_error"]
    assert not tool(daemon, where, "sandbox_download", sandbox_id="one", container_path="/workspace/a/b.txt", session_path="/b.txt")["is_error"]
    assert not tool(daemon, where, "sandbox_upload", sandbox_id="two", container_path="/workspace/b.txt", session_path="/b.txt")["is_error"]
    for action in ("stop", "stop", "start", "start"):
        assert not tool(daemon, where, "sandbox_manage", sandbox_id="two", action=action)["is_error"], action
    assert "é" in tool(daemon, where, "sandbox_read_file", sandbox_id="two", path="/workspace/b.txt")["content"]
    for name in ("one", "two", "three"):
        assert not tool(daemon, where, "sandbox_manage", sandbox_id=name, action="remove")["is_error"], name
    assert count(things(engine, deployment(daemon))) == 0


@case("L5 twenty creates with one key are one container")
def one_key(daemon, engine):
    begin(daemon, engine)
    where = session(daemon, capabilities=["container_sandbox"])
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda _: tool(daemon, where, "sandbox_create", idempotency_key="k"), range(20)))
    assert any(not one["is_error"] for one in made), made
    found = things(engine, deployment(daemon))
    assert [len(found[kind]) for kind in ("container", "network", "volume")] == [1, 0, 1], found


@case("C7 the nearest level's image wins, within what the operator allows")
def levels(daemon, engine):
    begin(daemon, engine, images=["localhost/base"])
    where = session(daemon, capabilities=[{"ref": "container_sandbox", "config": {"image": "evil/thing:1"}}])
    told = tool(daemon, where, "sandbox_create")
    assert told["is_error"] and "operator allows" in told["content"], told
    where = session(daemon, capabilities=[{"ref": "container_sandbox", "config": {"image": IMAGE, "memory_limit": "64m", "docker_host": f"unix://{engine.socket}"}}])
    assert not tool(daemon, where, "sandbox_create")["is_error"]
    assert inspect(engine, things(engine, deployment(daemon))["container"][0]["Id"])["HostConfig"]["Memory"] == 64 << 20
    where = session(daemon, capabilities=[{"ref": "container_sandbox", "config": {"docker_host": "tcp://127.0.0.1:9"}}])
    told = tool(daemon, where, "sandbox_create")
    assert told["is_error"] and "containers.engines" in told["content"], told


# ---- paddock run

def run(daemon, engine, *words, **more):
    return subprocess.run([daemon.paddock, "run", "-i", "container", "--docker-host", f"unix://{engine.socket}", "--image", IMAGE, *words],
                          capture_output=True, text=True, timeout=120, **more)


@case("a run has an exit status, streams, stdin and leaves nothing")
def one_run(daemon, engine):
    ran = run(daemon, engine, "cat; echo err >&2; exit 7", input="text")
    assert (ran.returncode, ran.stdout, ran.stderr) == (7, "text", "err\n"), ran
    assert run(daemon, engine, "--limits", "time=300ms", "sleep 100 & sleep 100").returncode == 124
    assert run(daemon, engine, "--", "/no/such/program").returncode == 127
    refused = run(daemon, engine, "--workspace", "/", "true")
    assert refused.returncode == 2 and "--workspace" in refused.stderr, refused
    assert count(things(engine, "cli")) == 0


@case("a run that is killed leaves nothing")
def killed_run(daemon, engine):
    child = subprocess.Popen([daemon.paddock, "run", "-i", "container", "--docker-host", f"unix://{engine.socket}", "--image", IMAGE, "echo begun; sleep 1000"],
                             stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"begun\n"
    assert len(things(engine, "cli")["container"]) == 1
    child.kill()
    child.wait()
    assert eventually(lambda: count(things(engine, "cli")) == 0), things(engine, "cli")


# ---- where the agent cannot run

def without_agent(daemon):
    """The program, beside which lies an agent for another architecture."""
    folder = daemon.data.parent / "bin"
    if not folder.exists():
        folder.mkdir(parents=True)
        shutil.copy(daemon.paddock, folder / "paddock")
        machine = 243 if os.uname().machine == "aarch64" else 183   # RISC-V, AArch64
        head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0)
        (folder / "paddock-guest").write_bytes(head + struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 120, 120, 0x1000))
        (folder / "paddock-guest").chmod(0o755)
    return str(folder / "paddock")


@case("without an agent: a run says so, has an exit status, streams, stdin and leaves nothing")
def plain_run(daemon, engine):
    whole = daemon.paddock
    daemon.paddock = without_agent(daemon)
    try:
        ran = run(daemon, engine, "cat; echo err >&2; exit 7", input="text")
        assert (ran.returncode, ran.stdout) == (7, "text"), ran
        assert "paddock-guest cannot run in this container (exec format error)" in ran.stderr and ran.stderr.endswith("\nerr\n"), ran
        ran = run(daemon, engine, "--json", "id -u; cat /proc/self/status")
        told = json.loads(ran.stdout)
        assert any("paddock-guest cannot run" in warning for warning in told["warnings"]), told
        assert told["stdout"].startswith("1000\n") and "NoNewPrivs:\t1" in told["stdout"] and "Seccomp:\t2" in told["stdout"] and "CapBnd:\t0000000000000000" in told["stdout"], told
        assert run(daemon, engine, "--limits", "time=300ms", "sleep 100 & sleep 100").returncode == 124
        assert run(daemon, engine, "--", "/no/such/program").returncode == 127
        refused = run(daemon, engine, "--allow-host", "example.org", "true")
        assert refused.returncode == 125 and "the network is not to be had" in refused.stderr, refused
        assert count(things(engine, "cli")) == 0
        killed_run(daemon, engine)
    finally:
        daemon.paddock = whole


@case("without an agent: files, rest and a new daemon")
def plain_kept(daemon, engine):
    whole = daemon.paddock
    daemon.paddock = without_agent(daemon)
    try:
        begin(daemon, engine)
        sandbox = daemon.make(isolation="container")
        told = daemon.ask("GET", f"/v1/sandboxes/{sandbox}").json()
        assert any("paddock-guest cannot run" in warning for warning in told["warnings"]), told
        assert out(daemon.run(sandbox, "echo here > /tmp/file; echo kept > file; echo $((6 * 7))")) == "42\n"
        content = random.Random(1).randbytes(300_000)
        assert daemon.ask("PUT", f"/v1/sandboxes/{sandbox}/files/content?path=/workspace/bytes", content).status in (200, 201, 204)
        assert daemon.ask("GET", f"/v1/sandboxes/{sandbox}/files/content?path=/workspace/bytes").body == content
        assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/pause").status == 200
        assert [one["State"] for one in things(engine, deployment(daemon))["container"]] == ["paused"]
        assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/resume").status == 200
        assert out(daemon.run(sandbox, "cat /tmp/file")) == "here\n"
        assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/stop").status == 200
        assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/start").status == 200
        assert out(daemon.run(sandbox, "cat file")) == "kept\n"
        daemon.kill()
        begin(daemon, engine)
        assert out(daemon.run(sandbox, "cat file; wc -c < bytes")) == "kept\n300000\n"
        assert daemon.ask("DELETE", f"/v1/sandboxes/{sandbox}").status in (200, 204)
        assert count(things(engine, deployment(daemon))) == 0
    finally:
        daemon.paddock = whole


# ---- without an engine

@case("oci: from a template, with snapshots and forks")
def oci(daemon, _engine):
    if not shutil.which("crun") and not shutil.which("runc"):
        raise Skipped("no runtime (apt install crun)")
    if os.getuid() != 0:
        raise Skipped("takes root")
    daemon.start()
    archive = daemon.data.parent / "root.tar"
    archive.write_bytes(engines_for_test.busybox_root())
    made = daemon.command("template", "create", "--server", f"http://127.0.0.1:{daemon.port}", "--key-file", str(daemon.data / "admin.key"), "base", str(archive))
    assert made.returncode == 0, made
    refused = daemon.ask("POST", "/v1/sandboxes", {"isolation": "oci"})
    assert refused.status == 400 and "template" in refused.json()["error"]["message"], refused
    sandbox = daemon.make(isolation="oci", template="base", name="first")
    assert out(daemon.run(sandbox, "id -u; grep Seccomp: /proc/self/status; echo one > file; pwd")) == "1000\nSeccomp:\t2\n/workspace\n"
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/snapshots", {"name": "before"}).status == 201
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/fork", {"count": 1, "name": "copy"}).status in (200, 201)
    out(daemon.run("copy", "cat file; echo two > file"))
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/pause").status == 200
    assert daemon.ask("POST", f"/v1/sandboxes/{sandbox}/resume").status == 200
    assert out(daemon.run(sandbox, "cat file")) == "one\n"
    daemon.kill()
    daemon.start()
    assert out(daemon.run("copy", "cat file")) == "two\n"
    assert daemon.ask("POST", "/v1/sandboxes/copy/restore", {"snapshot": "before"}).status == 200
    assert out(daemon.run("copy", "cat file")) == "one\n"
    name = "paddock-oci-" + deployment(daemon)
    for one in ("first", "copy"):
        assert daemon.ask("DELETE", f"/v1/sandboxes/{one}").status in (200, 204)
    assert daemon.stop() == 0
    left = [str(path) for path in pathlib.Path("/sys/fs/cgroup").glob(f"**/{name}")]
    assert not left, left


@case("oci: a run of a directory")
def oci_run(daemon, _engine):
    if not shutil.which("crun") and not shutil.which("runc"):
        raise Skipped("no runtime (apt install crun)")
    if os.getuid() != 0:
        raise Skipped("takes root")
    root = daemon.data.parent / "root"
    root.mkdir()
    with tarfile.open(fileobj=io.BytesIO(engines_for_test.busybox_root())) as tar:
        tar.extractall(root)
    ran = subprocess.run([daemon.paddock, "run", "-i", "oci", "--root", str(root), "cat; echo err >&2; exit 7"], input="text", capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout, ran.stderr) == (7, "text", "err\n"), ran
    refused = subprocess.run([daemon.paddock, "run", "-i", "oci", "true"], capture_output=True, text=True, timeout=120)
    assert refused.returncode == 2 and "--root" in refused.stderr, refused
    left = [str(path) for path in pathlib.Path("/sys/fs/cgroup").glob("*/paddock-oci-cli")]
    assert not left, left


def run_on_engines(description, all_cases):
    """Runs each case on each engine, with a daemon of its own; what a case leaves on the engine goes. The exit status."""
    def options(parser):
        parser.add_argument("--engine", default="", metavar="NAME", help="docker or podman alone")
        parser.add_argument("--kills", type=int, default=4, help="how often the daemon is killed in L10")
        parser.add_argument("--seed", type=int, default=None)

    folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-containers-", dir="/var/tmp"))   # where overlays can be
    try:
        with engines_for_test.started(folder) as engines:
            cases = []

            def missing(reason):
                def skip(_):
                    raise Skipped(reason)
                return skip
            for name, reason in engines.missing.items():
                cases.append((name, missing(reason)))
            for name, function in all_cases:
                if name.startswith("oci: "):
                    cases.append((name, lambda daemon, function=function: function(daemon, None)))
            for engine in engines.running:
                for name, function in all_cases:
                    if name.startswith("oci: "):
                        continue
                    def bound(daemon, function=function, engine=engine):
                        if daemon.options.engine not in ("", engine.name):
                            raise Skipped("another engine was asked for")
                        try:
                            function(daemon, engine)
                        finally:
                            daemon.stop()
                            for one in things(engine)["container"]:   # of a case that failed
                                engine.request("DELETE", f"/v1.41/containers/{one['Id']}?force=1&v=1")
                            for one in things(engine)["network"]:
                                engine.request("DELETE", f"/v1.41/networks/{one['Id']}")
                            for one in things(engine)["volume"]:
                                engine.request("DELETE", f"/v1.41/volumes/{one['Name']}?force=1")
                            for one in images(engine) + images(engine):
                                engine.request("DELETE", f"/v1.41/images/{one}?force=1")
                    cases.append((f"{engine.name}: {name}", bound))
            return run_cases(description, cases, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(run_on_engines(__doc__, CASES))
