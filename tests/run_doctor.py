#!/usr/bin/env python3
"""Plays hosts that lack something, for real, and checks that `paddock doctor` names the cause and that
`paddock run --isolation process` refuses with a remedy instead of running unconfined; then the escape test.

    run_doctor.py [--paddock FILE] [--only RE]

A host is crippled by namespaces, chroot, mounts and seccomp filters of this test's own, which takes root; as an
ordinary user only the cases that need none are run. The last line is "N passed, N failed, N skipped".
"""

import argparse
import ctypes
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDINARY = 47011
CASES = []
# Calls of x86-64 and their numbers; what a filter of a container engine refuses.
CALLS = {"clone": 56, "socket": 41, "mount": 165, "unshare": 272, "clone3": 435, "open_tree": 428, "landlock_create_ruleset": 444, "seccomp": 317}
EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97
NEW_USER, NEW_ANY, INET6 = 0x10000000, 0x7E020000, 10


def case(name, needs_root=True):
    def add(function):
        CASES.append((name, function, needs_root))
        return function
    return add


def filtered(rules, command):
    """Runs a command (replacing this process) under a seccomp filter: rules are "CALL:ERRNO[:has=BITS|:is=VALUE]"."""
    program = [(0x20, 0, 0, 0)]  # load the call's number
    for rule in rules:
        call, error, *condition = rule.split(":")
        refuse = (0x06, 0, 0, 0x00050000 | int(error))
        if not condition:
            program += [(0x15, 0, 1, CALLS[call]), refuse]
            continue
        kind, value = condition[0].split("=")
        # load the first argument's low half; afterwards the number again
        program += [(0x15, 0, 4, CALLS[call]), (0x20, 0, 0, 16), (0x45 if kind == "has" else 0x15, 0, 1, int(value)), refuse, (0x20, 0, 0, 0)]
    program.append((0x06, 0, 0, 0x7FFF0000))
    code = b"".join(struct.pack("HBBI", *one) for one in program)
    buffer = ctypes.create_string_buffer(code)
    libc = ctypes.CDLL(None, use_errno=True)
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, head, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    os.execv(command[0], command)


class Host:
    """Where a case runs: a folder with the programs that everybody may read."""

    def __init__(self, folder, paddock):
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name in ("paddock", "paddock-guest", "paddock-escape"):
            shutil.copy(paddock.parent / name, self.bin / name)
        self.paddock = str(self.bin / "paddock")
        self.work = folder / "work"
        self.work.mkdir()
        self.home = folder / "home"
        self.home.mkdir()
        if os.geteuid() == 0:
            os.chown(self.work, ORDINARY, ORDINARY)
            os.chown(self.home, ORDINARY, ORDINARY)

    def run(self, *arguments, around=(), user="ordinary", seconds=120):
        command = [self.paddock, *arguments]
        if user == "ordinary" and os.geteuid() == 0:
            command = ["/usr/bin/setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups", *command]
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        ended = subprocess.run([*around, *command], capture_output=True, text=True, errors="replace", timeout=seconds, check=False,
                               cwd=self.work, env=environment, stdin=subprocess.DEVNULL)
        return ended

    def doctor(self, **more):
        ended = self.run("doctor", "--json", **more)
        assert ended.stdout, f"doctor printed nothing: {ended.stderr}"
        found = {one["isolation"]: one for one in json.loads(ended.stdout)["isolations"]}
        found["status"] = ended.returncode
        return found


def check(found, name):
    for one in found["process"]["checks"]:
        if one["name"] == name:
            return one
    raise AssertionError(f"no check named {name}: {[one['name'] for one in found['process']['checks']]}")


def same(what, have, want):
    assert have == want, f"{what}: {have!r} instead of {want!r}"


def has(what, text, *words):
    for word in words:
        assert word in (text or ""), f"{what} lacks {word!r}: {text!r}"


def refuses(host, name, cause, remedy, **more):
    """Doctor says why there is no wall, and a run ends with 125, the remedy, and nothing run."""
    found = host.doctor(**more)
    same("doctor's status", found["status"], 1)
    same("the virtual isolation works", found["virtual"]["works"], True)
    same("the process isolation works", found["process"]["works"], False)
    one = check(found, name)
    same(f"state of {name}", one["state"], "missing")
    has("detail", one["detail"], cause)
    has("remedy", one["remedy"], remedy)
    ended = host.run("run", "-i", "process", "--", "/bin/echo", "RAN", **more)
    same("run's status", ended.returncode, 125)
    same("run's output", ended.stdout, "")
    has("run's message", ended.stderr, cause.split("(")[0].strip(), "remedy")


