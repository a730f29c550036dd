"""paddock cp of directories: both ways, interrupted, and from hostile archives."""

import copy
import http.server
import io
import json
import os
import pathlib
import pty
import select
import signal
import socketserver
import subprocess
import tarfile
import tempfile
import threading
import time

from client.user import Cases, User, isolations

case = Cases()


class Folder:
    """A directory of this machine that goes away."""

    def __enter__(self):
        self.holder = tempfile.TemporaryDirectory(dir="/var/tmp")
        return pathlib.Path(self.holder.name)

    def __exit__(self, *_):
        for path, names, _ in os.walk(self.holder.name):
            for name in names:
                if not os.path.islink(os.path.join(path, name)):
                    os.chmod(os.path.join(path, name), 0o700)
        self.holder.cleanup()


def listing(root):
    """Every path below `root` with what it is."""
    found = {}
    for path in sorted(pathlib.Path(root).rglob("*")):
        name = str(path.relative_to(root))
        status = path.lstat()
        if path.is_symlink():
            found[name] = "-> " + os.readlink(path)
        elif path.is_dir():
            found[name] = f"{status.st_mode & 0o7777:o}"
        else:
            found[name] = f"{status.st_mode & 0o7777:o} {path.read_bytes()[:100]!r} {status.st_size} {int(status.st_mtime)}"
    return found


def make_tree(root):
    root.mkdir(mode=0o750)
    (root / "a b").write_bytes(b"text")
    (root / "a b").chmod(0o640)
    os.utime(root / "a b", (5, 5))
    (root / "run").write_bytes(os.urandom(3_000_000))
    (root / "run").chmod(0o755)
    (root / "deep" / "er").mkdir(parents=True)
    (root / "deep" / "er" / ("n" * 200)).write_bytes(b"long name")
    (root / "deep" / "shut").mkdir()
    (root / "deep" / "shut" / "f").write_bytes(b"")
    (root / "deep" / "shut").chmod(0o555)
    (root / "link").symlink_to("deep/er")
    (root / "broken").symlink_to("/nowhere/at/all")
    os.link(root / "a b", root / "deep" / "other name")
    (root / "\u00e4\u2713").write_bytes(b"utf-8")


@case("directories go in and come back as they were")
def there_and_back(daemon):
    user = User(daemon.start())
    with Folder() as folder:
        make_tree(folder / "src")
        for isolation in isolations(daemon):
            name = "box-" + isolation
            user.text("create", "-i", isolation, name)
            home = user.text("exec", "-c", "echo $HOME", name).strip()
            user.text("cp", str(folder / "src"), f"{name}:{home}/new")
            looked = user.text("exec", "-c", f"cd {home}/new; stat -c %a . 'a b' run deep/shut; readlink broken; cat 'a b' link/n*; find . | wc -l", name)
            assert looked == "750\n640\n755\n555\n/nowhere/at/all\ntextlong name12\n", looked
            user.text("cp", f"{name}:{home}/new", str(folder / f"back-{isolation}"))
            assert listing(folder / f"back-{isolation}") == listing(folder / "src"), isolation
            assert (folder / f"back-{isolation}").stat().st_mode & 0o777 == 0o750
            assert (folder / f"back-{isolation}" / "a b").stat().st_nlink == 2
        assert sorted(os.listdir(folder)) == sorted(["src", *(f"back-{one}" for one in isolations(daemon))])


