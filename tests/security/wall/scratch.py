"""The scratch host: namespaces in which the whole of a run happens, so that a wall that fails, and the run without
a wall, meet a host that can be thrown away. The files are an overlay on the real ones; the network is a loopback that
carries every address; processes, host name and System V objects are its own. What no namespace covers (kernel settings,
devices, the clock) is real: probes write only what is there already.

Runs as root, in the process that `unshare` started.
"""

import ctypes
import ctypes.util
import os
import pathlib
import secrets
import shutil
import socket
import subprocess

from . import servers

USER, UID = "prober", 1500
OTHER, OTHER_UID = "other", 1501
EXTRA_GROUP = 4242
MS_BIND, MS_REC, MNT_DETACH = 4096, 16384, 2
PIVOT_ROOT = 155  # x86-64
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)

# Files of a home that hold something worth stealing: token -> path below it.
HOME_SECRETS = {
    "ssh": ".ssh/id_ed25519", "aws": ".aws/credentials", "netrc": ".netrc", "gh": ".config/gh/hosts.yml",
    "docker": ".docker/config.json", "kube": ".kube/config", "gnupg": ".gnupg/private-keys-v1.d/key",
    "history": ".bash_history", "npmrc": ".npmrc", "pypirc": ".pypirc", "gitcreds": ".git-credentials",
    "keyring": ".local/share/keyrings/login.keyring", "cookies": ".mozilla/firefox/x.default/cookies.sqlite",
    "claude": ".claude/.credentials.json", "codex": ".codex/auth.json", "gcloud": ".config/gcloud/credentials.db",
    "cargo": ".cargo/credentials.toml", "document": "Documents/taxes.txt", "sibling": "work/sibling/.env",
    "chrome": ".config/google-chrome/Default/Login Data", "terraform": ".terraform.d/credentials.tfrc.json",
    "azure": ".azure/msal_token_cache.json", "thunderbird": ".thunderbird/x/key4.db", "psql": ".pgpass",
    "gitxdg": ".config/git/credentials", "uv": ".local/share/uv/credentials/credentials.toml", "conda": ".conda/.condarc",
    "mail": ".authinfo", "sqllogin": ".mylogin.cnf", "snap": "snap/app/common/token", "flatpak": ".var/app/org.x/data/token",
    "vault": ".vault-token", "rclone": ".config/rclone/rclone.conf", "shrc": ".bashrc", "recent": ".local/share/recent",
}
ENVIRONMENT_SECRETS = ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DATABASE_URL",
                       "NPM_TOKEN", "SOME_PASSWORD", "KUBE_TOKEN", "SSH_ASKPASS", "MYSQL_PWD")
# token -> (path, mode, group) of files that root owns.
SYSTEM_SECRETS = {
    "varlog": ("/var/log/audit-secret.log", 0o640, EXTRA_GROUP), "cron": ("/var/spool/cron/crontabs/root", 0o600, 0),
    "run": ("/run/service/token", 0o644, 0), "tmp": ("/tmp/host-secret.txt", 0o644, 0),
    "vartmp": ("/var/tmp/host-secret.txt", 0o644, 0), "shm": ("/dev/shm/host-secret", 0o644, 0),
    "mnt": ("/mnt/disk/backup.txt", 0o644, 0), "media": ("/media/usb/private.txt", 0o644, 0),
    "sudoers": ("/etc/sudoers.d/90-secret", 0o440, 0), "hostkey": ("/etc/ssh/ssh_host_ed25519_key", 0o600, 0),
    "srv": ("/srv/data/customers.csv", 0o640, 0), "tlskey": ("/etc/ssl/private/server.key", 0o600, 0),
    "spool": ("/var/mail/root", 0o600, 0), "backups": ("/var/backups/shadow.bak", 0o600, 0),
    "runuser": ("/run/user/1500/keyring", 0o644, 0), "wg": ("/etc/wireguard/wg0.conf", 0o600, 0),
}
HOST_SOCKETS = {  # server -> path
    "docker-socket": "/run/docker.sock", "dbus-socket": "/run/dbus/system_bus_socket",
    "systemd-socket": "/run/systemd/private", "session-bus": "/run/user/1500/bus", "agent-socket": "/tmp/ssh-agent.sock",
    "x11-socket": "/tmp/.X11-unix/X0", "containerd-socket": "/run/containerd/containerd.sock",
    "vartmp-socket": "/var/tmp/host.sock", "shm-socket": "/dev/shm/host.sock",
}


def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), f"system call {number}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind=None, flags=0, data=None):
    if libc.mount(*(part.encode() if part is not None else None for part in (str(source), str(target), kind)),
                  ctypes.c_ulong(flags), data.encode() if data else None) < 0:
        raise OSError(ctypes.get_errno(), f"mount {target}: {os.strerror(ctypes.get_errno())}")


