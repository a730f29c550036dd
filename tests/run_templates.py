#!/usr/bin/env python3
"""Templates of `paddock serve`: made of archives, images, directories and snapshots, begun from behind each wall, by several owners, with
hostile archives and with the daemon killed with -9.

    run_templates.py [--paddock FILE] [--only RE]

The last line is "N passed, N failed, N skipped".
"""

import gzip
import hashlib
import http.client
import io
import json
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import time
import zlib

from client.user import Cases, User
from daemon_for_test import Skipped, run_cases

CASES = Cases()


TYPES = {tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE}   # bytes, as contents are


def tar(*entries):
    """A tar of (name, content) and of (name, type, more as members of TarInfo)."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, what, *more in entries:
            entry = tarfile.TarInfo(name)
            entry.mtime = 1_600_000_000
            if what in TYPES:
                entry.type, entry.mode = what, 0o755
            else:
                entry.size, entry.mode = len(what), 0o644
            for member, value in (more[0] if more else {}).items():
                setattr(entry, member, value)
            archive.addfile(entry, None if what in TYPES else io.BytesIO(what))
    return content.getvalue()


ELF = b"\x7fELF\x02\x01\x01" + bytes(120) + b"\n"
ROOT = [
    ("./", tarfile.DIRTYPE), ("etc", tarfile.DIRTYPE), ("etc/passwd", b"root:x:0:0::/root:/bin/sh\n"), ("etc/debian_version", b"13.1\n"),
    ("bin", tarfile.DIRTYPE), ("bin/ls", ELF, {"mode": 0o755}), ("bin/own", b"#!/bin/sh\necho own $1\n", {"mode": 0o755}),
    ("usr/bin/true", ELF, {"mode": 0o755}), ("usr/bin/compiled", ELF, {"mode": 0o755}), ("usr/bin/awk", tarfile.SYMTYPE, {"linkname": "/etc/alternatives/awk"}),
    ("usr/local/bin/cat", b"#!/bin/sh\necho my cat\n", {"mode": 0o755}), ("srv/data", b"d" * 100_000), ("srv/hard", tarfile.LNKTYPE, {"linkname": "srv/data"}),
]


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def oci(*layers, config=None, spoil=lambda blobs: blobs, shuffled=False):
    """An image of these layers (plain tars) as a tar of an OCI layout. `spoil` changes the blobs before they are written."""
    whole = {"architecture": "amd64", "os": "linux", "config": config or {}, "rootfs": {"type": "layers", "diff_ids": [digest(layer) for layer in layers]}}
    text = json.dumps(whole).encode()
    stored = [gzip.compress(layer, 1) for layer in layers]
    manifest = json.dumps({"schemaVersion": 2, "config": {"digest": digest(text), "size": len(text)},
                           "layers": [{"digest": digest(blob), "size": len(blob), "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip"} for blob in stored]}).encode()
    index = json.dumps({"schemaVersion": 2, "manifests": [{"digest": digest(manifest), "size": len(manifest)}]}).encode()
    blobs = spoil({digest(blob): blob for blob in [text, manifest, *stored]})
    files = [("blobs/sha256/" + name[7:], blob) for name, blob in blobs.items()] + [("oci-layout", b'{"imageLayoutVersion":"1.0.0"}'), ("index.json", index)]
    return tar(*(reversed(files) if shuffled else files))


def docker(*layers, tag="app:1"):
    text = json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": [digest(layer) for layer in layers]}}).encode()
    name = hashlib.sha256(text).hexdigest() + ".json"
    manifest = json.dumps([{"Config": name, "RepoTags": [tag], "Layers": [f"{i}/layer.tar" for i in range(len(layers))]}]).encode()
    return tar((name, text), *((f"{i}/layer.tar", layer) for i, layer in enumerate(layers)), ("manifest.json", manifest))


def build(daemon, name, content, key=..., **query):
    return daemon.ask("POST", f"/v1/templates?name={name}" + "".join(f"&{k}={v}" for k, v in query.items()), content, key=key)


def made(daemon, name, content, key=..., **query):
    reply = build(daemon, name, content, key, **query)
    assert reply.status == 201, reply
    return reply.json()


def owner_key(daemon, owner, role="user"):
    reply = daemon.command("key", "create", "--data", str(daemon.data), "--role", role, owner)
    assert reply.returncode == 0, reply
    return reply.stdout.strip()


class Text(str):
    """Output that tells what it is where an assertion compares it."""

    def __eq__(self, other):
        if str(self) != other:
            raise AssertionError(f"{str(self)!r} is not {other!r}")
        return True

    __hash__ = str.__hash__


def out(daemon, box, script, **more):
    ended = daemon.run(box, script, **more)
    return Text(ended["stdout"] + ended["stderr"])


@CASES("of a tar: made, begun from, exported, deleted while it is used")
def life(daemon):
    daemon.start()
    archive = tar(*ROOT)
    first = made(daemon, "base", archive, label="a%3Db")
    assert first["id"].startswith("tpl_") and first["version"] == 1 and first["tree"].startswith("sha256:") and first["labels"] == {"a": "b"}, first
    assert first["source"] == "tar" and first["isolation"] is None and first["image_digest"] is None, first
    for packed in (gzip.compress(archive), lzma.compress(archive)):
        again = made(daemon, "base", packed)
        assert again["tree"] == first["tree"], again
    zstd = shutil.which("zstd")
    if zstd:
        assert made(daemon, "base", subprocess.run([zstd, "-qc"], input=archive, capture_output=True, check=True).stdout)["tree"] == first["tree"]
    newest = made(daemon, "base", tar(*ROOT, ("srv/new", b"newer\n")))
    assert daemon.ask("GET", "/v1/templates/base").json()["id"] == newest["id"]
    assert daemon.ask("GET", "/v1/templates/base@1").json()["id"] == first["id"]
    box = daemon.make(template="base@1")
    assert daemon.ask("GET", f"/v1/sandboxes/{box}").json()["origin"] == first["id"]
    assert out(daemon, box, "cat /etc/debian_version; cat /srv/new; whoami; pwd; id -u") == "my cat\nmy cat\nagent\n/home/agent\n1000\n"
    assert out(daemon, box, "head -1 /etc/passwd; head -1 /srv/new; wc -c < /srv/hard; stat -c %h /srv/data") == \
        "root:x:0:0::/root:/bin/sh\n100000\n2\nhead: cannot open '/srv/new' for reading: No such file or directory\n"
    assert out(daemon, daemon.make(template="base"), "head -1 /srv/new") == "newer\n"
    exported = daemon.ask("GET", "/v1/templates/base@1/export")
    with tarfile.open(fileobj=io.BytesIO(exported.body)) as back:
        assert back.extractfile("etc/debian_version").read() == b"13.1\n" and back.getmember("srv/hard").islnk(), back.getnames()
    assert made(daemon, "copy", exported.body)["tree"] == first["tree"]
    page = daemon.ask("GET", "/v1/templates?limit=2&name=base").json()
    assert [one["version"] for one in page["templates"]] == [1, 2] and page["next"], page
    assert daemon.ask("GET", f"/v1/templates?name=base&cursor={page['next']}").json()["templates"][0]["version"] == 3
    assert [one["version"] for one in daemon.ask("GET", "/v1/templates?label=a%3Db").json()["templates"]] == [1]
    assert daemon.ask("DELETE", "/v1/templates/base@1").status == 204 and daemon.ask("GET", "/v1/templates/base@1").status == 404
    newest_version = newest["version"]
    assert daemon.ask("DELETE", "/v1/templates/base").status == 204
    assert daemon.ask("GET", "/v1/templates/base").json()["version"] == newest_version - 1
    assert made(daemon, "base", archive)["version"] == newest_version + 1
    assert daemon.ask("POST", "/v1/system/collect", {"grace": "1ms"}).status == 200
    assert out(daemon, box, "wc -c < /srv/data") == "100000\n"


@CASES("virtual commands shadow those of the files; what is compiled says that it cannot run")
def shadows(daemon):
    daemon.start()
    made(daemon, "base", tar(*ROOT))
    box = daemon.make(template="base")
    assert out(daemon, box, "/bin/ls /srv; ls /srv; true && echo t; echo 1 2 | awk '{print $2}'; own x; /bin/own y") == "data\nhard\ndata\nhard\nt\n2\nown x\nown y\n"
    ended = daemon.run(box, "compiled")
    assert ended["exit_code"] == 126 and "Exec format error" in ended["stderr"], ended
    for name, entries in (("file-for-bin", [("usr/bin", b"x")]), ("fifo-for-passwd", [("etc/passwd", tarfile.FIFOTYPE)]), ("file-for-usr", [("usr", b"x")]),
                          ("file-for-home", [("home/agent", b"x")])):
        made(daemon, name, tar(*entries))
        reply = daemon.ask("POST", "/v1/sandboxes", {"template": name})
        assert reply.status == 400 and "no virtual sandbox can begin" in reply.json()["error"]["message"], (name, reply)
    odd = [("proc", tarfile.SYMTYPE, {"linkname": "/etc"}), ("dev", tarfile.SYMTYPE, {"linkname": "nowhere"}), ("tmp", tarfile.SYMTYPE, {"linkname": "/gone"}),
           ("usr/bin", tarfile.SYMTYPE, {"linkname": "/etc/programs"}), ("etc/programs", tarfile.DIRTYPE), ("bin", tarfile.SYMTYPE, {"linkname": "../../../../usr/bin"}),
           ("etc/passwd", tarfile.SYMTYPE, {"linkname": "/nowhere"}), ("dev2/sda", tarfile.BLKTYPE, {"devmajor": 8, "devminor": 0}), ("dev2/kmsg", tarfile.CHRTYPE, {"devmajor": 1, "devminor": 11})]
    made(daemon, "odd", tar(*odd))
    box = daemon.make(template="odd")
    assert out(daemon, box, "ls -d /proc/self/. /dev/null; echo x > /tmp/y && cat /tmp/y; whoami; ls /dev2") == "/dev/null\n/proc/self/.\nx\nagent\nkmsg\nsda\n"
    assert daemon.run(box, "head -c 1 /dev2/sda")["exit_code"] != 0
    made(daemon, "empty", tar())
    assert out(daemon, daemon.make(template="empty"), "whoami; ls -d /tmp /etc") == "agent\n/etc\n/tmp\n"


@CASES("of an image: layers, whiteouts, what it says of its start; one of several")
def images(daemon):
    daemon.start()
    lower = tar(("a/one", b"1\n"), ("a/two", b"2\n"), ("gone/x", b"x\n"), ("keep", b"k\n"))
    upper = tar(("a/.wh.one", b""), ("gone/.wh..wh..opq", b""), ("gone/y", b"y\n"))
    config = {"Env": ["LANG=C.UTF-8", "APP=yes", "bad-name=1", "novalue"], "WorkingDir": "/a", "Cmd": ["sh"]}
    for kind in ("auto", "image"):
        info = made(daemon, "app", oci(lower, upper, config=config), format=kind)
        assert info["source"] == "image" and info["image_digest"].startswith("sha256:"), info
        assert info["environment"] == {"APP": "yes", "LANG": "C.UTF-8"} and info["working_directory"] == "/a", info
    box = daemon.make(template="app", environment={"LANG": "mine"})
    assert out(daemon, box, "pwd; ls . ../gone; cat ../keep; echo $APP $LANG") == "/a\n.:\ntwo\n\n../gone:\ny\nk\nyes mine\n"
    assert made(daemon, "app", oci(lower, upper, shuffled=True), format="image")["entries"] == info["entries"]
    assert made(daemon, "app", docker(lower, upper))["tree"] == info["tree"]
    assert build(daemon, "app", docker(lower), tag="other").status == 404
    assert build(daemon, "app", tar(*ROOT), format="image").status == 400
    assert made(daemon, "raw", oci(lower), format="tar")["source"] == "tar"


PASSWD = b"root:x:0:0::/root:/bin/sh\napp:x:1001:1002::/srv:/bin/sh\n"
LAYER = tar(("etc/passwd", PASSWD), ("etc/group", b"staff:x:50:app\n"), ("srv/app", tarfile.DIRTYPE), ("srv/app/say", b"#!/bin/bash\necho \"say $# $* in $PWD\"\nexit 4\n", {"mode": 0o755}))


def run_image(daemon, box, **body):
    reply = daemon.ask("POST", f"/v1/sandboxes/{box}/exec", body)
    assert reply.status == 200, reply
    ended = reply.json()
    return Text(ended["stdout"] + ended["stderr"] + str(ended["exit_code"]))


@CASES("an exec without a command runs the image's entrypoint and command; notes tell what is not honoured")
def starts(daemon):
    daemon.start()
    config = {"Env": ["HOME=/srv", "A=1=2"], "WorkingDir": "/srv/app", "User": "app:staff", "Entrypoint": ["/srv/app/say", "two words"], "Cmd": ["$x", ""]}
    info = made(daemon, "app", oci(LAYER, config=config))
    assert (info["user"], info["entrypoint"], info["command"]) == ("app:staff", config["Entrypoint"], config["Cmd"]), info
    assert [note.split(":")[0] for note in info["notes"]] == ["environment", "user"] and "1001:50" in info["notes"][1], info
    box = daemon.make(template="app")
    assert run_image(daemon, box) == "say 3 two words $x  in /srv/app\n4"
    assert run_image(daemon, box, command=["echo", "mine"]) == "mine\n0"
    assert run_image(daemon, box, cwd="/etc", environment={"A": "3"}) == "say 3 two words $x  in /etc\n4"
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/exec", {"keep_shell": True}).status == 400
    shown = daemon.ask("GET", f"/v1/sandboxes/{box}").json()
    assert shown["command"] == config["Entrypoint"] + config["Cmd"] and shown["user"] is None, shown
    fork = daemon.ask("POST", f"/v1/sandboxes/{box}/fork", {}).json()["forks"][0]["sandbox"]["id"]
    daemon.kill()
    daemon.start()
    assert run_image(daemon, fork) == "say 3 two words $x  in /srv/app\n4"
    for more, kinds in (({"User": "ghost"}, ["user"]), ({"User": "0:7"}, ["user"]), ({"User": "4294967295"}, ["user"]), ({"User": "x" * 5000}, ["user"]), ({}, []),
                        ({"WorkingDir": "srv"}, ["working_directory"]), ({"WorkingDir": "/none"}, ["working_directory"]), ({"Entrypoint": [""]}, ["entrypoint"]),
                        ({"Cmd": ["a\0b"]}, ["command"]), ({"Cmd": ["x"] * 5000}, ["command"]), ({"Env": ["bad-name=1", "novalue"]}, ["environment"]),
                        ({"Env": [f"V{i}=" + "x" * 1000 for i in range(200)]}, ["environment"])):
        info = made(daemon, "odd", oci(LAYER, config=more))
        assert [note.split(":")[0] for note in info["notes"]] == kinds, (more, info["notes"])
    refused = daemon.ask("POST", f"/v1/sandboxes/{daemon.make(template='odd')}/exec", {})
    assert refused.status == 400 and "no image" in refused.json()["error"]["message"], refused
    assert daemon.ask("POST", f"/v1/sandboxes/{daemon.make()}/processes", {"exec": {}}).status == 400


@CASES("hostile archives are refused, and leave nothing")
def hostile(daemon):
    daemon.start()
    layer = tar(("a", b"x"))
    good = oci(layer)

    def lying(blobs):
        return {name: blob + b" " for name, blob in blobs.items()}

    def missing(blobs):
        return dict(list(blobs.items())[:-1])

    zeros = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join([zeros.compress(bytes(1 << 20)) for _ in range(300)]) + zeros.flush()
    deep = tar(("/".join(["d"] * 2000), b"x"))
    cases = {
        "dots": tar(("../evil", b"x")), "dots inside": tar(("a/../../evil", b"x")), "link out": tar(("l", tarfile.LNKTYPE, {"linkname": "../../etc/passwd"})),
        "link to nothing": tar(("l", tarfile.LNKTYPE, {"linkname": "none"})), "below a file": tar(("f", b"x"), ("f/g", b"y")),
        "loop": tar(("l", tarfile.SYMTYPE, {"linkname": "l"}), ("l/x", b"x")), "deep": deep, "noise": os.urandom(5000), "torn": tar(*ROOT)[:1500],
        "gzip torn": gzip.compress(tar(*ROOT))[:-20], "gzip bomb": bomb, "lying digests": oci(layer, spoil=lying), "a layer missing": oci(layer, spoil=missing),
        "no config": tar(("oci-layout", b"{}"), ("index.json", b"{}")), "deep json": tar(("oci-layout", b"{}"), ("index.json", b"[" * 100_000)),
        "config elsewhere": tar(("manifest.json", b'[{"Config":"../../etc/passwd","RepoTags":["a"],"Layers":[]}]')),
        "whiteout out": oci(tar(("a/.wh...", b""))), "whiteout of dots": oci(tar((".wh..", b""))), "no header": b"\0" * 100 + b"x" * 412,
        "empty body": b"", "one byte": b"x",
    }
    for name, content in cases.items():
        reply = build(daemon, "bad", content)
        assert reply.status in (400, 404, 429), (name, reply)
        assert "error" in reply.json(), (name, reply)
    assert build(daemon, "good", good).status == 201
    # Absolute paths and links are names in the tree, and lead nowhere else.
    info = made(daemon, "absolute", tar(("/etc/motd", b"m\n"), ("abs", tarfile.SYMTYPE, {"linkname": "/etc/motd"}), ("up", tarfile.SYMTYPE, {"linkname": "../../../../../../etc/motd"}),
                                        ("dir", tarfile.SYMTYPE, {"linkname": "/etc"}), ("dir/through", b"t\n")))
    box = daemon.make(template=info["id"])
    assert out(daemon, box, "cat /abs /up /etc/through") == "m\nm\nt\n"
    for query in ("", "name=A", "name=tpl_x", "name=a%40b", "name=a&format=zip", "name=a&label=x", "name=a&color=red", "name=" + "a" * 64):
        assert daemon.ask("POST", "/v1/templates?" + query, tar(*ROOT)).status == 400, query
    for text in ("none", "good@", "good@0", "good@2", "good@x", "good@99999999999999999999", "tpl_" + "a" * 20, "..", "%00", "good%401%401"):
        assert daemon.ask("GET", "/v1/templates/" + text).status in (400, 404), text
        assert daemon.ask("POST", "/v1/sandboxes", {"template": text}).status in (400, 404), text
    both = daemon.ask("POST", "/v1/sandboxes", {"template": "good", "snapshot": "x"})
    assert both.status == 400, both
    assert [one["name"] for one in daemon.ask("GET", "/v1/templates").json()["templates"]] == ["good", "absolute"]
    assert out(daemon, daemon.make(template="good"), "cat /a") == "x"


@CASES("an archive of a million names too many")
def too_many(daemon):
    daemon.start()
    header = bytearray(tar(("n0000000", b""))[:512])
    name_at, sum_at = header.index(b"n0000000") + 1, 148
    header[sum_at:sum_at + 8] = b" " * 8
    base = sum(header) - 7 * ord("0")
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    parts = []
    for number in range(1_000_001):
        digits = b"%07d" % number
        header[name_at:name_at + 7] = digits
        header[sum_at:sum_at + 8] = b"%06o\0 " % (base + sum(digits))
        parts.append(pack.compress(bytes(header)))
    parts.append(pack.flush())
    reply = build(daemon, "many", b"".join(parts))
    assert reply.status == 429 and "1000000" in reply.json()["error"]["message"], reply


@CASES("owners: their own, and what an administrator shares")
def owners(daemon):
    daemon.start()
    ann, bob = owner_key(daemon, "ann"), owner_key(daemon, "bob")
    hers = made(daemon, "mine", tar(("a", b"ann\n")), key=ann)
    absent = "tpl_" + "a" * 20
    for name in (hers["id"], "mine", "mine@1"):
        for method, path, body in (("GET", "", None), ("GET", "/export", None), ("DELETE", "", None)):
            reply = daemon.ask(method, f"/v1/templates/{name}{path}", body, key=bob)
            none = daemon.ask(method, f"/v1/templates/{absent}{path}", body, key=bob)
            assert reply.status == none.status == 404 and reply.body.decode().replace(name, "T") == none.body.decode().replace(absent, "T"), (name, reply, none)
        assert daemon.ask("POST", "/v1/sandboxes", {"template": name}, key=bob).status == 404
    assert daemon.ask("GET", "/v1/templates", key=bob).json()["templates"] == []
    assert daemon.ask("GET", "/v1/templates?owner=ann", key=bob).json()["templates"] == []
    assert build(daemon, "for-all", tar(("a", b"b")), key=bob, shared="true").status == 403
    shared = made(daemon, "for-all", tar(("a", b"admin\n")), shared="true")
    assert shared["shared"] is True and [one["id"] for one in daemon.ask("GET", "/v1/templates?shared=true", key=bob).json()["templates"]] == [shared["id"]]
    box = daemon.ask("POST", "/v1/sandboxes", {"template": "for-all"}, key=bob).json()["id"]
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/exec", {"script": "cat /a"}, key=bob).json()["stdout"] == "admin\n"
    assert daemon.ask("DELETE", "/v1/templates/for-all", key=bob).status == 403
    made(daemon, "for-all", tar(("a", b"bob\n")), key=bob)   # his own comes first
    assert daemon.ask("GET", "/v1/templates/for-all", key=bob).json()["owner"] == "bob"
    assert daemon.ask("GET", "/v1/templates/for-all", key=ann).json()["owner"] == "admin"
    reader = owner_key(daemon, "ann", "read")
    assert daemon.ask("GET", "/v1/templates/mine", key=reader).status == 200 and daemon.ask("DELETE", "/v1/templates/mine", key=reader).status == 403
    assert build(daemon, "x", tar(), key=reader).status == 403


@CASES("of a snapshot, with its shell; snapshots and forks of what began from a template")
def of_snapshots(daemon):
    daemon.start()
    made(daemon, "base", tar(*ROOT))
    box = daemon.make(template="base")
    daemon.run(box, "x=5; echo more > f; mkdir d; cd d", keep_shell=True)
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/snapshots", {"name": "ready"}).status == 201
    reply = daemon.ask("POST", "/v1/snapshots/ready/template", {"name": "warm", "labels": {"k": "v"}})
    assert reply.status == 201 and reply.json()["source"] == "snapshot" and reply.json()["isolation"] == "virtual", reply
    assert daemon.ask("DELETE", "/v1/snapshots/ready").status == 204
    assert daemon.ask("POST", "/v1/snapshots/ready/template", {"name": "warm"}).status == 404
    warm = daemon.make(template="warm")
    assert out(daemon, warm, "echo $x ${PWD##*/}; cat ../f", keep_shell=True) == "5 d\nmy cat\n"
    fork = daemon.ask("POST", f"/v1/sandboxes/{box}/fork", {}).json()["forks"][0]["sandbox"]["id"]
    assert out(daemon, fork, "head -1 /home/agent/f; wc -c < /srv/data") == "more\n100000\n"
    assert daemon.ask("POST", "/v1/sandboxes", {"template": "warm", "isolation": "process"}).status == 400


@CASES("killed with -9: sandboxes go on upon their template, half a template is none")
def killed(daemon):
    daemon.start()
    made(daemon, "base", tar(*ROOT))
    boxes = [daemon.make(template="base") for _ in range(3)]
    for number, box in enumerate(boxes):
        daemon.run(box, f"echo {number} > n; rm -f /home/agent/none; x={number}", keep_shell=True)
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
    connection.putrequest("POST", "/v1/templates?name=half")
    connection.putheader("Authorization", f"Bearer {daemon.key}")
    connection.putheader("Content-Length", "10000000")
    connection.endheaders()
    connection.send(tar(*ROOT, ("big", os.urandom(3_000_000)))[:2_000_000])
    daemon.kill()
    connection.close()
    daemon.start()
    assert [one["name"] for one in daemon.ask("GET", "/v1/templates").json()["templates"]] == ["base"]
    assert daemon.ask("DELETE", "/v1/templates/base").status == 204
    assert daemon.ask("POST", "/v1/system/collect", {"grace": "1ms"}).status == 200
    for number, box in enumerate(boxes):
        assert out(daemon, box, "echo $x; head -1 n; wc -c < /srv/data; own z", keep_shell=True) == f"{number}\n{number}\n100000\nown z\n"
    daemon.kill()
    daemon.start()
    assert out(daemon, boxes[0], "echo $x; head -1 n", keep_shell=True) == "0\n0\n"
    # What is cut is no template either.
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
    connection.putrequest("POST", "/v1/templates?name=cut")
    connection.putheader("Authorization", f"Bearer {daemon.key}")
    connection.putheader("Content-Length", "100000")
    connection.endheaders()
    connection.send(tar(*ROOT)[:2000])
    connection.close()
    assert daemon.ask("GET", "/v1/templates/cut").status == 404


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no VmRSS")


@CASES("many sandboxes of one template have its files once")
def crowd(daemon):
    daemon.start()
    big = 24 << 20
    made(daemon, "big", tar(("data", os.urandom(big)), *((f"many/{number}", b"%d\n" % number) for number in range(2000))))
    daemon.run(daemon.make(template="big"), "wc -c < /data")
    before = resident(daemon.child.pid)
    boxes = [daemon.make(template="big") for _ in range(200)]
    for box in boxes[::20]:
        assert out(daemon, box, f"wc -c < /data; rm /many/7 2>&1; echo x > f; cat f") == f"{big}\nrm: cannot remove '/many/7': Permission denied\nx\n"
    grown = resident(daemon.child.pid) - before
    assert grown < 2 * big, f"{grown} bytes for {len(boxes)} sandboxes"


@CASES("paddock template")
def client(daemon):
    user = User(daemon.start())
    folder = daemon.data.parent / "root"
    (folder / "srv").mkdir(parents=True)
    (folder / "srv" / "a").write_text("from a directory\n")
    (folder / "link").symlink_to("srv/a")
    first = user.text("template", "create", "-l", "k=v", "dir", str(folder))
    assert first.split()[1] == "dir@1" and first.startswith("tpl_"), first
    file = daemon.data.parent / "root.tar.gz"
    file.write_bytes(gzip.compress(tar(*ROOT)))
    assert user.text("template", "create", "dir", str(file)).split()[1] == "dir@2"
    assert user.text("template", "create", "piped", "-", input=oci(tar(("i", b"image\n")))).split()[1] == "piped@1"
    box = user.text("create", "--template", "dir@1").strip()
    assert user.text("exec", "-c", "cat /link", box) == "from a directory\n"
    rows = user.text("template", "ls").splitlines()
    assert [row.split()[1] for row in rows[1:]] == ["dir@1", "dir@2", "piped@1"], rows
    assert len(user.text("template", "ls", "-l", "k=v").splitlines()) == 2
    assert json.loads(user.text("template", "show", "piped"))["source"] == "image"
    back = daemon.data.parent / "back.tar"
    user.text("template", "export", "dir@1", str(back))
    with tarfile.open(back) as archive:
        assert archive.extractfile("srv/a").read() == b"from a directory\n"
    user.text("snapshot", "create", box, "state")
    assert user.text("template", "create", "--snapshot", "state", "warm").split()[1] == "warm@1"
    assert user.text("template", "rm", "piped", "dir@2") == "piped\ndir@2\n"
    assert "no template 'piped'" in user.complaint("template", "show", "piped", status=1)
    assert "archive" in user.complaint("template", "create", "bad", __file__, status=1)
    assert "no-such-file" in user.complaint("template", "create", "bad", "no-such-file", status=1)
    assert "create NAME FROM" in user.complaint("template", "show", status=2)


# ---- behind the process wall


def wall(daemon, **request):
    """A sandbox behind the process wall; skips where there is none."""
    reply = daemon.ask("POST", "/v1/sandboxes", {"isolation": "process", **request})
    if reply.status != 201 and os.geteuid() != 0:
        raise Skipped(f"no process wall for this user here: {reply}")
    assert reply.status == 201, reply
    return reply.json()["id"]


def state_of(daemon, box, name):
    reply = daemon.ask("POST", f"/v1/sandboxes/{box}/snapshots", {"name": name})
    assert reply.status == 201, reply
    return reply.json()


def mini_root():
    """A root file system of a few of this machine's programs with their libraries."""
    files = {}

    def take(path):
        real = os.path.realpath(path)
        files[path] = real
        listed = subprocess.run(["ldd", real], capture_output=True, text=True, check=False).stdout
        for line in listed.splitlines():
            words = [word for word in line.split() if word.startswith("/")]
            if words:
                files[words[0]] = os.path.realpath(words[0])

    for name in ("bash", "cat", "ls", "rm", "mkdir", "mv", "id", "touch", "stat", "wc"):
        take(shutil.which(name))
    folders = sorted({str(parent) for path in files for parent in pathlib.PurePath(path).parents} | {"/etc", "/tmp", "/opt/d", "/opt", "/home", "/var", "/usr/bin", "/bin"}, key=len)
    entries = [(folder, tarfile.DIRTYPE) for folder in folders if folder != "/"]
    for path, real in files.items():
        entries.append((path, pathlib.Path(real).read_bytes(), {"mode": 0o755}))
    bash = shutil.which("bash")
    for name in ("/bin/sh", "/bin/bash", "/usr/bin/bash"):
        if name != bash and name not in files and os.path.realpath(os.path.dirname(name)) != os.path.dirname(bash):
            entries.append((name, tarfile.SYMTYPE, {"linkname": bash}))
    entries += [("/etc/debian_version", b"mini\n"), ("/opt/d/old", b"old\n"), ("/opt/gone", b"gone\n"), ("/opt/hard", tarfile.LNKTYPE, {"linkname": "/opt/gone"})]
    return tar(*entries)