@case("what a target means: there, not there, SOURCE/., slashes")
def targets(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    with Folder() as folder:
        (folder / "src" / "sub").mkdir(parents=True)
        (folder / "src" / "f").write_text("new")
        inside = lambda path: user.text("exec", "-c", f"cd {path} && find . | sort | tr '\\n' ' '", "dev").strip()
        user.text("exec", "-c", "mkdir -p /tmp/old/src; echo kept > /tmp/old/src/kept; echo old > /tmp/old/src/f; ln -s /tmp/old /tmp/link", "dev")
        user.text("cp", str(folder / "src"), "dev:/tmp/old")
        assert inside("/tmp/old") == ". ./src ./src/f ./src/kept ./src/sub", inside("/tmp/old")
        assert user.text("exec", "-c", "cat /tmp/old/src/f", "dev") == "new"
        user.text("cp", f"{folder}/src/", "dev:/tmp/slash/")
        assert inside("/tmp/slash") == ". ./f ./sub"
        user.text("cp", f"{folder}/src/.", "dev:/tmp/old")
        assert inside("/tmp/old") == ". ./f ./src ./src/f ./src/kept ./src/sub ./sub"
        user.text("cp", f"{folder}/src", "dev:/tmp/link")
        assert inside("/tmp") .count("link") == 1
        assert "no directory" in user.complaint("cp", f"{folder}/src", "dev:/tmp/old/f", status=1)

        out = folder / "out"
        out.mkdir()
        user.text("cp", "dev:/tmp/slash", str(out))
        assert set(listing(out)) == {"slash", "slash/f", "slash/sub"}
        (out / "slash" / "kept").write_text("kept")
        (out / "slash" / "f").write_text("old")
        user.text("cp", "dev:/tmp/slash/", str(out))
        assert (out / "slash" / "f").read_text() == "new" and (out / "slash" / "kept").read_text() == "kept"
        user.text("cp", "dev:/tmp/slash/.", f"{out}/flat/")
        assert set(listing(out / "flat")) == {"f", "sub"}
        user.text("cp", "dev:/tmp/slash/f", str(out / "flat" / "sub"))
        assert (out / "flat" / "sub" / "f").read_text() == "new"
        user.text("cp", "dev:/tmp/link", str(folder / "followed"))
        assert "src/kept" in listing(folder / "followed")
        assert "no directory" in user.complaint("cp", "dev:/tmp/slash", str(out / "flat" / "f"), status=1)
        archive = user.run("cp", "dev:/tmp/slash", "-")
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            assert sorted(tar.getnames()) == [".", "f", "sub"], tar.getnames()
        assert user.run("cp", "dev:/tmp/absent", str(out / "absent")).returncode == 1 and not (out / "absent").exists()


@case("holes come out as holes; what is no file is named and left out")
def holes_and_others(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    with Folder() as folder:
        (folder / "src").mkdir()
        with open(folder / "src" / "sparse", "wb") as file:
            file.seek(64 << 20)
            file.write(b"end")
        os.mkfifo(folder / "src" / "fifo")
        (folder / "src" / "a\x1b[2J").write_bytes(b"")
        done = user.run("cp", str(folder / "src"), "dev:/tmp/src")
        assert done.returncode == 0 and b"1 left out" in done.stderr, done
        user.text("cp", "dev:/tmp/src", str(folder / "back"))
        back = (folder / "back" / "sparse").stat()
        assert back.st_size == (64 << 20) + 3 and back.st_blocks * 512 < 1 << 20, back
        assert (folder / "back" / "a\x1b[2J").exists() and not (folder / "back" / "fifo").exists()
        user.text("cp", "dev:/tmp/src/sparse", str(folder / "one"))
        assert (folder / "one").stat().st_blocks * 512 < 1 << 20
        assert subprocess.run(["cmp", folder / "one", folder / "src" / "sparse"], check=False).returncode == 0
        if os.getuid() != 0:
            (folder / "src" / "secret\x1b]0;x\x07").write_bytes(b"")
            (folder / "src" / "secret\x1b]0;x\x07").chmod(0)
            done = user.run("cp", str(folder / "src"), "dev:/tmp/other")
            assert done.returncode == 1 and b"left out: Permission denied" in done.stderr and b"\x1b" not in done.stderr, done


@case("Ctrl-C leaves no half of a directory, on neither side")
def interrupted(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    with Folder() as folder:
        (folder / "src").mkdir()
        for number in range(40):
            with open(folder / "src" / str(number), "wb") as file:
                file.truncate(64 << 20)
        child = user.start("cp", str(folder / "src"), "dev:/tmp/src", stderr=subprocess.PIPE)
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        _, complaint = child.communicate(timeout=30)
        assert child.returncode == 130 and b"interrupted" in complaint, (child.returncode, complaint)
        assert user.text("exec", "-c", "ls /tmp", "dev") == ""

    # A daemon that stalls in the midst of an archive.
    with Folder() as folder, Liar(archive([member("dir/", tarfile.DIRTYPE), member("dir/f", content=b"x" * 100_000)])[:50_000], stalls=True) as server:
        user.environment["PADDOCK_SERVER"] = server.address
        (folder / "old" / "dir").mkdir(parents=True)
        (folder / "old" / "dir" / "f").write_text("old")
        for target in (folder / "fresh", folder / "old"):
            child = user.start("cp", "box:/x/.", str(target), stderr=subprocess.PIPE)
            server.stalled.acquire(timeout=30)
            child.send_signal(signal.SIGINT)
            _, complaint = child.communicate(timeout=30)
            assert child.returncode == 130 and b"interrupted" in complaint, (child.returncode, complaint)
        assert os.listdir(folder) == ["old"] and os.listdir(folder / "old") == ["dir"]
        assert os.listdir(folder / "old" / "dir") == ["f"] and (folder / "old" / "dir" / "f").read_text() == "old"


@case("a bar on a terminal while a directory goes in")
def bar(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    with Folder() as folder:
        (folder / "src").mkdir()
        for number in range(30):
            with open(folder / "src" / str(number), "wb") as file:
                file.truncate(64 << 20)
        main, terminal = pty.openpty()
        child = user.start("cp", str(folder / "src"), "dev:/tmp/src", stderr=terminal)
        os.close(terminal)
        shown = b""
        while b"] " not in shown:
            assert select.select([main], [], [], 30)[0], shown
            try:
                shown += os.read(main, 4096)
            except OSError:
                break
        child.send_signal(signal.SIGINT)
        child.wait(30)
        os.close(main)
        assert b" of 1.9 GiB" in shown and b"/s" in shown, shown


# ---- hostile archives: from a daemon that lies

def member(name, type=tarfile.REGTYPE, content=b"", target="", mode=0o644):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode, info.size = type, target, mode, len(content)
    info.devmajor, info.devminor = 1, 3
    return info, content


def archive(members, end=b"\0" * 1024):
    bytes = b""
    for info, content in members:
        bytes += info.tobuf(tarfile.PAX_FORMAT) + content + b"\0" * (-len(content) % 512)
    return bytes + end


class Liar:
    """Answers as a daemon whose one sandbox holds a directory, with an archive of our choice."""

    def __init__(self, body, stalls=False, mode="0755"):
        liar = self
        self.stalled = threading.Semaphore(0)
        self.going = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                answer = json.dumps({"name": "x", "type": "directory", "mode": mode, "size": 0}).encode()
                if "/archive" in self.path:
                    answer = body
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer) + (1000 if stalls and "/archive" in self.path else 0)))
                self.end_headers()
                self.wfile.write(answer)
                if stalls and "/archive" in self.path:
                    self.wfile.flush()
                    time.sleep(0.3)   # the client takes what came
                    liar.stalled.release()
                    liar.going.wait(60)

            def log_message(self, *_):
                pass

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.going.set()
        self.server.shutdown()
        self.server.server_close()


def sparse_bomb():
    """A file of 8 EiB, none of which is stored."""
    info, _ = member("bomb")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "bomb", "GNU.sparse.realsize": str((1 << 63) - 1)}
    return (info, b"0\n")