def enter(base, mounts):
    """Builds the scratch host's files below `base`, an empty directory of a real disk, and moves into them.
    `mounts`: absolute path inside -> directory to show there."""
    base = pathlib.Path(base)
    base.chmod(0o755)
    for name in ("upper", "work", "root"):
        (base / name).mkdir()
    root = base / "root"
    mount("overlay", root, "overlay", 0, f"lowerdir=/,upperdir={base}/upper,workdir={base}/work")
    for name, mode in (("home", 0o755), ("root", 0o700), ("tmp", 0o1777), ("var/tmp", 0o1777), ("run", 0o755),
                       ("mnt", 0o755), ("media", 0o755), ("srv", 0o755)):
        source = base / ("disk-" + name.replace("/", "-"))
        source.mkdir()
        source.chmod(mode)
        (root / name).mkdir(exist_ok=True, parents=True)
        mount(source, root / name, None, MS_BIND)
    for name in ("dev", "sys"):
        mount("/" + name, root / name, None, MS_BIND | MS_REC)
    mount("proc", root / "proc", "proc")
    mount("tmpfs", root / "dev/shm", "tmpfs", 0, "mode=1777")
    for target, source in mounts.items():
        place = root / target.lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        mount(source, place, None, MS_BIND)
    os.chdir(root)
    call(PIVOT_ROOT, b".", b".")
    libc.umount2(b".", MNT_DETACH)
    os.chdir("/")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for family in ("-4", "-6"):
        subprocess.run(["ip", family, "route", "add", "local", "default", "dev", "lo"], check=True)
    pathlib.Path("/proc/sys/net/ipv4/ping_group_range").write_text("0 2147483647")  # what most systems have
    socket.sethostname("scratch-host")