HOSTILE = r"""
mkdir d; seq 1000 > d/numbers; ln d/numbers hard; ln -s /etc/hostname link; truncate -s 900M sparse; printf end >> sparse; mkfifo pipe; echo x > $'new\nline'; echo y > $'bad\xff'
echo shut > shut; chmod 000 shut; mkdir -p closed/in; echo z > closed/in/f; chmod 000 closed; echo s > set; chmod 4755 set; echo in-home > ~/f; touch -d 2001-01-01 d
python3 -c 'import os, socket; os.setxattr("d/numbers", "user.note", b"n"); os.setxattr("d", "user.d", b""); socket.socket(socket.AF_UNIX).bind("sock")' 2>/dev/null
mkdir deep; cd deep; for i in $(seq 60); do mkdir dddddddddddddddddddd; cd dddddddddddddddddddd; done; echo bottom > f
"""
SEEN = r"""
wc -l < d/numbers; [ d/numbers -ef hard ] && echo linked; readlink link; stat -c '%s %b' sparse | { read s b; [ $b -lt 100 ] && echo $s; }; tail -c 3 sparse; echo; stat -c %F pipe
cat $'new\nline' $'bad\xff'; stat -c %a shut closed; chmod 600 shut; chmod 700 closed; cat shut closed/in/f ~/f; stat -c %Y d; ls sock 2>&1
python3 -c 'import os; print(os.getxattr("d/numbers", "user.note"), os.listxattr("d"))' 2>/dev/null; cat $(find deep -name f)
"""