TRICKS = {
    "dot dot": [member("../escaped", content=b"x")],
    "dot dot within": [member("a/", tarfile.DIRTYPE), member("a/../../escaped", content=b"x")],
    "dot dot as a directory": [member("..", tarfile.DIRTYPE, mode=0o777)],
    "symlink parent, absolute": [member("l", tarfile.SYMTYPE, target="OUTSIDE"), member("l/escaped", content=b"x")],
    "symlink parent, relative": [member("l", tarfile.SYMTYPE, target="../outside"), member("l/victim", content=b"x")],
    "chain of symlinks": [member("a", tarfile.SYMTYPE, target=".."), member("b", tarfile.SYMTYPE, target="a/outside"), member("b/victim", content=b"x")],
    "directory over a symlink, then below": [member("l", tarfile.SYMTYPE, target="OUTSIDE"), member("l", tarfile.LNKTYPE, target="l"), member("l/escaped", content=b"x")],
    "hard link to a file outside": [member("h", tarfile.LNKTYPE, target="OUTSIDE/victim"), member("h", content=b"x")],
    "hard link by dot dot": [member("h", tarfile.LNKTYPE, target="../outside/victim")],
    "hard link through a symlink": [member("l", tarfile.SYMTYPE, target="OUTSIDE"), member("h", tarfile.LNKTYPE, target="l/victim")],
    "hard link to a symlink, then written": [member("l", tarfile.SYMTYPE, target="OUTSIDE/victim"), member("h", tarfile.LNKTYPE, target="l"), member("h", content=b"x")],
    "more than there may be": [sparse_bomb()],
    "deeper than may be": [member("d/" * 500 + "f", content=b"x")],
    "no archive": None,
}


