#!/usr/bin/env python3
"""Starts `paddock serve` and looks at the accounts it keeps: what sandboxes have used and what that costs, after deletion, restart and
kill -9, for two owners; how long what is over is kept.

    run_usage.py [--paddock FILE] [--only RE]

The last line is "N passed, N failed, N skipped".
"""

import decimal
import json
import os
import subprocess
import sys
import time

from daemon_for_test import run_cases

CASES = []
RATES = '[rates]\ncurrency = "EUR"\ncpu_hour = 0.0504\nmemory_gib_hour = 0.0162\ndisk_gib_hour = 0.1\ntransfer_gib = 0.09\n'


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def start(daemon, text=RATES):
    config = daemon.data.parent / "paddock.toml"
    config.write_text(text)
    return daemon.start("--config", str(config))


def owner_key(daemon, owner, role="user"):
    made = daemon.command("key", "create", "--data", str(daemon.data), "--role", role, owner)
    assert made.returncode == 0, made
    return made.stdout.strip()


def usage(daemon, box, query="", **more):
    reply = daemon.ask("GET", f"/v1/sandboxes/{box}/usage{query}", **more)
    assert reply.status == 200, reply
    return reply.json()


def total(daemon, query="", **more):
    reply = daemon.ask("GET", f"/v1/usage{query}", **more)
    assert reply.status == 200, reply
    return reply.json()


def dec(text):
    return decimal.Decimal(text)


BURN = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; seq 1000 > /tmp/file; echo done"


@case("what is used is measured, priced both ways, and adds up")
def measured(daemon):
    start(daemon)
    before = time.monotonic()
    box = daemon.make(name="one", labels={"team": "red"}, limits={"memory": "64MiB"})
    for _ in range(3):
        assert daemon.run(box, BURN)["stdout"] == "done\n"
    assert daemon.ask("PUT", f"/v1/sandboxes/{box}/files/content?path=/tmp/up", b"x" * 5000).status == 200
    assert len(daemon.ask("GET", f"/v1/sandboxes/{box}/files/content?path=/tmp/up").body) == 5000
    seen = usage(daemon, "one")
    most = (time.monotonic() - before) * 1000
    used = seen["usage"]
    assert used["execs"] == 3 and used["output_bytes"] == 15 and used["upload_bytes"] == 5000 and used["download_bytes"] == 5000, used
    assert 1 < used["cpu_ms"] <= used["active_ms"] + 5 <= used["alive_ms"] + 10 <= most + 50, (used, most)
    assert used["reserved_cpu_ms"] == used["alive_ms"], used
    assert abs(used["reserved_memory_gib_seconds"] - used["alive_ms"] / 1000 / 16) < 1e-6, used
    assert used["disk_gib_seconds"] >= 0 and used["memory_gib_seconds"] >= 0, used
    assert "network_in_bytes" not in used and "disk_read_bytes" not in used, "what is not measured is absent"
    price = seen["price"]
    assert price["currency"] == "EUR", price
    for way in ("active", "alive"):
        parts = price[way]
        assert dec(parts["total"]) == sum(dec(parts[name]) for name in ("cpu", "memory", "disk", "transfer")), parts
    exact = (dec(str(used["cpu_ms"])) * dec("0.0504") / 3_600_000).quantize(dec("1e-9"), decimal.ROUND_HALF_UP)
    assert abs(dec(price["active"]["cpu"]) - exact) <= dec("1e-9"), (price, exact)
    exact = (dec(10015) * dec("0.09") / 2 ** 30).quantize(dec("1e-9"), decimal.ROUND_HALF_UP)
    assert dec(price["active"]["transfer"]) == exact == dec(price["alive"]["transfer"]), (price, exact)

    two = daemon.make(labels={"team": "blue"})
    daemon.run(two, BURN)
    groups = total(daemon, "?group_by=sandbox")
    assert {group["key"] for group in groups["groups"]} == {box, two} and groups["sandboxes"] == 2, groups
    assert groups["usage"]["execs"] == sum(group["usage"]["execs"] for group in groups["groups"]) == 4, groups
    colours = {group["key"]: group["usage"]["execs"] for group in total(daemon, "?group_by=label&label=team")["groups"]}
    assert colours == {"red": 3, "blue": 1}, colours
    first = total(daemon, "?group_by=sandbox&limit=1")
    second = total(daemon, f"?group_by=sandbox&limit=1&after={first['next']}")
    assert second["next"] is None and {first["groups"][0]["key"], second["groups"][0]["key"]} == {box, two}, (first, second)
    assert total(daemon, "?since=2020-01-01&until=2020-02-01")["usage"]["execs"] == 0
    hour = time.strftime("%Y-%m-%dT%H:00:00Z", time.gmtime())
    assert total(daemon, f"?since={hour}")["since"] == hour.replace("Z", ".000Z")
    for bad in ("?since=yesterday", "?since=2026-13-01", "?since=2026-01-01T25:00:00Z", "?group_by=label", "?label=team", "?since=2026-02-01&until=2026-01-01", "?limit=0",
                "?group_by=colour", "?sinc=2026-01-01"):
        assert daemon.ask("GET", "/v1/usage" + bad).status == 400, bad