@CASES("snapshots behind the process wall: everything is kept, compared, restored, forked")
def walled_snapshots(daemon):
    daemon.start()
    box = wall(daemon, name="dev")
    daemon.run(box, HOSTILE)
    taken = state_of(daemon, box, "full")
    assert taken["isolation"] == "process", taken
    daemon.run(box, "chmod 700 closed shut; rm -rf -- * ~/f; echo other > here")
    changes = {change["path"]: change["kind"] for change in daemon.ask("GET", f"/v1/snapshots/full/diff?sandbox={box}&limit=10000").json()["changes"]}
    assert changes["/workspace/here"] == "added" and changes["/workspace/d/numbers"] == "removed" and changes["/home/f"] == "removed", changes
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/restore", {"snapshot": "full"}).status == 200
    keeps_attributes = "b'n' ['user.d']\n" in daemon.run(box, SEEN)["stdout"]
    expected = ("1000\nlinked\n/etc/hostname\n943718403\nend\nfifo\nx\ny\n0\n0\nshut\nz\nin-home\n978307200\n"
                "ls: cannot access 'sock': No such file or directory\n" + ("b'n' ['user.d']\n" if keeps_attributes else "") + "bottom\n")
    forks = daemon.ask("POST", f"/v1/sandboxes/{box}/restore", {"snapshot": "full"})
    assert forks.status == 200
    forks = daemon.ask("POST", f"/v1/sandboxes/{box}/fork", {"count": 2, "name": "try"}).json()["forks"]
    assert [fork["error"] for fork in forks] == [None, None], forks
    begun = wall(daemon, snapshot="full")
    daemon.kill()
    daemon.start()
    for one in ("try-1", begun, box):
        assert out(daemon, one, SEEN) == expected, one
    daemon.run("try-2", "echo mine > only-here")
    assert out(daemon, "try-1", "ls only-here 2>&1 | wc -l; cat only-here 2>/dev/null") == "1\n"
    reply = daemon.ask("POST", "/v1/sandboxes", {"snapshot": "full", "isolation": "virtual"})
    assert reply.status == 400, reply
    made_of = daemon.ask("POST", "/v1/snapshots/full/template", {"name": "warm"})
    assert made_of.status == 201 and made_of.json()["isolation"] == "process", made_of
    assert out(daemon, wall(daemon, template="warm"), "cat ~/f") == "in-home\n"


