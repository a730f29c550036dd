"""Real container engines for tests: a private Docker Engine and a private Podman service, each with its own data, sockets and subnets.

    with engines_for_test.started(folder) as engines:
        for engine in engines.running: …   # engine.name, engine.socket
        engines.missing                    # {"podman": "why it cannot be had"}

Nothing of the machine's own engines is touched. What is started is ended by process id, what is mounted unmounted.
"""

import contextlib
import http.client
import io
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tarfile
import time
import urllib.parse

APPLETS = "sh cat grep ls sleep wc echo true false head tail env id mkdir rm chmod ps kill yes dd stat tr cut seq find touch date uname hostname httpd".split()
IMAGE = ("localhost/base", "1")   # a root with BusyBox
SHELL_LESS = ("localhost/shell-less", "1")   # one with nothing that runs


class Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout=120):
        super().__init__("engine", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Engine:
    def __init__(self, name, folder):
        self.name, self.folder, self.socket = name, folder, folder / "engine.sock"
        self.child, self.started_with = None, None

    def request(self, method, path, body=None, headers=None):
        connection = Connection(self.socket)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def launch(self, command, environment):
        self.started_with = (command, environment)
        with open(self.folder / "log", "wb") as log:
            self.child = subprocess.Popen(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, start_new_session=True)   # conmon leaves a file "oom" where it was started
        until = time.monotonic() + 120
        while time.monotonic() < until:
            if self.child.poll() is not None:
                break
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.request("GET", "/_ping")[0] == 200:
                    return
            time.sleep(0.1)
        raise RuntimeError(f"{self.name} did not start: " + self.log()[-600:])

    def kill_and_restart(self):
        """As a crash of the engine: its containers may go on, or end, as it has them."""
        self.child.kill()
        self.child.wait()
        helper = self.folder / "exec" / "containerd" / "containerd.pid"
        if helper.exists():   # Docker's own, which is not to be taken for one that runs where nobody buries it
            with contextlib.suppress(OSError, ValueError):
                os.kill(int(helper.read_text()), signal.SIGKILL)
            helper.unlink()
        self.launch(*self.started_with)

    def log(self):
        return (self.folder / "log").read_text(errors="replace").strip()

    def import_image(self, tar, repository, tag, changes=()):
        status, said = self.request("POST", f"/v1.41/images/create?fromSrc=-&repo={repository}&tag={tag}" + "".join(f"&changes={urllib.parse.quote(one)}" for one in changes), body=tar, headers={"Content-Type": "application/x-tar"})
        last = json.loads(said.strip().splitlines()[-1])
        if status != 200 or "error" in last:
            raise RuntimeError(f"{self.name} did not import an image: {said[-300:]!r}")
        if self.name == "podman":   # it forgets the tag
            self.request("POST", f"/v1.41/images/{last['status']}/tag?repo={repository}&tag={tag}")

    def stop(self):
        if self.child and self.child.poll() is None:
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                for one in json.loads(self.request("GET", "/v1.41/containers/json?all=1")[1]):
                    self.request("DELETE", f"/v1.41/containers/{one['Id']}?force=1&v=1")
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(30)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        for _ in range(3):   # what lies on another mount comes first
            for line in reversed(pathlib.Path("/proc/self/mountinfo").read_text().splitlines()):
                if line.split()[4].startswith(str(self.folder)):
                    subprocess.run(["umount", "-l", line.split()[4]], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def start_docker(folder, more=(), within=(), pool="base=10.211.0.0/16,size=28"):
    for program in ("dockerd", "containerd", "runc", "iptables"):
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            raise RuntimeError(f"{program} is not installed (apt install docker.io iptables)")
    engine = Engine("docker", folder)
    engine.launch([*within, shutil.which("dockerd", path=os.environ["PATH"] + ":/usr/sbin"), "--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid",
                   "-H", f"unix://{engine.socket}", "--bridge=none", "--default-address-pool", pool,
                   "--containerd-namespace", f"test-{os.getpid()}", "--containerd-plugins-namespace", f"test-plugins-{os.getpid()}", *more],
                  {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
    return engine


def start_podman(folder):
    if not shutil.which("podman"):
        raise RuntimeError("podman is not installed (apt install podman)")
    engine = Engine("podman", folder)
    (folder / "net").mkdir()
    (folder / "files").mkdir()
    (folder / "storage.conf").write_text(f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/graph"\nrunroot = "{folder}/run"\n')
    (folder / "containers.conf").write_text(f"""[containers]
default_ulimits = ["nofile=1024:20000", "nproc=1024:20000"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "file"
tmp_dir = "{folder}/tmp"
[network]
network_config_dir = "{folder}/net"
default_subnet_pools = [{{"base" = "10.212.0.0/16", "size" = 28}}]
""")
    engine.launch(["podman", "system", "service", "--time=0", f"unix://{engine.socket}"],
                  {"CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"), "CONTAINERS_CONF": str(folder / "containers.conf"),
                   "TMPDIR": str(folder / "files")})   # where it forgets what it was sent
    return engine


def busybox_root():
    """A root directory as a tar archive: BusyBox, its names, and what a program expects to be there."""
    busybox = shutil.which("busybox")
    if not busybox or b"statically linked" not in subprocess.run(["file", "-bL", busybox], capture_output=True).stdout:
        raise RuntimeError("no static busybox (apt install busybox-static)")
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        def add(name, kind, content=b"", mode=0o755, target=""):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.size, entry.linkname = kind, mode, len(content), target
            tar.addfile(entry, io.BytesIO(content))
        for name in ("bin", "etc", "proc", "sys", "dev", "root", "usr", "var", "workspace"):
            add(name, tarfile.DIRTYPE)
        add("tmp", tarfile.DIRTYPE, mode=0o1777)
        add("bin/busybox", tarfile.REGTYPE, pathlib.Path(busybox).read_bytes())
        for applet in APPLETS:
            add(f"bin/{applet}", tarfile.SYMTYPE, target="busybox")
        add("etc/passwd", tarfile.REGTYPE, b"root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1000::/workspace:/bin/sh\n", 0o644)
        add("etc/group", tarfile.REGTYPE, b"root:x:0:\nagent:x:1000:\n", 0o644)
    return made.getvalue()


def empty_root():
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name in ("proc", "sys", "dev", "tmp", "workspace"):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o777
            tar.addfile(entry)
    return made.getvalue()


class Engines:
    def __init__(self):
        self.running, self.missing = [], {}


@contextlib.contextmanager
def started(folder):
    """Both engines with the image IMAGE, or why there is none."""
    engines = Engines()
    try:
        for name, start in (("docker", start_docker), ("podman", start_podman)):
            if os.getuid() != 0:
                engines.missing[name] = "takes root"
                continue
            (folder / name).mkdir()
            try:
                root = busybox_root()
                engine = start(folder / name)
                engines.running.append(engine)
                engine.import_image(root, *IMAGE)
                engine.import_image(empty_root(), *SHELL_LESS)
            except (RuntimeError, OSError) as error:
                engines.missing[name] = str(error)
                engines.running = [one for one in engines.running if one.name != name]
        yield engines
    finally:
        for engine in engines.running:
            engine.stop()