def works(host, **more):
    ended = host.run("run", "-i", "process", "--json", "--", "/bin/echo", "RAN", **more)
    same(f"run's status ({ended.stderr})", ended.returncode, 0)
    result = json.loads(ended.stdout)
    same("output", result["stdout"], "RAN\n")
    return result


def filter_of(*rules):
    return [sys.executable, str(pathlib.Path(__file__).resolve()), "--filtered", *rules, "--"]


def shell(script, *flags):
    """Runs sh -c SCRIPT in new namespaces before the command, which the script starts as "$@"."""
    return ["/usr/bin/unshare", *flags, "/bin/sh", "-ec", script, "sh"]


@case("whole host", needs_root=False)
def _(host):
    found = host.doctor()
    same("status", found["status"], 0)
    for one in found["process"]["checks"]:
        assert one["state"] != "missing", one
        assert (one["remedy"] is None) == (one["state"] == "works"), one
    ended = host.run("doctor")
    has("table", ended.stdout, "virtual", "user namespaces", "a sandbox and a command in")
    assert "\033" not in ended.stdout, "colours without a terminal"


@case("whole host, root")
def _(host):
    found = host.doctor(user="root")
    same("status", found["status"], 0)
    for name in ("user namespaces", "mounts", "fresh /proc", "system call filter", "owner mapping"):
        same(name, check(found, name)["state"], "works")


@case("unknown options and operands are usage errors", needs_root=False)
def _(host):
    same("operand", host.run("doctor", "now").returncode, 2)
    same("option", host.run("doctor", "--fix").returncode, 2)
    same("escape-test workspace", host.run("escape-test", "--workspace", "/tmp").returncode, 2)
    same("escape-test pattern", host.run("escape-test", "--only", "no-such-probe").returncode, 2)


@case("no guest program", needs_root=False)
def _(host):
    os.remove(host.bin / "paddock-guest")
    refuses(host, "guest program", "paddock-guest is missing", "install")


@case("guest program that is none", needs_root=False)
def _(host):
    (host.bin / "paddock-guest").write_text("not a program\n")
    refuses(host, "guest program", "cannot start", "install")


@case("user.max_user_namespaces is 0", needs_root=False)
def _(host):
    refuses(host, "user namespaces", "user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces",
            around=shell('echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', "--user", "--map-root-user"), user="root")


@case("the limit of an outer user namespace is used up", needs_root=False)
def _(host):
    script = 'echo 1 > /proc/sys/user/max_user_namespaces; exec unshare --user --map-root-user "$@"'
    refuses(host, "user namespaces", "the limit of user namespaces is reached", "where this namespace was made",
            around=shell(script, "--user", "--map-root-user"), user="root")


def chrooted(host, mounts_root):
    root = host.folder / "root"
    script = (f"mkdir -p {root}; " + (f"mount --bind {root} {root}; " if mounts_root else "") +
              f"for d in usr etc proc dev tmp sys {host.folder.relative_to('/').parts[0]}; do mkdir -p {root}/$d; mount --rbind /$d {root}/$d; done; "
              f"for d in bin sbin lib lib64; do [ -L /$d ] && ln -sfn usr/$d {root}/$d || {{ mkdir -p {root}/$d; mount --rbind /$d {root}/$d; }}; done; "
              f"exec chroot {root} /bin/sh -c 'cd {host.work}; exec \"$@\"' sh \"$@\"")
    return shell(script, "--mount")


@case("chroot")
def _(host):
    refuses(host, "user namespaces", "runs in a chroot", "pivot_root", around=chrooted(host, False))


@case("chroot into a mount")
def _(host):
    refuses(host, "user namespaces", "refused", "chroot", around=chrooted(host, True))


@case("seccomp filter as container engines have it", needs_root=False)
def _(host):
    rules = (f"unshare:{EPERM}:has={NEW_ANY}", f"clone:{EPERM}:has={NEW_ANY}", f"clone3:{ENOSYS}", f"mount:{EPERM}")
    refuses(host, "user namespaces", "a seccomp filter around this program refuses unshare(2)", "seccomp=unconfined", around=filter_of(*rules))


@case("seccomp filter that hides clone3: still a wall")
def _(host):
    for user in ("ordinary", "root"):
        same("status", host.doctor(around=filter_of(f"clone3:{ENOSYS}"), user=user)["status"], 0)
        works(host, around=filter_of(f"clone3:{ENOSYS}"), user=user)


@case("seccomp filter that refuses namespaces to clone, not to unshare", needs_root=False)
def _(host):
    refuses(host, "user namespaces", "clone(2) is refused", "seccomp=unconfined",
            around=filter_of(f"clone3:{ENOSYS}", f"clone:{EPERM}:has={NEW_ANY}"))


@case("seccomp filter that refuses mounts", needs_root=False)
def _(host):
    refuses(host, "mounts", "a seccomp filter around this program refuses mounts", "seccomp=unconfined", around=filter_of(f"mount:{EPERM}"))


