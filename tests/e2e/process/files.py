"""Files of the workspace: who owns them, and what file systems can do."""

import contextlib
import os
import stat
import subprocess

from .case import Skip, driven, script


@driven("files/owner-and-mode", "coreutils", "what is made inside belongs outside to who runs paddock, with the mode it was given")
def owner_and_mode(box):
    box.write("old", "old\n", 0o640)
    box.run("set -e; stat -c '%U %a' old | grep -qx \"$USER 640\"; echo new >> old; echo x > new; chmod 751 new; mkdir -m 750 dir; "
            "ln -s new link; ln new hard; mkfifo fifo; touch -d 2001-02-03T04:05:06Z dated; (umask 077; touch private)", check=0)
    expected = {"old": 0o100640, "new": 0o100751, "hard": 0o100751, "dir": 0o040750, "fifo": 0o010644, "private": 0o100600}
    for name, mode in expected.items():
        found = os.lstat(box.workspace / name)
        assert (found.st_uid, found.st_gid) == (box.uid, box.gid), (name, found)
        assert found.st_mode == mode, (name, oct(found.st_mode))
    assert os.readlink(box.workspace / "link") == "new"
    assert os.lstat(box.workspace / "hard").st_nlink == 2
    assert os.lstat(box.workspace / "dated").st_mtime == 981173106
    assert (box.workspace / "old").read_text() == "old\nnew\n"


@driven("files/private-files", "coreutils", "files that only their owner may read (600, directories 700) are readable inside")
def private_files(box):
    box.write("secret/key", "key\n", 0o600)
    (box.workspace / "secret").chmod(0o700)
    assert box.run("cat secret/key; echo more >> secret/key", check=0).out == "key\n"
    found = os.lstat(box.workspace / "secret" / "key")
    assert stat.S_IMODE(found.st_mode) == 0o600 and found.st_uid == box.uid, found


script("files/names", "bash, find, python3", "names with blanks, newlines, Unicode, other bytes, 255 bytes", r"""
touch 'a b' $'new\nline' 'ünï ✓ 名前' $'\xff\xfe' "$(printf '%255s' | tr ' ' n)" -- '-dash' '*'
find . -type f -print0 | tr -dc '\0' | wc -c
python3 -c 'import os; print(sorted(len(os.fsencode(n)) for n in os.listdir()))'
rm -- * && ls -A | wc -l
""", out="7\n[1, 2, 3, 5, 8, 16, 255]\n0")

script("files/calls", "python3", "flock, fcntl locks, fallocate, sparse files, mmap, O_DIRECT, O_TMPFILE, rename exchange, xattrs", "python3 work.py",
       out="flock busy, lockf busy, fallocate 1048576, sparse, mmap, direct, tmpfile, exchanged, xattr b'v'", files={"work.py": r'''
import ctypes, errno, fcntl, mmap, os

said = []
with open("lock", "w") as first, open("lock") as second:
    fcntl.flock(first, fcntl.LOCK_EX)
    try: fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError: said.append("flock busy")
with open("region", "w+") as first:
    fcntl.lockf(first, fcntl.LOCK_EX)
    if (pid := os.fork()) == 0:
        with open("region", "r+") as second:
            try: fcntl.lockf(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError: os._exit(3)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3: said.append("lockf busy")
with open("long", "wb") as file:
    os.posix_fallocate(file.fileno(), 0, 1 << 20)
    said.append(f"fallocate {os.stat('long').st_blocks * 512}")
with open("sparse", "wb") as file:
    file.seek(1 << 30); file.write(b"x")
if os.stat("sparse").st_blocks < 100: said.append("sparse")
with open("mapped", "wb+") as file:
    file.truncate(8192)
    with mmap.mmap(file.fileno(), 8192) as view: view[4096:4099] = b"map"; view.flush()
    file.seek(4096)
    if file.read(3) == b"map": said.append("mmap")
try:
    file = os.open("straight", os.O_CREAT | os.O_RDWR | os.O_DIRECT)
    os.write(file, mmap.mmap(-1, 4096))
    said.append("direct")
except OSError as error:
    said.append("direct" if error.errno == errno.EINVAL else str(error))  # the file system has none
file = os.open(".", os.O_TMPFILE | os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
libc.linkat(-100, f"/proc/self/fd/{file}".encode(), -100, b"named", 0x400)
if os.path.exists("named"): said.append("tmpfile")
for name in ("one", "two"):
    with open(name, "w") as file: file.write(name)
assert libc.renameat2(-100, b"one", -100, b"two", 2) == 0, os.strerror(ctypes.get_errno())
if open("one").read() == "two": said.append("exchanged")
try:
    os.setxattr("one", "user.name", b"v")
    said.append(f"xattr {os.getxattr('one', 'user.name')}")
except OSError as error:
    said.append("xattr b'v'" if error.errno == errno.ENOTSUP else f"xattr {error}")  # the file system has none
print(", ".join(said))
'''})

