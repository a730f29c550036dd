#!/usr/bin/env python3
"""Sessions, tools, keys, agents and harnesses of `paddock serve` as an agent framework uses them over HTTP; kills the daemon with -9 and
looks at what is there afterwards.

    run_sessions.py [--paddock FILE] [--only RE]

The last line is "N passed, N failed, N skipped".
"""

import concurrent.futures
import io
import re
import sys
import tarfile
import time

from daemon_for_test import Skipped, run_cases

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def session(daemon, key=..., /, **body):
    reply = daemon.ask("POST", "/v1/sessions", body, key=key)
    assert reply.status == 201, reply
    return reply.json()["id"]


def tool(daemon, where, named, /, **arguments):
    reply = daemon.ask("POST", f"/v1/sessions/{where}/tools/{named}", {"arguments": arguments})
    assert reply.status == 200, reply
    return reply.json()


def text(daemon, where, named, /, **arguments):
    result = tool(daemon, where, named, **arguments)
    return ("ERROR: " if result["is_error"] else "") + result["content"]


def new_key(daemon, owner, role="user"):
    made = daemon.command("key", "create", "--data", str(daemon.data), "--role", role, owner)
    assert made.returncode == 0, made
    return made.stdout.strip()


def together(count, work):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def refused(reply, status, words):
    assert reply.status == status and words in reply.json()["error"]["message"], reply


@case("an agent works in a session: its shell, sandboxes, storage and keys")
def works(daemon):
    daemon.start()
    where = session(daemon, name="work", labels={"team": "a"}, prompt="Be brief.")
    assert daemon.ask("GET", "/v1/sessions/work").json()["id"] == where
    assert [one["id"] for one in daemon.ask("GET", "/v1/sessions?label=team%3Da").json()["sessions"]] == [where]
    assert daemon.ask("GET", "/v1/sessions?label=team%3Db").json()["sessions"] == []
    assert text(daemon, where, "bash", commands="x=5; cd /tmp; echo hi > /workspace/f") == "exit code 0\n"
    assert text(daemon, where, "bash", commands="echo $x $PWD") == "exit code 0\n5 /tmp\n"
    assert text(daemon, where, "read_file", path="/f") == "1|hi\n"
    assert text(daemon, where, "sandbox_exec", command="true").startswith("ERROR: this session has no sandbox yet")
    made = tool(daemon, where, "sandbox_create", name="build", title="Builds", env={"A": "1"})
    assert not made["is_error"] and made["structured"]["working_dir"] == "/workspace", made
    box = made["structured"]["sandbox_id"]
    assert daemon.ask("GET", f"/v1/sandboxes/{box}").json()["labels"]["title"] == "Builds"
    assert text(daemon, where, "sandbox_upload", session_path="/f", container_path="/workspace/g").startswith("copied /f")
    assert text(daemon, where, "sandbox_exec", command="cat g; echo $A; exit 3") == "exit code 3\nhi\n1\n"
    started = tool(daemon, where, "sandbox_process_start", command="read a; echo got $a")
    process = started["structured"]["process_id"]
    assert "does one thing at a time" in text(daemon, where, "sandbox_exec", command="true")
    tool(daemon, where, "sandbox_process_write", process_id=process, input="it\n")
    assert tool(daemon, where, "sandbox_process_wait", process_id=process)["structured"]["exit_code"] == 0
    assert tool(daemon, where, "sandbox_process_read", process_id=process)["structured"]["output"] == "got it\n"
    assert text(daemon, where, "kv_store", operation="set", key="a", value="1") == "stored"
    assert daemon.ask("GET", f"/v1/sessions/{where}/kv/a").json()["value"] == "1"
    assert text(daemon, where, "sandbox_exce", command="true") == "ERROR: there is no tool 'sandbox_exce'; did you mean 'sandbox_exec'?"
    assert text(daemon, where, "bash", command="true").startswith("ERROR: unknown argument 'command'; did you mean 'commands'?")
    # The sandbox that holds the files is told, not listed.
    storage = daemon.ask("POST", f"/v1/sessions/{where}/storage").json()
    assert daemon.ask("GET", f"/v1/sandboxes/{storage['sandbox_id']}/files/content?path={storage['path']}/f").body == b"hi\n"
    assert [one["id"] for one in daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"]] == [box]
    assert daemon.ask("DELETE", "/v1/sessions/work").status == 204
    for path in (f"/v1/sessions/{where}", "/v1/sessions/work", f"/v1/sandboxes/{box}", f"/v1/sandboxes/{storage['sandbox_id']}"):
        assert daemon.ask("GET", path).status == 404, path


@case("definitions and calls in the words of the makers of models")
def formats(daemon):
    daemon.start()
    where = session(daemon, prompt="Be brief.")
    listed = {form: daemon.ask("GET", f"/v1/sessions/{where}/tools?format={form}").json() for form in ("neutral", "anthropic", "openai", "mcp")}
    assert {len(answer["tools"]) for answer in listed.values()} == {28}, {form: len(answer["tools"]) for form, answer in listed.items()}
    assert all(answer["system_prompt"].endswith("Be brief.\n") for answer in listed.values()), listed["mcp"]["system_prompt"]
    assert set(listed["anthropic"]["tools"][0]) == {"name", "description", "input_schema"}
    assert "outputSchema" in listed["mcp"]["tools"][0] and "parameters" in listed["openai"]["tools"][0]
    native = daemon.ask("GET", f"/v1/sessions/{where}/tools?format=anthropic&native=true").json()["tools"]
    assert native[0]["type"] == "bash_20250124", native
    refused(daemon.ask("GET", f"/v1/sessions/{where}/tools?native=true"), 400, "native")
    reply = daemon.ask("POST", f"/v1/sessions/{where}/calls", {"format": "anthropic", "calls": [
        {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "x=1; echo out"}},
        {"type": "tool_use", "id": "t2", "name": "bash", "input": {"command": "echo $x"}},
        {"type": "tool_use", "id": "t3", "name": "str_replace_based_edit_tool", "input": {"command": "create", "path": "/workspace/a", "file_text": "one\n"}},
        {"type": "tool_use", "id": "t4", "name": "nothing", "input": {}}]})
    results = reply.json()["results"]
    assert [(one["tool_use_id"], one["is_error"]) for one in results] == [("t1", False), ("t2", False), ("t3", False), ("t4", True)], results
    assert [results[0]["content"], results[1]["content"]] == ["out", "1"], results
    reply = daemon.ask("POST", f"/v1/sessions/{where}/calls", {"format": "openai", "calls": [
        {"type": "shell_call", "call_id": "c1", "action": {"commands": ["cat a"]}},
        {"type": "apply_patch_call", "call_id": "c2", "operation": {"type": "update_file", "path": "a", "diff": "@@\n-one\n+two\n"}},
        {"type": "function_call", "call_id": "c3", "name": "sandbox_exec", "arguments": "{\"command\": \"cat a\"}"}]})
    results = reply.json()["results"]
    assert results[0]["output"][0]["stdout"] == "one\n" and results[1]["status"] == "completed" and results[2]["output"] == "exit code 0\ntwo\n", results
    refused(daemon.ask("POST", f"/v1/sessions/{where}/calls", {"format": "anthropic", "calls": [1]}), 400, "calls[0]")