class World:
    """The scratch host's contents: secrets, servers, processes, and what the judges ask of them."""

    def __init__(self, user, uid, gid, home):
        self.user, self.uid, self.gid = user, uid, gid
        self.home, self.work = home, f"{home}/work/project"
        self.tokens = {name: f"SECRET-{name}-{secrets.token_hex(8)}" for name in (
            *HOME_SECRETS, *SYSTEM_SECRETS, *ENVIRONMENT_SECRETS, "shadow", "server", "metadata", "other", "victim-memory",
            "victim-environ", "victim-argv", "fd", "directory-fd", "kmsg", "keyring", "shm-segment", "message", "mqueue",
            "root-home", "roothome", "pipe", "allowed", *HOST_SOCKETS, "work-socket", "abstract", "loopback", "loopback6",
            "dev-server")}
        self.salt = secrets.token_hex(4)
        self.before, self.survivors, self.children = {}, {}, []
        self.servers = servers.Servers(self.tokens)
        self.variables = {
            "H": home, "W": self.work, "P": f"{self.work}/.wall/helper", "OTHER": f"/home/{OTHER}", "HOST_UID": str(uid),
            "ALLOWED_IP": servers.ALLOWED_ADDRESS, "DENIED_IP": servers.DENIED_ADDRESS,
            "METADATA_IP": servers.METADATA_ADDRESS, "PRIVATE_IP": servers.PRIVATE_ADDRESS,
            "RESOLVER_IP": servers.RESOLVER_ADDRESS, "LO_PORT": str(servers.LOOPBACK_PORT),
            "LO6_PORT": str(servers.LOOPBACK6_PORT), "DEV_PORT": str(servers.DEV_PORT), "UDP_PORT": str(servers.UDP_PORT),
            "ABSTRACT": "host-bus",
        }

    def mark(self, name):
        return "mark" + self.salt + format(abs(hash((name, self.salt))) & 0xffffffff, "08x")

    def nonce(self, name):
        return "nonce" + format(abs(hash(("nonce", name, self.salt))) & 0xffffffffff, "010x")

    def received(self):
        with self.servers.lock:
            return list(self.servers.records)

    def write(self, path, text, mode=0o600, owner=None, group=None):
        """A file of the host with its directories, by default the user's own."""
        owner = self.uid if owner is None else owner
        group = self.gid if group is None else group
        path = pathlib.Path(path)
        for folder in reversed([one for one in path.parents if not one.exists()]):
            folder.mkdir()
            os.chown(folder, owner, group)
        path.write_text(text)
        os.chown(path, owner, group)
        path.chmod(mode)
        return path

    def run_as_user(self, command, **more):
        return subprocess.run(command, user=self.uid, group=self.gid, extra_groups=[], check=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)

    def build(self, helper):
        """Everything that all probes may look for. `helper`: the compiled helper's path."""
        self.build_system()
        self.build_home()
        self.build_work(helper)
        self.build_servers()
        self.build_processes()

    def build_system(self):
        for line, path in ((f"{USER}:x:{UID}:{UID}::/home/{USER}:/bin/bash\n{OTHER}:x:{OTHER_UID}:{OTHER_UID}::"
                            f"/home/{OTHER}:/bin/bash\n", "/etc/passwd"),
                           (f"{USER}:x:{UID}:\n{OTHER}:x:{OTHER_UID}:\nextras:x:{EXTRA_GROUP}:{USER}\n", "/etc/group"),
                           (f"canary:{self.tokens['shadow']}:19000:0:99999:7:::\n", "/etc/shadow")):
            with open(path, "a", encoding="utf-8") as file:
                file.write(line)
        pathlib.Path("/etc/resolv.conf").write_text(f"nameserver {servers.RESOLVER_ADDRESS}\noptions timeout:1 attempts:1\n")
        pathlib.Path("/etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n127.0.0.1 scratch-host\n")
        for name, (path, mode, group) in SYSTEM_SECRETS.items():
            self.write(path, self.tokens[name] + "\n", mode, 0, group)
        self.write(f"/home/{OTHER}/notes.txt", self.tokens["other"] + "\n", 0o644, OTHER_UID, OTHER_UID)
        self.write("/root/.private/key", self.tokens["roothome"] + "\n", 0o600, 0, 0)
        with open("/dev/kmsg", "w", encoding="utf-8") as log:
            log.write(f"wall probe {self.tokens['kmsg']}\n")

    def build_home(self):
        home = pathlib.Path(self.home)
        home.mkdir(exist_ok=True)
        home.chmod(0o755 if self.uid else 0o700)
        os.chown(home, self.uid, self.gid)
        for name, path in HOME_SECRETS.items():
            self.write(home / path, self.tokens[name] + "\n")
        for path in (".profile", ".gitconfig", ".zshrc", ".config/autostart/x.desktop", "bin/tool", ".ssh/authorized_keys"):
            self.write(home / path, "# of the host\n", 0o644)

    def build_work(self, helper):
        work = pathlib.Path(self.work)
        work.mkdir(parents=True)
        for path in (work, work.parent):
            os.chown(path, self.uid, self.gid)
        git = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": self.home, "PATH": PATH}
        self.run_as_user(["git", "init", "-q", "-b", "main", self.work], env=git)
        for path, text in (("README", "a project\n"), ("src/main.py", "print('hello')\n"), (".envrc", "export A=1\n"),
                           (".vscode/tasks.json", "{}\n"), (".gitmodules", ""), (".husky/pre-commit", "true\n"),
                           (".git/hooks/post-commit", "#!/bin/sh\ntrue\n")):
            self.write(work / path, text, 0o755 if "hooks" in path else 0o644)
        (work / ".wall/out").mkdir(parents=True)
        os.chown(work / ".wall", self.uid, self.gid)
        os.chown(work / ".wall/out", self.uid, self.gid)
        shutil.copy(helper, work / ".wall/helper")
        (work / ".wall/helper").chmod(0o755)
        for script in ("net.py", "unix.py"):
            shutil.copy(pathlib.Path(helper).with_name(script), work / ".wall" / script)

    def build_servers(self):
        serve = self.servers
        serve.tcp("127.0.0.1", servers.LOOPBACK_PORT, "loopback")
        serve.tcp("::1", servers.LOOPBACK6_PORT, "loopback6", socket.AF_INET6)
        serve.tcp("127.0.0.1", servers.DEV_PORT, "dev-server")
        for port in (80, 443, 22, 8080):
            serve.tcp("0.0.0.0", port)
            serve.tcp("::", port, None, socket.AF_INET6)
        serve.udp(servers.UDP_PORT, "udp")
        serve.dns()
        serve.packets()
        serve.unix("\0host-bus", "abstract")
        for name, path in HOST_SOCKETS.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            serve.unix(path, name)
        serve.unix_datagram("/run/host-log", "log-socket")
        serve.unix(f"{self.work}/host.sock", "work-socket")

    def build_processes(self):
        """A process of the same user that holds secrets in its memory, environment and arguments."""
        self.victim = subprocess.Popen(
            [self.variables["P"], "victim", self.tokens["victim-argv"]], user=self.uid, group=self.gid, extra_groups=[],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.home, start_new_session=True,
            env={"PATH": PATH, "VICTIM_SECRET": self.tokens["victim-environ"]})
        self.victim.stdin.write(self.tokens["victim-memory"].encode() + b"\n")
        self.victim.stdin.flush()
        address = self.victim.stdout.readline().split()[1].decode()
        self.variables |= {"VICTIM": str(self.victim.pid), "VICTIM_ADDRESS": address, "RUNNER": str(os.getpid())}
        self.children.append(self.victim.pid)

    def environment(self):
        """What the launcher starts with."""
        return {"PATH": PATH, "HOME": self.home, "USER": self.user, "LOGNAME": self.user, "TERM": "xterm", "LANG": "C.UTF-8",
                "SSH_AUTH_SOCK": HOST_SOCKETS["agent-socket"], "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1500/bus",
                "XDG_RUNTIME_DIR": "/run/user/1500", "DISPLAY": ":0",
                **{name: self.tokens[name] for name in ENVIRONMENT_SECRETS}}