@case("behind the process wall, too, also of what is left running")
def walled(daemon):
    start(daemon)
    if daemon.ask("POST", "/v1/sandboxes", {"isolation": "process"}).status != 201:
        assert os.geteuid() != 0
        return
    box = daemon.make(isolation="process")
    daemon.run(box, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo over")
    used = usage(daemon, box)["usage"]
    assert used["execs"] == 1 and used["cpu_ms"] >= 50 and used["memory_gib_seconds"] > 0, used
    assert "disk_gib_seconds" not in used and "network_in_bytes" not in used, used
    long = daemon.ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": "while :; do :; done"}}).json()
    until = time.monotonic() + 30
    while usage(daemon, box)["usage"]["cpu_ms"] < used["cpu_ms"] + 200:   # seen while it runs
        assert time.monotonic() < until
        time.sleep(0.2)
    daemon.ask("POST", f"/v1/sandboxes/{box}/processes/{long['id']}/signal", {"signal": 9})


@case("behind the process wall bytes of disk and network are counted, and what is not measured is absent")
def carried(daemon):
    start(daemon)
    if daemon.ask("POST", "/v1/sandboxes", {"isolation": "process"}).status != 201:
        assert os.geteuid() != 0
        return
    box = daemon.make(isolation="process", network={"allow": ["allowed.example:443"]})
    first = usage(daemon, box)["usage"]
    assert "disk_written_bytes" not in first and "network_in_bytes" not in first, first   # nothing ran: nobody looked
    done = daemon.run(box, "head -c 4194304 /dev/urandom > f; sync f; (sleep 0; head -c 2097152 /dev/urandom > g; sync g) & wait; echo over")
    assert done["stdout"] == "over\n", done
    used = usage(daemon, box)["usage"]
    if os.geteuid() == 0:
        assert 6 << 20 <= used["disk_written_bytes"] < 64 << 20 and used["disk_read_bytes"] >= 0, used
    # The engine counts what it carried; a destination that it refuses is none.
    assert used["network_in_bytes"] == used["network_out_bytes"] == 0, used
    daemon.run(box, "echo more > h; sync h")
    again = usage(daemon, box)["usage"]
    assert again.get("disk_written_bytes", 0) >= used.get("disk_written_bytes", 0), (used, again)
    for name in ("disk_written_bytes", "network_in_bytes"):
        if name in again:
            assert total(daemon)["usage"][name] == again[name], name


@case("two owners: each sees its own, an admin all; absent and somebody else's are one")
def owners(daemon):
    start(daemon)
    ann, bob = owner_key(daemon, "ann"), owner_key(daemon, "bob")
    boxes = {}
    for owner, key, execs in (("ann", ann, 1), ("bob", bob, 2)):
        boxes[owner] = daemon.ask("POST", "/v1/sandboxes", {"labels": {"of": owner}}, key=key).json()["id"]
        for _ in range(execs):
            assert daemon.ask("POST", f"/v1/sandboxes/{boxes[owner]}/exec", {"script": ":"}, key=key).status == 200
    assert total(daemon, key=ann)["usage"]["execs"] == 1 and total(daemon, key=bob)["usage"]["execs"] == 2
    assert total(daemon, "?owner=bob", key=ann)["usage"]["execs"] == 0
    assert total(daemon, "?owner=nobody", key=ann)["sandboxes"] == total(daemon, "?owner=bob", key=ann)["sandboxes"] == 0
    everybody = {group["key"]: group["usage"]["execs"] for group in total(daemon, "?group_by=owner")["groups"]}
    assert everybody == {"ann": 1, "bob": 2}, everybody
    assert total(daemon, "?owner=bob")["usage"]["execs"] == 2
    assert [group["key"] for group in total(daemon, "?group_by=label&label=of", key=ann)["groups"]] == ["ann"]

    def refusal(box):
        reply = daemon.ask("GET", f"/v1/sandboxes/{box}/usage", key=ann)
        return reply.status, reply.json()["error"]["message"].replace(box, "X")
    never = "sbx_" + "a" * 20
    assert refusal(boxes["bob"]) == refusal(never) == (404, "no sandbox 'X'")
    assert daemon.ask("DELETE", f"/v1/sandboxes/{boxes['bob']}", key=bob).status == 204
    assert refusal(boxes["bob"]) == refusal(never), "nor once it is deleted"
    assert usage(daemon, boxes["bob"], key=bob)["usage"]["execs"] == 2
    assert usage(daemon, boxes["bob"])["usage"]["execs"] == 2, "an admin"
    assert daemon.ask("GET", f"/v1/sandboxes/{boxes['bob']}", key=bob).status == 404


@case("usage survives deletion, a stop and a kill -9; little is lost, nothing counted twice")
def survives(daemon):
    start(daemon)
    kept, gone = daemon.make(name="kept"), daemon.make(name="gone")
    for box in (kept, gone):
        daemon.run(box, BURN)
    assert daemon.ask("DELETE", f"/v1/sandboxes/{gone}").status == 204
    first = {box: usage(daemon, box)["usage"] for box in (kept, gone)}
    assert daemon.stop() == 0
    time.sleep(1.5)   # time without a daemon is nobody's
    start(daemon)
    for box in (kept, gone):
        now = usage(daemon, box)["usage"]
        assert (now["execs"], now["output_bytes"], now["cpu_ms"]) == (1, 5, first[box]["cpu_ms"]), now
    assert usage(daemon, gone)["usage"] == first[gone], "of what is gone nothing grows"
    assert usage(daemon, kept)["usage"]["alive_ms"] < first[kept]["alive_ms"] + 1400
    daemon.run(kept, BURN)
    noted = usage(daemon, kept)["usage"]
    time.sleep(7)   # what is older than six seconds is on disk
    daemon.kill()
    start(daemon)
    after = usage(daemon, kept)["usage"]
    assert (after["execs"], after["cpu_ms"]) == (2, noted["cpu_ms"]), (noted, after)
    assert after["alive_ms"] >= noted["alive_ms"] + 5500, "it lived until the kill"
    assert usage(daemon, gone)["usage"] == first[gone]
    assert daemon.ask("POST", f"/v1/sandboxes/{kept}/pause", {}).status == 200
    paused = usage(daemon, kept)["usage"]["alive_ms"]
    time.sleep(0.3)
    assert usage(daemon, kept)["usage"]["alive_ms"] == paused, "at rest it is not alive"
    daemon.kill()
    start(daemon)
    assert usage(daemon, kept)["usage"]["alive_ms"] == paused, "what was before the pause is noted with it"


@case("a long exec is seen while it runs, and what a kill -9 takes of it is little")
def long_exec(daemon):
    start(daemon)
    box = daemon.make()
    daemon.ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": "while :; do :; done"}})
    time.sleep(8)
    daemon.kill()
    start(daemon)
    used = usage(daemon, box)["usage"]
    assert used["active_ms"] >= 1500 and used["cpu_ms"] >= 50 and used["execs"] == 0, used


@case("usage of what was deleted goes when its time is over")
def forgotten(daemon):
    start(daemon, '[retention]\ndeleted = "1s"\n')
    box, other = daemon.make(), daemon.make()
    daemon.run(box, ":")
    assert daemon.ask("DELETE", f"/v1/sandboxes/{box}").status == 204
    assert usage(daemon, box)["usage"]["execs"] == 1
    daemon.stop()
    time.sleep(1.1)
    start(daemon, '[retention]\ndeleted = "1s"\n')
    until = time.monotonic() + 20
    while daemon.ask("GET", f"/v1/sandboxes/{box}/usage").status != 404:
        assert time.monotonic() < until
        time.sleep(0.2)
    assert usage(daemon, other)["usage"]["execs"] == 0


@case("paddock usage: a table for people, JSON for programs")
def cli(daemon):
    start(daemon)
    box = daemon.make(name="dev", labels={"team": "red"})
    daemon.run(box, BURN)

    def paddock(*words):
        environment = dict(os.environ, PADDOCK_SERVER=f"unix:{daemon.data}/paddock.sock")
        return subprocess.run([daemon.paddock, "usage", *words], capture_output=True, text=True, timeout=60, env=environment)
    table = paddock("dev")
    assert table.returncode == 0 and "PRICE ALIVE" in table.stdout and "EUR" in table.stdout and "dev" in table.stdout, table
    everything = paddock()
    assert everything.returncode == 0 and box in everything.stdout and "total" in everything.stdout, everything
    by_label = json.loads(paddock("--json", "--by", "label:team").stdout)
    assert by_label["groups"][0]["key"] == "red" and by_label["groups"][0]["usage"]["execs"] == 1, by_label
    assert json.loads(paddock("--json", "dev").stdout)["usage"]["execs"] == 1
    assert paddock("nothing").returncode == 1 and paddock("--since", "never").returncode == 1 and paddock("a", "b").returncode == 2


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES))