@case("whose it is not learns nothing on any path")
def owners(daemon):
    daemon.start()
    ann, bob = new_key(daemon, "ann"), new_key(daemon, "bob")
    where = session(daemon, ann, name="work")
    assert daemon.ask("PUT", f"/v1/sessions/{where}/kv/k", {"value": "secret"}, key=ann).status == 200
    assert daemon.ask("PUT", "/v1/agents/mine", {"prompt": "x"}, key=ann).status == 200
    assert daemon.ask("PUT", "/v1/harnesses/mine", {"prompt": "x"}, key=ann).status == 200
    bodies = {"setSessionKey": {"value": "x"}, "callSessionTools": {"format": "openai", "calls": []}}
    absent = "ses_" + "a" * 20
    document = daemon.ask("GET", "/v1/openapi.json").json()
    seen = 0
    for path, methods in document["paths"].items():
        if "{session}" not in path:
            continue
        for method, operation in methods.items():
            def ask(one):
                filled = path.replace("{session}", one).replace("{tool}", "bash").replace("{key}", "k")
                return daemon.ask(method.upper(), filled, bodies.get(operation["operationId"]), key=bob)
            replies = [ask(where), ask(absent), ask("work")]
            assert [reply.status for reply in replies] == [404] * 3, (method, path, replies)
            messages = [reply.json()["error"]["message"].replace(one, "ID") for reply, one in zip(replies, (where, absent, "work"))]
            assert len(set(messages)) == 1, messages
            seen += 1
    assert seen >= 10, seen
    for path, word in (("/v1/sessions", "sessions"), ("/v1/sandboxes", "sandboxes"), ("/v1/agents", "agents")):
        assert daemon.ask("GET", path, key=bob).json()[word] == [], path
    assert daemon.ask("GET", "/v1/sessions?owner=ann", key=bob).json()["sessions"] == []
    refused(daemon.ask("GET", "/v1/agents/mine", key=bob), 404, "no agent 'mine'")
    refused(daemon.ask("DELETE", "/v1/harnesses/mine", key=bob), 404, "no harness 'mine'")
    refused(daemon.ask("POST", "/v1/sessions", {"agent": "mine"}, key=bob), 400, "no agent 'mine'")
    # A tool of bob's session does not reach a sandbox of ann's by its id.
    daemon.key = ann
    box = tool(daemon, where, "sandbox_create")["structured"]["sandbox_id"]
    daemon.key = bob
    own = session(daemon)
    for one in (box, "sbx_" + "a" * 20):
        assert text(daemon, own, "sandbox_exec", command="true", sandbox_id=one) == f"ERROR: this session has no sandbox {one}; sandbox_list shows those it has"
    # Who may only look makes nothing.
    reader = new_key(daemon, "ann", "read")
    assert daemon.ask("GET", f"/v1/sessions/{where}/kv/k", key=reader).json()["value"] == "secret"
    assert daemon.ask("POST", f"/v1/sessions/{where}/tools/bash", {"arguments": {"commands": "true"}}, key=reader).status == 403
    assert daemon.ask("PUT", "/v1/agents/other", {}, key=reader).status == 403