@CASES("a snapshot behind the process wall waits for nothing that runs, and follows no link out")
def walled_races(daemon):
    daemon.start()
    box = wall(daemon)
    started = daemon.ask("POST", f"/v1/sandboxes/{box}/processes", {"exec": {"script": "sleep 60"}})
    assert started.status in (200, 201), started
    for path in ("fork", "snapshots"):
        reply = daemon.ask("POST", f"/v1/sandboxes/{box}/{path}", {})
        assert reply.status == 409 and "runs something" in reply.json()["error"]["message"], reply
    process = f"/v1/sandboxes/{box}/processes/{started.json()['id']}"
    assert daemon.ask("POST", process + "/signal", {"signal": 9}).status in (200, 204)
    assert daemon.ask("GET", process + "/wait").status == 200
    secret = daemon.data.parent / "secret"
    secret.write_text("token-of-the-host\n")
    script = f"mkdir -p a b; (while :; do echo own > a/f; rm -f a/f; ln -s {secret} a/f; rm -f a/f; mv a c 2>/dev/null; ln -s {secret.parent} a; rm -f a; mv c a; done) >/dev/null 2>&1 & sleep 0.1"
    daemon.run(box, script)
    for number in range(15):
        reply = daemon.ask("POST", f"/v1/sandboxes/{box}/snapshots", {"name": f"s{number}"})
        assert reply.status == 201, reply
    for number in range(0, 15, 3):
        copy = wall(daemon, snapshot=f"s{number}")
        assert out(daemon, copy, "find . -type f -exec cat {} + | grep -c token; find . -type f | grep -c secret") == "0\n0\n"
    assert daemon.ask("POST", f"/v1/sandboxes/{box}/pause", {}).status == 200
    assert state_of(daemon, box, "at-rest")["entries"] >= 3
    assert daemon.ask("GET", f"/v1/sandboxes/{box}").json()["state"] == "paused"