@case("no archive writes anything outside of the target")
def escapes(daemon):
    user = User(daemon)
    for trick, members in TRICKS.items():
        for is_new in (True, False):
            with Folder() as folder:
                outside = folder / "outside"
                outside.mkdir()
                (outside / "victim").write_text("safe")
                members_here = []
                for info, content in members or []:
                    here = copy.copy(info)
                    here.linkname = info.linkname.replace("OUTSIDE", str(outside))
                    members_here.append((here, content))
                body = archive([member("ok", content=b"fine"), *members_here]) if members is not None else b"no tar at all" * 1000
                if not is_new:
                    (folder / "in").mkdir()
                with Liar(body) as server:
                    user.environment["PADDOCK_SERVER"] = server.address
                    done = user.run("cp", "box:/x/.", str(folder / "in"))
                assert done.returncode == 1, (trick, done)
                assert sorted(os.listdir(folder)) == (["outside"] if is_new else ["in", "outside"]), (trick, os.listdir(folder))
                assert os.listdir(outside) == ["victim"] and (outside / "victim").read_text() == "safe", trick
                assert (outside / "victim").stat().st_nlink == 1, trick
                assert is_new or not any(name.startswith(".paddock") for name in os.listdir(folder / "in")), trick


@case("an archive replaces links instead of following them, and makes nothing but plain files")
def replaced(daemon):
    user = User(daemon)
    with Folder() as folder:
        outside, target = folder / "outside", folder / "in"
        outside.mkdir()
        (outside / "victim").write_text("safe")
        target.mkdir()
        (target / "file").symlink_to(outside / "victim")
        (target / "folder").symlink_to(outside)
        (target / "hard").symlink_to(outside / "victim")
        body = archive([member("file", content=b"new"), member("folder/", tarfile.DIRTYPE, mode=0o755), member("folder/f", content=b"below"),
                        member("hard", tarfile.LNKTYPE, target="file"), member("/absolute", content=b"here"),
                        member("suid", content=b"x", mode=0o6755), member("sgid/", tarfile.DIRTYPE, mode=0o3777), member("all", content=b"x", mode=0o777),
                        member("null", tarfile.CHRTYPE), member("disk", tarfile.BLKTYPE), member("fifo", tarfile.FIFOTYPE)])
        with Liar(body, mode="06777") as server:
            user.environment["PADDOCK_SERVER"] = server.address
            done = user.run("cp", "box:/x/.", str(target))
            fresh = user.run("cp", "box:/x/.", str(folder / "fresh"))
        assert done.returncode == 0 and b"3 left out" in done.stderr, done
        assert fresh.returncode == 0 and (folder / "fresh").stat().st_mode & 0o7777 == 0o755, oct((folder / "fresh").stat().st_mode)
        assert (outside / "victim").read_text() == "safe" and os.listdir(outside) == ["victim"]
        assert not (target / "file").is_symlink() and (target / "file").read_text() == "new"
        assert not (target / "folder").is_symlink() and (target / "folder" / "f").read_text() == "below"
        assert (target / "hard").samefile(target / "file") and (target / "absolute").read_text() == "here"
        modes = {name: oct((target / name).stat().st_mode & 0o7777) for name in ("suid", "sgid", "all")}
        assert modes == {"suid": "0o755", "sgid": "0o755", "all": "0o755"}, modes
        assert all((target / name).stat().st_uid == os.getuid() for name in ("suid", "file"))
        assert not any((target / name).exists() for name in ("null", "disk", "fifo"))


@case("an archive that is cut leaves nothing of a new directory; its names do not steer the terminal")
def cut(daemon):
    user = User(daemon)
    with Folder() as folder:
        whole = archive([member("a", content=b"x" * 5000), member("b", content=b"y" * 5000)])
        for length in (100, 700, 3000, len(whole) - 1500):
            with Liar(whole[:length]) as server:
                user.environment["PADDOCK_SERVER"] = server.address
                done = user.run("cp", "box:/x", str(folder / "in"))
            assert done.returncode == 1, (length, done)
            assert os.listdir(folder) == [], (length, os.listdir(folder))
        with Liar(archive([member("a\x1b]0;owned\x07/../b", content=b"x")])) as server:
            user.environment["PADDOCK_SERVER"] = server.address
            done = user.run("cp", "box:/x", str(folder / "names"))
        assert done.returncode == 1 and b"\x1b" not in done.stderr and b"\x07" not in done.stderr, done