@case("a kill -9 keeps keys, storage, the shell and sandboxes")
def crash(daemon):
    daemon.start()
    where = session(daemon, name="work")
    for number in range(20):
        assert daemon.ask("PUT", f"/v1/sessions/{where}/kv/key%20{number}", {"value": f"v{number}"}).status == 200
    assert text(daemon, where, "bash", commands="x=5; echo kept > f") == "exit code 0\n"
    assert text(daemon, where, "write_file", path="/g", content="also") == "written /g, 4 bytes"
    box = tool(daemon, where, "sandbox_create", name="build")["structured"]["sandbox_id"]
    assert text(daemon, where, "sandbox_write_file", path="/workspace/h", content="too") == "written /workspace/h, 3 bytes"
    daemon.kill()
    daemon.start()
    assert len(daemon.ask("GET", f"/v1/sessions/{where}/kv").json()["keys"]) == 20
    assert daemon.ask("GET", "/v1/sessions/work/kv/key%2019").json()["value"] == "v19"
    assert text(daemon, where, "bash", commands="cat f g; echo $x") == "exit code 0\nkept\nalso5\n"
    assert text(daemon, where, "sandbox_exec", command="cat h", sandbox_id=box) == "exit code 0\ntoo"  + "\n"
    assert daemon.ask("DELETE", f"/v1/sessions/{where}/kv/key%200").status == 204
    assert daemon.ask("DELETE", "/v1/sessions/work").status == 204
    daemon.kill()
    daemon.start()
    assert daemon.ask("GET", f"/v1/sessions/{where}").status == 404
    assert list((daemon.data / "sandboxes").iterdir()) == []


def changes(daemon, where, /, **arguments):
    result = tool(daemon, where, "sandbox_diff", **arguments)
    assert not result["is_error"], result
    return [(one["change"], one["path"]) for one in result["structured"]["changes"]]