@case("seccomp filter that hides the new mount calls", needs_root=False)
def _(host):
    refuses(host, "mounts", "open_tree", "seccomp=unconfined", around=filter_of(f"open_tree:{ENOSYS}"))


@case("seccomp filter that refuses further filters", needs_root=False)
def _(host):
    refuses(host, "system call filter", "cannot be installed", "seccomp(2)", around=filter_of(f"seccomp:{EPERM}"))


@case("no Landlock: limited, said, and still a wall", needs_root=False)
def _(host):
    around = filter_of(f"landlock_create_ruleset:{ENOSYS}")
    found = host.doctor(around=around)
    same("status", found["status"], 0)
    same("Landlock", check(found, "Landlock")["state"], "limited")
    result = works(host, around=around)
    assert any("Landlock" in line for line in result["warnings"]), result["warnings"]


@case("no IPv6: still a wall with a network", needs_root=False)
def _(host):
    around = filter_of(f"socket:{EAFNOSUPPORT}:is={INET6}")
    found = host.doctor(around=around)
    has("network capture", check(found, "network capture")["detail"], "no IPv6")
    ended = host.run("run", "-i", "process", "-P", "agent", "--", "/bin/echo", "RAN", around=around)
    same(f"run ({ended.stderr})", (ended.returncode, ended.stdout), (0, "RAN\n"))


@case("parts of /proc covered, as in a container")
def _(host):
    for user in ("root", "ordinary"):
        refuses(host, "fresh /proc", "where parts of the old one are covered", "systempaths=unconfined",
                around=shell('mount --bind /dev/null /proc/uptime; exec "$@"', "--mount"), user=user)


@case("the container's kind decides the remedy")
def _(host):
    script = 'mount -t tmpfs none /run; touch /run/.containerenv; mount --bind /dev/null /proc/uptime; exec "$@"'
    refuses(host, "fresh /proc", "covered", "podman run --security-opt unmask=ALL", around=shell(script, "--mount"))


@case("cgroups that cannot be written")
def _(host):
    script = ('grep " - cgroup" /proc/self/mountinfo | cut -d" " -f5 | while read -r at; do mount -o remount,bind,ro "$at"; done; exec "$@"')
    around = shell(script, "--mount")
    found = host.doctor(around=around, user="root")
    same("status", found["status"], 0)
    for name in ("memory limit", "process limit", "processor share"):
        same(name, check(found, name)["state"], "limited")
    result = works(host, around=around, user="root")
    assert any("memory is not limited by a cgroup" in line for line in result["warnings"]), result["warnings"]


NO_GROUPS = shell('grep " - cgroup" /proc/self/mountinfo | cut -d" " -f5 | while read -r at; do mount -o remount,bind,ro "$at"; done; exec "$@"', "--mount")


@case("memory is watched where no cgroup holds it")
def _(host):
    hog = "import time\nkept = []\nfor i in range(40): kept.append(bytearray(b'x' * (10 << 20))); time.sleep(0.02)\nprint('SURVIVED')"
    for user in ("ordinary", "root"):
        ended = host.run("run", "-i", "process", "--limits", "memory=100M", "--json", "--", "/usr/bin/python3", "-c", hog, around=NO_GROUPS, user=user)
        result = json.loads(ended.stdout)
        same("reason", result["termination"]["reason"], "oom")
        same("limit", result["termination"]["limit"], "memory")
        assert result["termination"]["peak"] > 100 << 20, result["termination"]
        assert "SURVIVED" not in result["stdout"]
        assert any("watched instead" in line for line in result["warnings"]), result["warnings"]


@case("memory of many small processes is watched, too")
def _(host):
    script = "for i in 1 2 3 4 5 6 7 8; do python3 -c 'x = bytearray(b\"x\" * (30 << 20)); import time; time.sleep(10)' & done; wait; echo SURVIVED"
    result = json.loads(host.run("run", "-i", "process", "--limits", "memory=100M", "--json", script, around=NO_GROUPS).stdout)
    same("reason", result["termination"]["reason"], "oom")


@case("files in memory count where no cgroup holds it")
def _(host):
    for place in ("/tmp", "/dev/shm"):
        script = f"head -c 300M /dev/zero > {place}/full; sleep 5; echo SURVIVED"
        result = json.loads(host.run("run", "-i", "process", "--limits", "memory=100M", "--json", script, around=NO_GROUPS).stdout)
        same(f"reason in {place}", result["termination"]["reason"], "oom")