@CASES("killed with -9 while a process sandbox is put back: it is as before, or as the snapshot")
def walled_kills(daemon):
    daemon.start()
    box = wall(daemon)
    daemon.run(box, "seq 300 | while read n; do echo A > f$n; done; echo A > ~/state; echo A > state")
    state_of(daemon, box, "a")
    daemon.run(box, "rm -f f*; seq 200 | while read n; do echo B > g$n; done; echo B > ~/state; echo B > state")
    state_of(daemon, box, "b")
    seen = set()
    for number in range(16):
        wanted = "ab"[number % 2]
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
        connection.request("POST", f"/v1/sandboxes/{box}/restore", json.dumps({"snapshot": wanted}), {"Authorization": f"Bearer {daemon.key}", "Content-Type": "application/json"})
        if number % 4 < 2:
            time.sleep(0.004 * number)   # any moment will do; these lie about the time that it takes
        else:
            assert connection.getresponse().status == 200
        daemon.kill()
        connection.close()
        daemon.start()
        words = out(daemon, box, "echo $(cat state ~/state) $(ls | grep -c f) $(ls | grep -c g)")
        assert str(words) in ("A A 300 0\n", "B B 0 200\n"), words
        seen.add(str(words))
        assert set(os.listdir(daemon.data / "sandboxes" / box)) <= {"base", "creation", "home", "workspace", "paddock"}, os.listdir(daemon.data / "sandboxes" / box)
    assert len(seen) == 2, seen