@case("snapshots, forks and diffs of a session, over kills")
def states(daemon):
    daemon.start()
    where = session(daemon, name="work")
    box = tool(daemon, where, "sandbox_create", name="main")["structured"]["sandbox_id"]
    assert changes(daemon, where) == []
    assert text(daemon, where, "sandbox_exec", command="mkdir d; echo one > d/f; x=5") == "exit code 0\n"
    born = [("added", "/workspace/d"), ("added", "/workspace/d/f")]
    assert changes(daemon, where) == born
    snap = tool(daemon, where, "sandbox_snapshot", name="base")["structured"]["snapshot_id"]
    assert snap in text(daemon, where, "sandbox_snapshot", name="base")   # the name is taken, by this
    assert text(daemon, where, "sandbox_exec", command="rm -r d; echo two > g") == "exit code 0\n"
    forked = tool(daemon, where, "sandbox_fork", count=2, name="try")["structured"]
    assert forked["from"] == box and [one["name"] for one in forked["forks"]] == ["try-1", "try-2"], forked
    forks = [one["sandbox_id"] for one in forked["forks"]]
    assert text(daemon, where, "sandbox_exec", sandbox_id="try-1", command="cat g; echo x > try") == "exit code 0\ntwo\n"
    for _ in range(2):
        daemon.kill()
        daemon.start()
        assert changes(daemon, where, sandbox_id="main") == [("added", "/workspace/g")]
        assert changes(daemon, where, sandbox_id="main", **{"from": "base"}) == [("removed", "/workspace/d"), ("added", "/workspace/g")]
        assert changes(daemon, where, sandbox_id="main", **{"from": snap, "path": "/workspace/d/.."}) == [("removed", "/workspace/d"), ("added", "/workspace/g")]
        assert changes(daemon, where, sandbox_id="try-1") == [("added", "/workspace/try")]
        assert changes(daemon, where, sandbox_id="try-2") == []
        assert {one["sandbox_id"] for one in tool(daemon, where, "sandbox_list")["structured"]["sandboxes"]} == {box, *forks}
    # Putting it back over REST does not change how it began.
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/restore", {"snapshot": snap}).status == 200
    daemon.kill()
    daemon.start()
    assert changes(daemon, where, sandbox_id="main") == born
    shown = text(daemon, where, "sandbox_diff", sandbox_id="main", patch=True)
    assert "A /workspace/d/f\n@@ -0,0 +1 @@\n+one\n" in shown, shown
    # They are the owner's, too; a snapshot that a tool took goes with its sandbox.
    shown = daemon.ask("GET", f"/v1/snapshots/{snap}").json()
    assert (shown["name"], shown["sandbox_id"]) == ("base", box), shown
    assert daemon.ask("GET", "/v1/snapshots/base").status == 404
    kept = daemon.ask("POST", f"/v1/sandboxes/{box}/snapshots", {"name": "owners"}).json()["id"]
    assert changes(daemon, where, sandbox_id="main", **{"from": "owners", "to": kept}) == []
    assert text(daemon, where, "sandbox_manage", sandbox_id="main", action="remove").endswith("are gone")
    assert daemon.ask("GET", f"/v1/snapshots/{snap}").status == 404
    assert daemon.ask("GET", f"/v1/snapshots/{kept}").status == 200
    collected = daemon.ask("POST", "/v1/system/collect", {"grace": "1ms"})
    assert collected.status == 200, collected
    assert changes(daemon, where, sandbox_id="try-1") == [("added", "/workspace/try")]
    made = tool(daemon, where, "sandbox_snapshot", sandbox_id="try-1")["structured"]["snapshot_id"]
    assert daemon.ask("DELETE", "/v1/sessions/work").status == 204
    assert [one["id"] for one in daemon.ask("GET", "/v1/snapshots").json()["snapshots"]] == [kept]
    assert daemon.ask("GET", f"/v1/snapshots/{made}").status == 404


@case("states are a sandbox's own: ids of others, too many, and what is no path")
def hostile_states(daemon):
    daemon.start()
    ann, bob = new_key(daemon, "ann"), new_key(daemon, "bob")
    daemon.key = ann
    where, other = session(daemon), session(daemon)
    for one in (where, other):
        tool(daemon, one, "sandbox_create", name="main")
    box = tool(daemon, where, "sandbox_list")["structured"]["sandboxes"][0]["sandbox_id"]
    snap = tool(daemon, where, "sandbox_snapshot", name="base")["structured"]["snapshot_id"]
    daemon.key = bob
    theirs = session(daemon)
    tool(daemon, theirs, "sandbox_create")
    absent = "snap_" + "a" * 20
    for key, one in ((ann, other), (bob, theirs)):
        daemon.key = key
        own = tool(daemon, one, "sandbox_list")["structured"]["sandboxes"][0]["sandbox_id"]
        for name in (snap, absent, "base"):
            for side in ("from", "to"):
                assert text(daemon, one, "sandbox_diff", **{side: name}) == f"ERROR: no snapshot {name} of sandbox {own}"
        for named in ("sandbox_snapshot", "sandbox_fork", "sandbox_diff"):
            for sandbox in (box, "sbx_" + "a" * 20):
                assert text(daemon, one, named, sandbox_id=sandbox) == f"ERROR: this session has no sandbox {sandbox}; sandbox_list shows those it has"
    assert daemon.ask("GET", f"/v1/snapshots/{snap}", key=bob).status == 404
    daemon.key = ann
    for bad in ({"count": 10 ** 9}, {"count": 0}, {"count": -1}, {"count": 2 ** 64}, {"name": "../x"}, {"name": "x" * 30}, {"counts": 1}):
        assert tool(daemon, where, "sandbox_fork", **bad)["structured"]["code"] == "invalid_argument", bad
    for bad in ({"path": "d"}, {"path": "/a\0b"}, {"path": "/" + "x" * 5000}, {"from": "../../db"}, {"limit": 10 ** 9}, {"from": "a\nb"}):
        assert tool(daemon, where, "sandbox_diff", **bad)["structured"]["code"] == "invalid_argument", bad
    assert changes(daemon, where, path="/../../../etc/passwd") == []
    # The limit holds for all ways to make one, and many at once.
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/fork", {"count": 3}, key=ann).status == 200
    replies = together(8, lambda _: tool(daemon, where, "sandbox_fork", sandbox_id="main", count=16))
    made = [one for reply in replies if not reply["is_error"] for one in reply["structured"]["forks"] if one["sandbox_id"]]
    assert len(made) == 12, len(made)
    forks = daemon.ask("POST", f"/v1/sandboxes/{box}/fork", {"count": 100}, key=ann).json()["forks"]
    assert len(forks) == 100 and all(one["sandbox"] is None and one["error"]["code"] == "quota" for one in forks), forks[0]
    assert len(tool(daemon, where, "sandbox_list")["structured"]["sandboxes"]) == 16
    for number in range(1, 32):
        assert not tool(daemon, where, "sandbox_snapshot", sandbox_id="main")["is_error"], number
    assert tool(daemon, where, "sandbox_snapshot", sandbox_id="main")["structured"]["code"] == "limit_reached"
    # What it was made with once does not make a fork the same again.
    key = {"idempotency_key": "once"}
    fresh = session(daemon)
    first = tool(daemon, fresh, "sandbox_create", **key)["structured"]["sandbox_id"]
    fork = tool(daemon, fresh, "sandbox_fork")["structured"]["forks"][0]["sandbox_id"]
    assert text(daemon, fresh, "sandbox_manage", sandbox_id=first, action="remove").endswith("are gone")
    again = tool(daemon, fresh, "sandbox_create", **key)["structured"]
    assert again.get("sandbox_id") not in (None, first, fork), again