@case("cp: from one sandbox to another, files and directories, and what it says when it cannot")
def between(daemon):
    user = User(daemon.start())
    names = []
    for isolation in isolations(daemon):
        for number in "12":
            names.append(f"{isolation}-{number}")
            user.text("create", "-i", isolation, names[-1])
    homes = {name: user.text("exec", "-c", "cd; pwd", name).strip() for name in names}
    make = "mkdir -m 750 ~/d ~/d/sub; echo one > ~/d/one; chmod 640 ~/d/one; ln -s one ~/d/link; head -c 3000000 /dev/zero | tr '\\0' x > ~/d/sub/big; chmod 755 ~/d/sub/big; echo f > ~/f; chmod 600 ~/f"
    see = "cd {} && find . | sort | while read -r name; do stat -c '%n %a %F %s' \"$name\"; done; cat one link; cksum < sub/big"
    for one, other in [(one, other) for one in names for other in names if one != other and one.endswith("1")]:
        home, there = homes[one], homes[other]
        user.text("exec", "-c", f"chmod -R u+rwx ~/d 2> /dev/null; rm -rf ~/*; {make}", one)
        user.text("exec", "-c", "chmod -R u+rwx ~/* 2> /dev/null; rm -rf ~/*; mkdir ~/there; echo old > ~/there/f", other)
        wanted = user.text("exec", "-c", see.format("~/d"), one)
        user.text("cp", f"{one}:{home}/d", f"{other}:{there}/new")
        assert user.text("exec", "-c", see.format("~/new"), other) == wanted, (one, other)
        user.text("cp", f"{one}:{home}/d/", f"{other}:{there}/there")
        assert user.text("exec", "-c", see.format("~/there/d"), other) == wanted, (one, other)
        user.text("cp", f"{one}:{home}/f", f"{other}:{there}/there")
        assert user.text("exec", "-c", "cd ~/there; cat f; stat -c %a f", other) == "f\n600\n"
        user.text("cp", f"{one}:{home}/d/.", f"{other}:{there}/there")
        assert user.text("exec", "-c", "cd ~/there; cat link; ls", other) == "one\nd\nf\nlink\none\nsub\n"
        for words, told in (((f"{one}:{home}/none", f"{other}:/tmp/x"), f"{one}:{home}/none: No such file"), (("nobody:/a", f"{other}:/tmp/x"), "nobody:/a: no sandbox 'nobody'"),
                            ((f"{one}:{home}/f", "nobody:/tmp/x"), "nobody:/tmp/x: no sandbox 'nobody'"), ((f"{one}:{home}/d", f"{other}:{there}/there/f"), "is no directory"),
                            ((f"{one}:{home}/f", f"{other}:{there}/there/f/g"), f"{other}:{there}/there/f/g: "), ((f"{one}:{home}/d", f"{one}:{home}/d/sub"), "lies within"),
                            ((f"{one}:{home}/f", f"{one}:{home}/f"), "is the same"), ((f"{one}:relative", f"{other}:/tmp/x"), "absolute")):
            ended = user.run("cp", *words)
            assert ended.returncode == 1 and told in ended.stderr.decode() and ended.stderr.count(b"\n") == 1, (words, ended)
    name = names[0]
    user.text("exec", "-c", f"chmod -R u+rwx ~/d 2> /dev/null; rm -rf ~/*; {make}", name)
    user.text("cp", f"{name}:{homes[name]}/d", f"{name}:{homes[name]}/twin")
    assert user.text("exec", "-c", see.format("~/twin"), name) == user.text("exec", "-c", see.format("~/d"), name)
    # What cannot be put there as a whole is not there.
    user.text("create", "-i", "virtual", "--limits", "disk=1m", "small")
    ended = user.run("cp", f"{name}:{homes[name]}/d", "small:/home/agent/d")
    assert ended.returncode == 1 and b"small:/home/agent/d" in ended.stderr, ended
    assert user.run("exec", "small", "ls", "/home/agent/d").returncode != 0