@case("processor time of many processes is watched", needs_root=False)
def _(host):
    document = host.folder / "policy.toml"
    document.write_text('extends = "read-only"\n[limits]\ncpu_time = "1s"\n')
    script = "for i in 1 2 3 4; do (while :; do :; done) & done; wait"
    result = json.loads(host.run("run", "-i", "process", "--policy", str(document), "--limits", "time=60s", "--json", script).stdout)
    same("reason", result["termination"]["reason"], "cpu")
    same("limit", result["termination"]["limit"], "cpu_time")


def escape_test(host, *arguments, user):
    ended = host.run("escape-test", "--json", *arguments, user=user, seconds=300)
    assert ended.stdout, ended.stderr
    return ended.returncode, {one["name"]: one for one in json.loads(ended.stdout)["probes"]}


@case("escape-test: nothing escapes", needs_root=False)
def _(host):
    for user in ("ordinary", "root") if os.geteuid() == 0 else ("ordinary",):
        for preset in ("workspace", "agent"):
            status, probes = escape_test(host, "--preset", preset, user=user)
            escaped = {name: one["detail"] for name, one in probes.items() if one["outcome"] == "escaped"}
            same(f"{preset} as {user}: escaped", escaped, {})
            same("status", status, 0)
            held = sum(one["outcome"] == "held" for one in probes.values())
            assert held >= 100, f"only {held} probes were held under {preset}"


# What an ordinary user reaches on any host without a wall: a probe of these that does not bite proves nothing.
BITES = """files/home files/tmp files/var-tmp files/sibling files/climb files/symlink files/hard-link files/proc-root files/proc-cwd files/inherited
processes/environ processes/cmdline processes/signal processes/memory processes/memory-file processes/ptrace processes/descriptor
processes/init-program processes/init-trace processes/new-privileges processes/outlive
ipc/shared-memory ipc/message-queue ipc/semaphore ipc/posix-memory ipc/abstract-stream ipc/abstract-datagram ipc/path-socket ipc/home-socket
kernel/ptrace kernel/user-namespace kernel/clone kernel/clone3 kernel/personality
network/loopback network/loopback-2 network/zero network/datagram network/proxy-loopback network/socks-name
names/git-hook names/git-config names/nested-hook names/new-repository names/shell-start names/editor-tasks names/agent-settings
names/tool-servers names/other-case names/rename names/move-parent names/linked limits/forks limits/memory limits/cpu-time limits/fill-tmp""".split()


@case("escape-test: the probes bite without a wall, and leave nothing", needs_root=False)
def _(host):
    def left():
        places = [pathlib.Path(place) for place in ("/tmp", "/var/tmp", "/dev/shm", host.home)]
        return {str(path) for place in places for path in place.iterdir() if "paddock-escape" in path.name}

    before = left()
    status, probes = escape_test(host, "--control", user="ordinary")
    same("status", status, 0)
    same("do not bite", [f"{name}: {probes[name]['detail']}" for name in BITES if probes[name]["outcome"] != "escaped"], [])
    same("left behind", left() - before, set())


@case("escape-test: what the policy grants is no escape", needs_root=False)
def _(host):
    document = host.folder / "policy.toml"
    document.write_text(f'extends = "workspace"\n[files]\nread = ["{host.home}"]\n[kernel]\nptrace = true\n')
    status, probes = escape_test(host, "--policy", str(document), "--only", "*", user="ordinary")
    same("status", status, 0)
    same("files/home", probes["files/home"]["outcome"], "not_applicable")
    same("kernel/ptrace", probes["kernel/ptrace"]["outcome"], "not_applicable")


@case("escape-test: a hole is found")
def _(host):
    ended = host.run("escape-test", "--json", "--only", "files/cgroup", "--allow-write", "/etc/passwd", user="ordinary")
    same("harmless question first", ended.returncode, 0)
    (host.bin / "paddock-guest").write_bytes(b"")
    ended = host.run("escape-test", "--only", "files/home")
    same("no wall", ended.returncode, 125)


def main():
    if "--filtered" in sys.argv[:2]:
        split = sys.argv.index("--")
        filtered(sys.argv[2:split], sys.argv[split + 1:])
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--paddock", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "paddock")
    parser.add_argument("--only", default="", metavar="RE")
    options = parser.parse_args()
    is_root = os.geteuid() == 0
    passed = failed = skipped = 0
    for name, function, needs_root in CASES:
        if not re.search(options.only, name):
            continue
        if needs_root and not is_root:
            print(f"skip {name}: takes root")
            skipped += 1
            continue
        with tempfile.TemporaryDirectory(prefix="doctor-", dir="/var/tmp") as folder:
            os.chmod(folder, 0o755)
            try:
                function(Host(pathlib.Path(folder), options.paddock.resolve()))
                passed += 1
                print(f"ok   {name}", flush=True)
            except (AssertionError, subprocess.TimeoutExpired, ValueError, KeyError) as e:
                failed += 1
                print(f"FAIL {name}: {type(e).__name__}: {e}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