@case("a request that comes again with its Idempotency-Key makes nothing twice")
def once(daemon):
    daemon.start()

    def ask(path, body, key="k"):
        return daemon.ask("POST", path, body, headers={"Idempotency-Key": key})

    first, again = (ask("/v1/sessions", {"name": "work"}) for _ in range(2))
    assert (first.status, again.status) == (201, 200) and first.json()["id"] == again.json()["id"], again
    refused(ask("/v1/sessions", {"name": "other"}), 409, "used for another request")
    where = first.json()["id"]
    box = tool(daemon, where, "sandbox_create")["structured"]["sandbox_id"]
    forks = [ask(f"/v1/sandboxes/{box}/fork", {"count": 15}, "f").json()["forks"] for _ in range(2)]
    made = [one["sandbox"]["id"] for one in forks[0]]
    assert [one["sandbox"]["id"] for one in forks[1]] == made, forks[1]   # though the session is full
    daemon.kill()
    daemon.start()
    replies = together(4, lambda _: ask(f"/v1/sandboxes/{box}/fork", {"count": 15}, "f"))
    assert all([one["sandbox"]["id"] for one in reply.json()["forks"]] == made for reply in replies), replies
    refused(ask(f"/v1/sandboxes/{box}/fork", {"count": 14}, "f"), 409, "'f' was used for another request")
    refused(ask("/v1/sandboxes", {}, "f"), 409, "used for another request")
    replies = together(6, lambda _: ask(f"/v1/sandboxes/{box}/snapshots", {"name": "s"}, "s"))
    assert sorted(reply.status for reply in replies) == [200] * 5 + [201] and len({reply.json()["id"] for reply in replies}) == 1, replies
    snap = replies[0].json()["id"]
    assert daemon.ask("DELETE", f"/v1/snapshots/{snap}").status == 204
    refused(ask(f"/v1/sandboxes/{box}/snapshots", {"name": "s"}, "s"), 409, f"made {snap}, which is gone")
    refused(ask(f"/v1/sandboxes/{box}/snapshots", {}, "x" * 256), 400, "1 to 255 bytes")
    exported = daemon.ask("POST", f"/v1/sandboxes/{box}/snapshots", {}).json()["id"]
    file = daemon.ask("GET", f"/v1/snapshots/{exported}/export").body
    imports = [daemon.ask("POST", "/v1/snapshots/import", file, headers={"Idempotency-Key": "i"}) for _ in range(2)]
    assert [reply.status for reply in imports] == [201, 200] and len({reply.json()["id"] for reply in imports}) == 1, imports
    assert daemon.ask("DELETE", f"/v1/sessions/{where}").status == 204
    refused(ask("/v1/sessions", {"name": "work"}), 409, "which is gone")