script("files/inotify", "python3", "inotify and epoll", "python3 work.py", out="made IN_CREATE", files={"work.py": """
import ctypes, os, select, struct
libc = ctypes.CDLL(None)
watch = libc.inotify_init1(os.O_NONBLOCK)
assert libc.inotify_add_watch(watch, b".", 0x100) >= 0
open("made", "w").close()
poll = select.epoll()
poll.register(watch, select.EPOLLIN)
assert poll.poll(5)
_, mask, _, length = struct.unpack_from("iIII", data := os.read(watch, 4096))
print(data[16:16 + length].rstrip(b"\\0").decode(), "IN_CREATE" if mask == 0x100 else mask)
"""})

script("files/fifo", "bash", "a named pipe between two processes", "mkfifo pipe; (echo through > pipe) & cat pipe", out="through")

script("files/large-tree", "tar, rsync, find, grep, xargs", "2,000 files: made, packed, unpacked, synchronised, searched, removed", r"""
python3 - <<'END'
import os
for d in range(20):
    os.makedirs(f"tree/{d}")
    for f in range(100):
        with open(f"tree/{d}/{f}", "w") as file: file.write(f"{d} {f}\n" + "x" * 500 + ("needle\n" if (d, f) == (12, 42) else "\n"))
END
tar czf tree.tgz tree; mkdir out; tar xzf tree.tgz -C out
find out -type f | wc -l
grep -rl needle out
rsync -a --delete tree/ copy/; rm -r copy/7; rsync -a tree/ copy/; diff -r tree copy && echo same
find tree -type f -name "*9" -print0 | xargs -0 -n 100 -P 2 sha256sum | wc -l
rm -r tree out copy; ls
""", out="2000\nout/tree/12/42\nsame\n200\ntree.tgz", needs=("rsync", "tar"))

script("files/read-only-system", "bash", "the system cannot be written, home and /tmp are private and writable", r"""
for path in /usr/x /etc/x /x /opt/x; do touch $path 2>/dev/null && echo "wrote $path"; done
touch "$HOME/x" /tmp/x /var/tmp/x /dev/shm/x && echo private
""", out="private")



@driven("files/overlay", "bash", "with `--overlay` the host's workspace stays as it was, until `paddock apply`", options=("--overlay",),
        files={"old": "old\n", "gone": ""})
def overlay(box):
    ended = box.run("echo new > old; rm gone; mkdir d; echo made > d/made; cat old; ls", check=0)
    assert ended.out == "new\nd\nold\n", ended
    assert (box.workspace / "old").read_text() == "old\n" and sorted(os.listdir(box.workspace)) == ["gone", "old"]
    apply = [box.paddock, "apply", "--yes"]
    box.host(*apply)
    assert (box.workspace / "old").read_text() == "new\n" and sorted(os.listdir(box.workspace)) == ["d", "old"]
    assert os.lstat(box.workspace / "d" / "made").st_uid == box.uid


@contextlib.contextmanager
def mounted(source, target, *options):
    target.mkdir(exist_ok=True)
    subprocess.run(["mount", *options, source, target], check=True)
    try:
        yield target
    finally:
        subprocess.run(["umount", target], check=True)


@driven("files/mounts-below", "coreutils", "file systems mounted in the workspace, also an overlay such as a container has, whose owners cannot be mapped")
def mounts_below(box):
    if os.geteuid() != 0:
        raise Skip("mounting takes root")
    layers = [box.directory(name) for name in ("lower", "upper", "work-of-overlay")]
    for name, mode in (("public", 0o644), ("secret", 0o600)):
        (layers[0] / name).write_text(f"{name}\n")
        (layers[0] / name).chmod(mode)
    overlay = ",".join(f"{key}dir={layer}" for key, layer in zip(("lower", "upper", "work"), layers))
    with (mounted("overlay", box.workspace / "container", "-t", "overlay", "-o", overlay),
          mounted("tmpfs", box.workspace / "memory", "-t", "tmpfs") as memory, mounted(layers[0], memory / "bound", "--bind")):
        for path in (memory, layers[0]):
            os.chown(path, box.uid, box.gid)
        ended = box.run("cat container/public; cat container/secret; ls container; echo x > memory/new; echo x > memory/bound/new; find memory -type f | sort")
        assert ended.out == "public\npublic\nsecret\nmemory/bound/new\nmemory/bound/public\nmemory/bound/secret\nmemory/new\n", ended
        assert "container/secret: Permission denied" in ended.err, ended
        assert (os.lstat(memory / "new").st_uid, os.lstat(layers[0] / "new").st_uid) == (box.uid, box.uid)
