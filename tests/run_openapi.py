#!/usr/bin/env python3
"""Checks the API against the document that it serves: the document is a sound one, answers look as it says, and random requests made
from it, right and wrong ones, are answered in time, never with a failure of the daemon, and never with an unknown member accepted.

    run_openapi.py [--paddock FILE] [--only RE] [--requests N] [--seed N]

The last line is "N passed, N failed, N skipped".
"""

import http.client
import json
import os
import random
import sys
import time
import urllib.parse

import jsonschema

from daemon_for_test import run_cases

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                yield method.upper(), path, operation


def resolve(document, schema):
    """References within the document replaced."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            found = document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            return resolve(document, found)
        return {name: resolve(document, value) for name, value in schema.items()}
    if isinstance(schema, list):
        return [resolve(document, value) for value in schema]
    return schema


def body_schema(operation):
    return operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")


def open_objects(schema, path=""):
    """Where an object takes members that are not named."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and schema.get("additionalProperties", True) is True:
            yield path or "/"
        for name, value in schema.items():
            yield from open_objects(value, f"{path}/{name}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from open_objects(value, f"{path}/{index}")


# What may hold anything by its nature: the arguments of a tool, calls in the words of a model's maker, the configuration of a capability.
FREE = ("calls", "arguments", "config", "detail", "payload", "structured", "input", "result", "metadata", "schema", "tools")


@case("the document is sound")
def lint(daemon):
    document = daemon.start().ask("GET", "/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1."), document["openapi"]
    assert document["info"]["title"] and document["info"]["version"]
    seen = set()
    for method, path, operation in operations(document):
        where = f"{method} {path}"
        assert operation["operationId"] not in seen, where
        seen.add(operation["operationId"])
        assert operation["summary"].endswith("."), where
        in_path = {part[1:-1] for part in path.split("/") if part.startswith("{")}
        declared = {(p["in"], p["name"]) for p in operation.get("parameters", []) + document["paths"][path].get("parameters", [])}
        assert {name for place, name in declared if place == "path"} == in_path, where
        assert all(p["schema"] for p in operation.get("parameters", [])), where
        assert any(code.startswith("2") or code == "101" for code in operation["responses"]), where
        assert "default" in operation["responses"] or any(code.startswith("4") for code in operation["responses"]), f"{where}: no errors described"
        for code, response in operation["responses"].items():
            for content in response.get("content", {}).values():
                jsonschema.Draft202012Validator.check_schema(resolve(document, content.get("schema", {})))
        schema = body_schema(operation)
        if schema:
            schema = resolve(document, schema)
            jsonschema.Draft202012Validator.check_schema(schema)
            free = [place for place in open_objects(schema) if not set(place.split("/")) & set(FREE)]
            assert not free, f"{where}: takes any member at {free}"
    assert len(seen) >= 30, len(seen)


@case("answers look as the document says")
def answers(daemon):
    document = daemon.start().ask("GET", "/v1/openapi.json").json()
    by_id = {operation["operationId"]: (method, path, operation) for method, path, operation in operations(document)}

    def ask(operation_id, parameters=None, query=None, body=None):
        method, path, operation = by_id[operation_id]
        for name, value in (parameters or {}).items():
            path = path.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
        if query:
            path += "?" + urllib.parse.urlencode(query)
        reply = daemon.ask(method, path, body)
        assert str(reply.status) in operation["responses"], f"{operation_id}: {reply}"
        schema = operation["responses"][str(reply.status)].get("content", {}).get("application/json", {}).get("schema")
        if schema:
            jsonschema.Draft202012Validator(resolve(document, schema)).validate(reply.json())
            return reply.json()
        return reply

    made = ask("createSandbox", body={"name": "dev", "labels": {"a": "b"}, "limits": {"memory": "256MiB"}, "lease": {"ttl": "1h"}})
    one = {"sandbox": made["id"]}
    ask("getSandbox", one)
    ask("listSandboxes")
    ask("exec", one, body={"script": "echo hi; printf '\\377'; exit 3"})
    process = ask("startProcess", one, body={"exec": {"script": "read x; echo $x"}, "open_input": True})
    two = {**one, "process": process["id"]}
    ask("getProcess", two)
    ask("writeInput", two, {"close": "true"}, b"line\n")
    ask("waitProcess", two)
    assert ask("readOutput", two)["pieces"][0]["data"] == "line\n"
    ask("listProcesses", one)
    ask("writeFile", one, {"path": "/tmp/x"}, b"content")
    ask("statFile", one, {"path": "/tmp/x"})
    ask("listFiles", one, {"path": "/tmp"})
    assert ask("readFile", one, {"path": "/tmp/x"}).body == b"content"
    ask("makeDirectory", one, body={"path": "/tmp/d/e", "parents": True})
    ask("moveFile", one, body={"from": "/tmp/x", "to": "/tmp/d/x"})
    ask("setFileMode", one, body={"path": "/tmp/d/x", "mode": "0600"})
    ask("removeFile", one, {"path": "/tmp/d", "recursive": "true"})
    ask("extendSandbox", one, body={"lease": {"ttl": "2h"}})
    ask("setSandboxLabels", one, body={"labels": {"c": "d"}})
    for operation_id in ("pauseSandbox", "resumeSandbox", "stopSandbox", "startSandbox"):
        ask(operation_id, one, body={} if "requestBody" in by_id[operation_id][2] else None)
    ask("listEvents")
    ask("deleteSandbox", one)
    ask("deleteSandbox", one)


# ---- random requests

TEXTS = ["", "a", "dev", "x" * 300, "../..", "/tmp", "/", "/tmp/a b", "/proc/self/mem", "é…", "\u0000", "%00", "1h", "0s", "-1", "64MiB", "9" * 40, "true; echo hi", "echo $((1/0))",
         "127.0.0.1", "*.example.com", "virtual", "process", "NAME=VALUE", "{}", "\ud800".encode("utf-16", "surrogatepass").decode("utf-16", "replace")]
NUMBERS = [0, 1, -1, 2, 50, 1000, 2**31, 2**53, 2**63, 2**64, -(2**63), 1e308, 0.5, -0.0]


class Maker:
    def __init__(self, chance):
        self.chance = chance

    def value(self, schema, depth=0):
        roll = self.chance
        if "anyOf" in schema:
            return self.value(roll.choice(schema["anyOf"]), depth)
        if "enum" in schema:
            return roll.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        kind = schema.get("type", "object")
        if isinstance(kind, list):
            kind = roll.choice(kind)
        if kind == "string":
            return roll.choice(TEXTS)
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", 0), schema.get("maximum", 100)
            return roll.choice([low, min(high, low + 1), min(high, 50)])
        if kind == "boolean":
            return roll.random() < 0.5
        if kind == "array":
            return [self.value(schema.get("items", {"type": "string"}), depth + 1) for _ in range(roll.choice([0, 1, 1, 3]))]
        if kind == "null":
            return None
        made = {}
        for name, member in schema.get("properties", {}).items():
            if name in schema.get("required", []) or roll.random() < 0.3:
                made[name] = self.value(member, depth + 1)
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            for _ in range(roll.choice([0, 1, 2])):
                made[roll.choice(TEXTS)] = self.value(more, depth + 1)
        return made

    def spoil(self, value):
        """Something in it becomes of another kind, or absurd."""
        roll = self.chance
        if isinstance(value, dict) and value and roll.random() < 0.7:
            name = roll.choice(list(value))
            return {**value, name: self.spoil(value[name])}
        if isinstance(value, list) and value and roll.random() < 0.7:
            index = roll.randrange(len(value))
            return value[:index] + [self.spoil(value[index])] + value[index + 1:]
        return roll.choice([None, True, roll.choice(NUMBERS), roll.choice(TEXTS), [], {}, [[[[[[]]]]]], {"a": {"b": {}}}, [1] * 5000])


def wait_less(value):
    """A request may ask to wait for minutes; this test has no time for that."""
    if isinstance(value, dict):
        return {name: (5 if name == "wait_ms" and not isinstance(member, (str, type(None), dict, list)) else wait_less(member)) for name, member in value.items()}
    return [wait_less(member) for member in value] if isinstance(value, list) else value


def count_descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


@case("random requests: no failure of the daemon, no hang, no unknown member accepted")
def random_requests(daemon):
    daemon.start()
    seed = daemon.options.seed if daemon.options.seed is not None else random.randrange(1 << 32)
    print(f"     seed {seed}", flush=True)
    chance = random.Random(seed)
    document = daemon.ask("GET", "/v1/openapi.json").json()
    listed = [(m, p, resolve(document, o)) for m, p, o in operations(document) if p not in ("/v1/openapi.json",)]
    key = daemon.command("key", "create", "--data", str(daemon.data), "--role", "user", "ann").stdout.strip()
    strangers = daemon.make(name="admins")
    maker = Maker(chance)
    mine = [daemon.ask("POST", "/v1/sandboxes", {"name": f"mine{i}"}, key=key).json()["id"] for i in range(3)]
    descriptors = None
    statuses = {}
    for number in range(daemon.options.requests):
        method, path, operation = chance.choice(listed)
        described = f"request {number} of seed {seed}: {operation['operationId']}"
        is_stranger = False
        for part in [part for part in path.split("/") if part.startswith("{")]:
            choice = chance.random()
            if part == "{sandbox}" and choice < 0.8:
                value = chance.choice(mine + ["mine0"])
            elif part == "{sandbox}" and choice < 0.9:
                value, is_stranger = strangers, True
            else:
                value = chance.choice(TEXTS)
            path = path.replace(part, urllib.parse.quote(value, safe=""), 1)
        query = {}
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query" and (parameter.get("required") or chance.random() < 0.4):
                value = chance.choice(TEXTS + NUMBERS) if chance.random() < 0.2 else maker.value(parameter["schema"])
                query[parameter["name"]] = 5 if parameter["name"] == "wait_ms" and not isinstance(value, str) else value
        unknown = None
        if chance.random() < 0.1:
            unknown = query["surprise"] = "x"
        body, headers = None, {}
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "header" and chance.random() < 0.3:
                headers[parameter["name"]] = chance.choice(["k1", "k2", "", "x" * 255, "x" * 256, "\xe9", "fork:0:1"])
        schema = body_schema(operation)
        if schema:
            headers["Content-Type"] = "application/json"
            value = wait_less(maker.value(schema))
            if chance.random() < 0.3:
                value = wait_less(maker.spoil(value))
            elif chance.random() < 0.2 and isinstance(value, dict):
                value["surprise"] = unknown = chance.choice(TEXTS)
            text = json.dumps(value).encode()
            if chance.random() < 0.05:
                text = text[:chance.randrange(len(text) + 1)] + chance.choice([b"", b"\xff\xfe", b"}", b"\x00"])
                unknown = query.get("surprise")   # what was cut may be the whole of it
            body = text
        elif "requestBody" in operation:
            body = os.urandom(chance.choice([0, 1, 1000]))
        if method == "DELETE" and "files" not in path and chance.random() < 0.9:
            continue
        target = path + ("?" + urllib.parse.urlencode(query, doseq=True) if query else "")
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30)
        try:
            connection.request(method, target, body, {**headers, "Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            text = answer.read()
        except TimeoutError as error:
            raise AssertionError(f"{described}: no answer in 30 s: {method} {target} {body!r:.300}") from error
        finally:
            connection.close()
        shown = f"{described}: {method} {target} {body!r:.500} -> {answer.status} {text!r:.300}"
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
        assert answer.status in (501, 504, 507) or answer.status < 500, shown
        if answer.status >= 400:
            failure = json.loads(text)
            assert failure["error"]["code"] and failure["error"]["message"], shown
        if unknown is not None:
            assert answer.status >= 400, f"an unknown member was accepted: {shown}"
        if is_stranger:
            assert answer.status >= 400, f"somebody else's sandbox: {shown}"
        if number % 100 == 99:   # what was deleted or put to rest comes back
            for i in range(3):
                made = daemon.ask("POST", "/v1/sandboxes", {"name": f"mine{i}", "get_or_create": True}, key=key).json()
                mine[i] = made["id"]
                daemon.ask("POST", f"/v1/sandboxes/{mine[i]}/start", key=key)
            if descriptors is None:
                descriptors = count_descriptors(daemon.child.pid)
    assert daemon.ask("GET", "/v1/health").status == 200
    deadline = time.monotonic() + 10
    allowed = (descriptors or 0) + 300   # processes keep the files of their output, sandboxes theirs
    while count_descriptors(daemon.child.pid) > allowed:
        assert time.monotonic() < deadline, f"{count_descriptors(daemon.child.pid)} descriptors, {descriptors} at first"
        time.sleep(0.2)
    assert sum(count for status, count in statuses.items() if status < 300) > daemon.options.requests / 20, f"hardly one was right: {statuses}"
    print(f"     {statuses}", flush=True)


def add_options(parser):
    parser.add_argument("--requests", type=int, default=1500)
    parser.add_argument("--seed", type=int)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, add_options))