@case("templates and processes, too; a process that is gone is not started again")
def once_more(daemon):
    daemon.start()

    def ask(path, body, once="k", **more):
        return daemon.ask("POST", path, body, headers={"Idempotency-Key": once}, **more)

    def tar(content):
        held = io.BytesIO()
        with tarfile.open(fileobj=held, mode="w") as archive:
            entry = tarfile.TarInfo("etc/x")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        return held.getvalue()

    made = [ask("/v1/templates?name=base", tar(b"1")) for _ in range(2)]
    assert [one.status for one in made] == [201, 200] and made[0].json() == made[1].json(), made
    refused(ask("/v1/templates?name=base", tar(b"2")), 409, "'k' was used for another request")
    refused(ask("/v1/templates?name=other", tar(b"1")), 409, "used for another request")
    refused(ask("/v1/sandboxes", {}), 409, "used for another request")
    box = daemon.make(name="box")
    snap = daemon.ask("POST", f"/v1/sandboxes/{box}/snapshots", {"name": "s"}).json()["id"]
    replies = together(4, lambda _: ask(f"/v1/snapshots/{snap}/template", {"name": "warm"}, "t"))
    assert sorted(one.status for one in replies) == [200] * 3 + [201] and len({one.json()["id"] for one in replies}) == 1, replies
    body = {"exec": {"script": "echo x >> /home/agent/runs; sleep 1000"}}
    replies = together(4, lambda _: ask(f"/v1/sandboxes/{box}/processes", body, "p"))
    assert sorted(one.status for one in replies) == [200] * 3 + [201] and len({one.json()["id"] for one in replies}) == 1, replies
    process = replies[0].json()["id"]
    refused(ask(f"/v1/sandboxes/{box}/processes", {"exec": {"script": "true"}}, "p"), 409, "'p' was used for another request")
    refused(ask(f"/v1/sandboxes/{box}/processes", {**body, "open_input": True}, "p"), 409, "used for another request")
    # Keys are their owner's: somebody else's 'p' is another one.
    key = daemon.command("key", "create", "--data", str(daemon.data), "bob").stdout.split()[0]
    other = daemon.ask("POST", "/v1/sandboxes", {}, key=key).json()["id"]
    assert ask(f"/v1/sandboxes/{other}/processes", {"exec": {"script": "true"}}, "p", key=key).status == 201
    assert len(daemon.ask("GET", f"/v1/sandboxes/{box}/processes").json()["processes"]) == 1
    until = time.monotonic() + 30
    while daemon.ask("GET", f"/v1/sandboxes/{box}/files/content?path=/home/agent/runs").body != b"x\n":
        assert time.monotonic() < until
        time.sleep(0.05)
    daemon.kill()
    daemon.start()
    assert ask("/v1/templates?name=base", tar(b"1")).json()["id"] == made[0].json()["id"]
    refused(ask("/v1/templates?name=base", tar(b"2")), 409, "used for another request")
    assert ask(f"/v1/snapshots/{snap}/template", {"name": "warm"}, "t").status == 200
    assert len(daemon.ask("GET", "/v1/templates").json()["templates"]) == 2
    refused(ask(f"/v1/sandboxes/{box}/processes", body, "p"), 409, f"made {process}, which is gone")
    assert daemon.ask("GET", f"/v1/sandboxes/{box}/processes").json()["processes"] == []
    assert daemon.ask("DELETE", f"/v1/templates/{made[0].json()['id']}").status == 204
    refused(ask("/v1/templates?name=base", tar(b"1")), 409, "which is gone")