@CASES("templates behind the process wall: their programs run, what is changed is kept, and lies apart")
def walled_templates(daemon):
    daemon.start()
    wall(daemon)
    made(daemon, "mini", mini_root())
    one, two = (wall(daemon, template="mini") for _ in range(2))
    assert out(daemon, one, "cat /etc/debian_version; ls /opt; id -un; ls /usr/share 2>&1 | wc -l") == "mini\nd\ngone\nhard\nagent\n1\n"
    unpacked = [name for name in os.listdir(daemon.data / "templates") if not name.startswith(".")]
    assert len(unpacked) == 1, unpacked
    daemon.run(one, "rm /opt/gone; echo mine > /opt/new; rm -rf /opt/d; mkdir /opt/d; echo fresh > /opt/d/fresh; echo w > w; echo h > ~/h; echo 1 > /etc/debian_version")
    see = "ls /opt /opt/d; cat /etc/debian_version /opt/hard w ~/h"
    after = "/opt:\nd\nhard\nnew\n\n/opt/d:\nfresh\n1\ngone\nw\nh\n"
    assert out(daemon, one, see) == after
    assert out(daemon, two, "cat /opt/gone /opt/d/old /etc/debian_version") == "gone\nold\nmini\n"
    assert daemon.ask("POST", f"/v1/sandboxes/{one}/stop", {}).status == 200 and daemon.ask("POST", f"/v1/sandboxes/{one}/start", {}).status == 200
    assert out(daemon, one, see) == after
    state_of(daemon, one, "changed")
    fork = daemon.ask("POST", f"/v1/sandboxes/{one}/fork", {}).json()["forks"][0]["sandbox"]["id"]
    daemon.kill()
    daemon.start()
    assert daemon.ask("DELETE", "/v1/templates/mini").status == 204
    assert daemon.ask("POST", "/v1/system/collect", {"grace": "1ms"}).status == 200
    for box in (one, fork, wall(daemon, snapshot="changed")):
        assert out(daemon, box, see) == after, box
    daemon.run(fork, "rm -rf /opt")
    assert daemon.ask("POST", f"/v1/sandboxes/{fork}/restore", {"snapshot": "changed"}).status == 200
    assert out(daemon, fork, see) == after
    carried = daemon.ask("GET", "/v1/snapshots/changed/export")
    assert carried.status == 200 and carried.body.startswith(b"paddock snapshot 2\n"), carried.status
    whole = daemon.ask("GET", "/v1/snapshots/changed").json()
    for box in daemon.ask("GET", "/v1/sandboxes").json()["sandboxes"]:
        assert daemon.ask("DELETE", f"/v1/sandboxes/{box['id']}").status == 204
    assert daemon.ask("DELETE", "/v1/snapshots/changed").status == 204
    assert daemon.ask("POST", "/v1/system/collect", {"grace": "1ms"}).status == 200
    assert os.listdir(daemon.data / "templates") == []
    # Nothing of the template is left here: a file of such a state holds it.
    for spoiled in (carried.body[:-1], carried.body + b"x", carried.body[:len(carried.body) // 2]):
        assert daemon.ask("POST", "/v1/snapshots/import", spoiled).status == 400
    read = daemon.ask("POST", "/v1/snapshots/import?name=carried", carried.body)
    assert read.status == 201 and read.json()["tree"] == whole["tree"] and read.json()["content_bytes"] > whole["content_bytes"], read
    box = wall(daemon, snapshot="carried")
    assert out(daemon, box, see) == after
    assert out(daemon, box, "rm -r /opt/d; ls /opt") == "hard\nnew\n"
    assert daemon.ask("GET", "/v1/snapshots/carried/export").body == carried.body


@CASES("an image behind the process wall: execs are its user, in its directory, and run what it names")
def walled_images(daemon):
    daemon.start()
    wall(daemon)
    files = mini_root()
    say = ["bash", "-c", 'id -u; id -g; id -un; pwd; echo "$A $HOME"; echo $*', "say"]
    config = {"Env": ["A=1", "HOME=/elsewhere"], "WorkingDir": "/opt/d", "Entrypoint": say, "Cmd": ["one", "two"]}
    upper = tar(("etc/passwd", PASSWD))
    made(daemon, "named", oci(files, upper, config={**config, "User": "app"}))
    made(daemon, "numbers", oci(files, upper, config={**config, "User": "1234:77"}))
    made(daemon, "root", oci(files, upper, config={**config, "WorkingDir": "/opt/hard"}))
    told = "/opt/d\n1 /home/agent\none two\n0"
    named, numbers, root = (wall(daemon, template=name) for name in ("named", "numbers", "root"))
    assert run_image(daemon, named) == "1001\n1002\napp\n" + told
    assert daemon.ask("GET", f"/v1/sandboxes/{named}").json()["user"] == "1001:1002"
    numbers_name = out(daemon, numbers, "id -un").strip()
    assert run_image(daemon, numbers) == f"1234\n77\n{numbers_name}\n" + told
    mine = out(daemon, wall(daemon, template="named", environment={"A": "2"}), "echo $A $PWD; > /opt/made; > made; > ~/made; > /tmp/made; ls -n /opt/made made ~/made /tmp/made /etc/passwd")
    assert mine.startswith("2 /opt/d\n") and [line.split()[2:4] for line in mine.splitlines()[1:]] == [["1001", "1002"]] * 5, mine
    usual = out(daemon, wall(daemon), "id -u").strip()
    assert out(daemon, root, "id -u; pwd") == f"{usual}\n{daemon.data}/sandboxes/{root}/workspace\n"
    out(daemon, named, "echo kept > /opt/d/kept; mkdir -m 700 /opt/mine; echo w > ~/w")
    fork = daemon.ask("POST", f"/v1/sandboxes/{named}/fork", {}).json()["forks"][0]["sandbox"]["id"]
    daemon.kill()
    daemon.start()
    for box in (named, fork):
        assert out(daemon, box, "id -u; cat kept ~/w; touch /opt/mine/new && rm /opt/mine/new") == "1001\nkept\nw\n", box


@CASES("hostile templates behind the process wall")
def walled_hostile(daemon):
    daemon.start()
    wall(daemon)
    secret = daemon.data.parent / "secret"
    secret.write_text("token-of-the-host\n")
    entries = [("evil", tarfile.SYMTYPE, {"linkname": str(secret)}), ("dev", tarfile.SYMTYPE, {"linkname": "/etc"}), ("proc", tarfile.SYMTYPE, {"linkname": "../../.."}),
               ("home", tarfile.SYMTYPE, {"linkname": str(daemon.data)}), ("etc/passwd", tarfile.SYMTYPE, {"linkname": str(secret)}), ("disk", tarfile.BLKTYPE, {"devmajor": 8, "devminor": 0}),
               ("zero", tarfile.CHRTYPE, {"devmajor": 0, "devminor": 0}), ("tmp", b"file"), ("setuid", b"x", {"mode": 0o6755})]
    for name, content in (("links", tar(*entries)), ("file-at-home", tar(("home", b"x"))), ("nothing", tar())):
        made(daemon, name, content)
        reply = daemon.ask("POST", "/v1/sandboxes", {"template": name, "isolation": "process"})
        if reply.status == 201:
            ended = daemon.ask("POST", f"/v1/sandboxes/{reply.json()['id']}/exec", {"command": ["/evil"]})
            assert b"token" not in ended.body and (ended.status != 200 or ended.json()["exit_code"] != 0), ended
        else:
            assert reply.status in (400, 404, 409, 500) and "error" in reply.json(), (name, reply)
    assert secret.read_text() == "token-of-the-host\n" and not (daemon.data / "agent").exists()
    for folder, _, files in os.walk(daemon.data / "templates"):
        for file in files:
            facts = os.lstat(os.path.join(folder, file))
            assert not facts.st_mode & 0o6000 and not os.path.stat.S_ISBLK(facts.st_mode) and not os.path.stat.S_ISCHR(facts.st_mode), (folder, file)
    assert out(daemon, wall(daemon), "echo well") == "well\n"


@CASES("a distribution as a template (where PADDOCK_TEST_ROOT names its root)")
def distribution(daemon):
    root = os.environ.get("PADDOCK_TEST_ROOT")
    if not root:
        raise Skipped("PADDOCK_TEST_ROOT names no root file system, as debootstrap makes them")
    user = User(daemon.start())
    wall(daemon)
    packed = subprocess.run(["tar", "--one-file-system", "--exclude=./dev/*", "-C", root, "-c", "."], capture_output=True, check=True).stdout
    user.text("template", "create", "debian", "-", input=packed)
    version = pathlib.Path(root, "etc/debian_version").read_text()
    box = wall(daemon, template="debian")
    assert out(daemon, box, "cat /etc/debian_version; perl -e 'print 6*7, \"\\n\"'; dpkg -s bash | head -1") == version + "42\nPackage: bash\n"
    virtual = daemon.make(template="debian", isolation="virtual")
    assert out(daemon, virtual, "cat /etc/debian_version; ls /etc/apt | head -1; awk 'BEGIN {print 6*7}'") == version + "apt.conf.d\n42\n"
    assert daemon.run(virtual, "perl -e 1")["exit_code"] in (126, 127)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES))