@case("agents and harnesses over REST; sessions follow them")
def definitions(daemon):
    daemon.start()
    assert daemon.ask("PUT", "/v1/harnesses/base", {"prompt": "Base.", "capabilities": ["session_storage"]}).status == 200
    assert daemon.ask("PUT", "/v1/agents/coder", {"harness": "base", "prompt": "Code.", "capabilities": [{"ref": "sandbox", "config": {"memory_limit": "64m"}}]}).status == 200
    where = session(daemon, agent="coder", prompt="Now.")
    answer = daemon.ask("GET", f"/v1/sessions/{where}/tools").json()
    assert re.search(r"Base\.\n\nCode\.\n\nNow\.\n$", answer["system_prompt"]), answer["system_prompt"]
    assert "bash" not in {one["name"] for one in answer["tools"]}
    assert tool(daemon, where, "sandbox_create")["structured"]["limits"]["memory_bytes"] == 64 << 20
    assert text(daemon, where, "sandbox_create", memory_limit="65m").startswith("ERROR: memory_limit: may be at most 67108864")
    assert daemon.ask("PUT", "/v1/harnesses/base", {"prompt": "Anew.", "capabilities": ["bashkit_shell"]}).status == 200
    answer = daemon.ask("GET", f"/v1/sessions/{where}/tools").json()
    assert "Anew." in answer["system_prompt"] and "bash" in {one["name"] for one in answer["tools"]}
    assert daemon.ask("DELETE", "/v1/agents/coder").status == 204
    refused(daemon.ask("GET", f"/v1/sessions/{where}/tools"), 409, "no agent 'coder'")
    assert daemon.ask("GET", f"/v1/sessions/{where}").json()["agent"] == "coder"
    for method, path, body, status, words in (
            ("PUT", "/v1/agents/a", {"capabilities": ["sandbxo"]}, 400, "did you mean 'sandbox'"),
            ("PUT", "/v1/agents/a", {"harness": "nothing"}, 400, "no harness 'nothing'"),
            ("PUT", "/v1/agents/A", {}, 400, "id"),
            ("PUT", "/v1/agents/a", {"capabilities": [{"ref": "sandbox", "config": {"memory": 1}}]}, 400, "memory"),
            ("PUT", "/v1/harnesses/base", {"parent": "base"}, 400, "circle"),
            ("PUT", "/v1/harnesses/generic", {}, 409, "built in"),
            ("DELETE", "/v1/harnesses/generic", None, 403, "built in"),
            ("POST", "/v1/sessions", {"agent": "nothing"}, 400, "no agent 'nothing'"),
            ("POST", "/v1/sessions", {"harness": "nothing"}, 400, "no harness 'nothing'"),
            ("POST", "/v1/sessions", {"capabilities": ["container_sandbox"]}, 409, "switched off"),
            ("POST", "/v1/sessions", {"capabilities": ["sandbox", "sandbox"]}, 400, "twice"),
            ("POST", "/v1/sessions", {"capabilities": [{"ref": "sandbox", "config": {"isolation": "moon"}}]}, 409, "no isolation 'moon'")):
        refused(daemon.ask(method, path, body), status, words)


CONFIG = """
[harness.coding]
prompt = "Keep changes small."
capabilities = ["session_storage", {ref = "sandbox", config = {pids_limit = 50}}]

[agent.reviewer]
harness = "coding"
prompt = "Review."
"""


@case("agents of paddock.toml; the same agent behind another wall by one entry")
def configured(daemon):
    config = daemon.data.parent / "paddock.toml"
    config.write_text(CONFIG)
    daemon.start("--config", str(config))
    assert [one["id"] for one in daemon.ask("GET", "/v1/agents").json()["agents"]] == ["reviewer"]
    refused(daemon.ask("PUT", "/v1/agents/reviewer", {}), 409, "configuration")
    refused(daemon.ask("DELETE", "/v1/harnesses/coding"), 403, "configuration")
    virtual = session(daemon, agent="reviewer")
    assert "Keep changes small.\n\nReview." in daemon.ask("GET", f"/v1/sessions/{virtual}/tools").json()["system_prompt"]
    other = session(daemon, agent="reviewer", capabilities=[{"ref": "sandbox", "config": {"isolation": "process"}}])
    made = tool(daemon, virtual, "sandbox_create")["structured"]
    assert (made["isolation"], made["limits"]["pids"]) == ("virtual", 50), made
    created = tool(daemon, other, "sandbox_create")
    if created["is_error"]:
        raise Skipped(f"no process wall here: {created['content']}")
    made = created["structured"]
    assert (made["isolation"], made["limits"]["pids"]) == ("process", 50), made
    for where in (virtual, other):   # the same calls
        directory = tool(daemon, where, "sandbox_list")["structured"]["sandboxes"][0]["working_dir"]
        assert text(daemon, where, "sandbox_write_file", path=f"{directory}/a", content="one\n") == f"written {directory}/a, 4 bytes"
        assert text(daemon, where, "sandbox_exec", command="cat a; pwd") == f"exit code 0\none\n{directory}\n"
        assert text(daemon, where, "sandbox_download", container_path=f"{directory}/a", session_path="/a").startswith("copied")
        assert text(daemon, where, "read_file", path="/a") == "1|one\n"
        assert text(daemon, where, "sandbox_manage", action="stop").endswith("its files are kept")
        assert text(daemon, where, "sandbox_manage", action="start").endswith("runs")
        assert text(daemon, where, "sandbox_exec", command="cat a") == "exit code 0\none\n"
    daemon.stop()
    config.write_text(CONFIG.replace("pids_limit", "pids_limt"))
    try:
        daemon.start("--config", str(config))
    except AssertionError as error:
        assert "did you mean 'pids_limit'" in str(error), error
    else:
        raise AssertionError("it started with a bad configuration")


@case("a session's configuration says what its sandboxes reach; a model gets no more")
def network(daemon):
    daemon.start()
    hosts = ["pypi.org:443", "*.example.org"]
    refused(daemon.ask("PUT", "/v1/agents/a", {"capabilities": [{"ref": "sandbox", "config": {"network_allow": ["http://pypi.org"]}}]}), 400, "network_allow")
    virtual = session(daemon, capabilities=[{"ref": "sandbox", "config": {"network_allow": hosts}}])
    assert tool(daemon, virtual, "sandbox_create")["structured"]["network"] == "egress"
    assert tool(daemon, virtual, "sandbox_create", network="none")["structured"]["network"] == "none"
    assert daemon.ask("PUT", "/v1/agents/web", {"capabilities": [{"ref": "sandbox", "config": {"isolation": "process", "network_allow": hosts}}]}).status == 200
    where = session(daemon, agent="web")
    hints = {one["name"]: one["annotations"] for one in daemon.ask("GET", f"/v1/sessions/{where}/tools?format=mcp").json()["tools"]}
    assert hints["sandbox_exec"]["openWorldHint"] is True, hints["sandbox_exec"]
    made = tool(daemon, where, "sandbox_create")
    if made["is_error"]:
        raise Skipped(f"no process wall here: {made['content']}")
    boxes = {"open": made["structured"]}
    assert boxes["open"]["network"] == "egress", made
    for reach, word in (("bridge", "ask for one of these"), ("isolated", "ask for one of these"), ("world", "must be one of")):
        assert word in text(daemon, where, "sandbox_create", network=reach), reach
    boxes["closed"] = tool(daemon, where, "sandbox_create", network="none")["structured"]
    shown = {name: daemon.ask("GET", f"/v1/sandboxes/{one['sandbox_id']}").json()["network"]["allow"] for name, one in boxes.items()}
    assert shown == {"open": hosts, "closed": []}, shown
    # The nearer level may close it, and open it no further than REST would.
    shut = session(daemon, agent="web", capabilities=[{"ref": "sandbox", "config": {"network_mode": "none"}}])
    assert tool(daemon, shut, "sandbox_create")["structured"]["network"] == "none"
    assert "may be at most 'none'" in text(daemon, shut, "sandbox_create", network="egress")
    plain = session(daemon, capabilities=[{"ref": "sandbox", "config": {"isolation": "process"}}])
    assert tool(daemon, plain, "sandbox_create")["structured"]["network"] == "none"
    assert "allows no hosts" in text(daemon, plain, "sandbox_create", network="egress")
    # What is not allowed is refused inside, whatever name it has.
    for url in ("http://127.0.0.1:%d/v1/health" % daemon.port, "http://169.254.169.254/", "http://evil.test/"):
        result = tool(daemon, where, "sandbox_exec", sandbox_id=boxes["open"]["sandbox_id"],
                      command=f"python3 -c 'import urllib.request; print(urllib.request.urlopen(\"{url}\", timeout=5).status)'")
        assert result["is_error"] or result["structured"]["exit_code"] != 0, result


@case("bounds: sandboxes of a session, keys, values, sessions of an owner")
def bounds(daemon):
    config = daemon.data.parent / "paddock.toml"
    config.write_text("[quota]\nsessions = 2\n")
    daemon.start("--config", str(config))
    where = session(daemon)
    session(daemon)
    refused(daemon.ask("POST", "/v1/sessions", {}), 429, "2 sessions")
    for _ in range(16):
        assert not tool(daemon, where, "sandbox_create")["is_error"]
    assert "16 sandboxes, the most it may have" in text(daemon, where, "sandbox_create")
    assert daemon.ask("PUT", f"/v1/sessions/{where}/kv/k", {"value": "x" * 65536}).status == 200
    assert daemon.ask("PUT", f"/v1/sessions/{where}/kv/k", {"value": "x" * 65537}).status == 400
    assert daemon.ask("PUT", f"/v1/sessions/{where}/kv/{'k' * 257}", {"value": "x"}).status == 400
    assert daemon.ask("PUT", f"/v1/sessions/{where}/kv/two%0alines", {"value": "x"}).status == 400
    refused(daemon.ask("GET", f"/v1/sessions/{where}/kv/none"), 404, "no key 'none'")
    refused(daemon.ask("DELETE", f"/v1/sessions/{where}/kv/none"), 404, "no key 'none'")


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES))
