"""Reading what is not the sandbox's: secrets of the home, of the system, and the ways round a path."""

import os
import subprocess

from .probe import ROOT, kernel_has, leaks, opens, probe, says
from .scratch import HOME_SECRETS, SYSTEM_SECRETS, mount

GROUPS = {
    "ssh-keys": ("ssh",), "cloud-keys": ("aws", "gcloud", "azure"), "registry-tokens": ("npmrc", "pypirc", "cargo", "netrc"),
    "git-credentials": ("gitcreds", "gh"), "container-keys": ("docker", "kube"), "vault-token": ("vault", "terraform"),
    "keyrings": ("gnupg", "keyring"), "browser-state": ("cookies", "chrome", "thunderbird"), "database-keys": ("psql", "rclone"),
    "agent-keys": ("claude", "codex"), "shell-history": ("history",), "shell-start-files": ("shrc",),
    "documents": ("document", "recent"), "sibling-project": ("sibling",),
}
for group, names in GROUPS.items():
    probe(f"files/{group}", "a file of the user's home: " + ", ".join(HOME_SECRETS[name] for name in names),
          "cat " + " ".join(f"'{{}}/{HOME_SECRETS[name]}'".format("$H").replace("'$H/", '"$H"/\'') for name in names),
          leaks(*names))
# Where a preset shows the home, what is in it to steal stays hidden; also what lies among the tools that every preset shows.
HIDDEN = [name for group, names in GROUPS.items() if group not in ("shell-start-files", "documents", "sibling-project") for name in names] \
    + ["gitxdg", "uv", "conda", "mail", "sqllogin", "snap", "flatpak"]
for preset in ("workspace", "agent", "trusted", "codex:workspace-write"):
    probe(f"files/preset-{preset.replace(':', '-')}", f"keys and histories of the home, in the preset {preset}",
          "cat " + " ".join(f'"$H/{HOME_SECRETS[name]}"' for name in HIDDEN), leaks(*HIDDEN), options=("--preset", preset))
SHUT = [name for name, (_, mode, group) in SYSTEM_SECRETS.items() if not mode & 0o004 and group == 0]   # a user keeps the groups
for preset in ("trusted", "codex:workspace-write"):
    probe(f"files/preset-system-{preset.replace(':', '-')}", f"secrets of the system, in the preset {preset}",
          "cat /etc/shadow " + " ".join(SYSTEM_SECRETS[name][0] for name in SHUT), leaks("shadow", *SHUT),
          options=("--preset", preset), bites=(ROOT,))

ROOT_ONLY = {name for name, (_, mode, _) in SYSTEM_SECRETS.items() if not mode & 0o004}
for name, (path, mode, _) in SYSTEM_SECRETS.items():
    if name != "varlog":  # readable through a group: theme inheritance
        probe(f"files/system-{name}", f"{path}, mode {mode:o}", f"cat {path}", leaks(name),
              bites=(ROOT,) if name in ROOT_ONLY else ("root", "ordinary"))



DISKS = [f"/dev/{name}" for name in os.listdir("/dev") if name[:3] in ("vda", "sda", "xvd") or name[:5] == "nvme0"]


def opened(path):
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


probe("files/shadow", "the password file", "cat /etc/shadow /etc/gshadow", leaks("shadow"), bites=(ROOT,))
probe("files/other-home", "a readable file in another user's home", "cat $OTHER/notes.txt", leaks("other"))
probe("files/root-home", "root's home", "cat /root/.private/key", leaks("roothome"), bites=(ROOT,))
probe("files/climb", "`..` from the workspace up to the home", "cat ../../.ssh/id_ed25519; cd /proc/self/cwd/../.. && cat .ssh/id_ed25519",
      leaks("ssh"))
probe("files/search", "a search through everything that changed lately",
      "find / \\( -path /proc -o -path /sys -o -path /usr -o -path /work -o -path $W \\) -prune -o -type f -mmin -5 -size -2"
      " -exec grep -a SECRET- {} +", leaks(*HOME_SECRETS, *SYSTEM_SECRETS, "other", "roothome", "shadow", "fd"), seconds=20)
probe("files/proc-root", "another process's root directory", "cat /proc/[0-9]*/root$H/.ssh/id_ed25519", leaks("ssh"))
probe("files/proc-cwd", "another process's working directory", "cat /proc/[0-9]*/cwd/.ssh/id_ed25519", leaks("ssh"))
probe("files/proc-fd", "descriptors of every process that is visible", "for f in /proc/[0-9]*/fd/*; do timeout 0.2 head -c 300 $f; done",
      leaks("fd"), seconds=10, control="head -c 300 /proc/self/fd/7")
probe("files/proc-environ", "environments of every process that is visible", "cat /proc/[0-9]*/environ",
      leaks("AWS_SECRET_ACCESS_KEY", "victim-environ"))
probe("files/proc-cmdline", "command lines of every process that is visible", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '",
      leaks("victim-argv"))
probe("files/proc-map-files", "files that other processes have mapped", "cat /proc/$VICTIM/map_files/* | head -c 200000 | strings | head -50; "
      "ls /proc/$VICTIM/map_files && echo SEEN-$VICTIM", says("SEEN-[0-9]"), bites=("root", "ordinary"))


def link_out(world):
    os.symlink(f"{world.home}/.ssh/id_ed25519", f"{world.work}/link-out")
    os.lchown(f"{world.work}/link-out", world.uid, world.gid)


probe("files/host-link", "a link in the workspace that the host made", "cat link-out", leaks("ssh"), setup=link_out)
probe("files/own-link", "links made inside, one through another", "ln -s $H l1; ln -s l1/.ssh l2; cat l2/id_ed25519", leaks("ssh"))
probe("files/hard-link", "a second name in the workspace for a file of the home", "ln $H/.ssh/id_ed25519 stolen; cat stolen",
      leaks("ssh"))
probe("files/rename-in", "a file of the home moved into the workspace", "mv $H/.netrc stolen-netrc; cat stolen-netrc", leaks("netrc"),
      alone=True)


def handle(world):
    found = subprocess.run([world.variables["P"], "name-handle", f"{world.home}/.ssh/id_ed25519"], capture_output=True, text=True,
                           check=True).stdout.split()
    world.variables |= {"HANDLE_TYPE": found[0], "HANDLE": found[1]}


probe("files/by-handle", "a file by its handle, which knows no path", "$P open-handle . $HANDLE_TYPE $HANDLE", leaks("ssh"), setup=handle,
      bites=(ROOT,))
probe("files/memory-device", "/dev/mem", "$P open-to-read /dev/mem", opens(), bites=(ROOT,), needs=kernel_has("/dev/mem", "/dev/mem"))
probe("files/port-device", "/dev/port", "$P open-to-write /dev/port", opens(), bites=(ROOT,), needs=kernel_has("/dev/port", "/dev/port"))
probe("files/kernel-memory", "/proc/kcore", "$P open-to-read /proc/kcore", opens(), bites=(ROOT,),
      needs=kernel_has("/proc/kcore", "/proc/kcore"))
probe("files/block-device", "the disk below all files", "for d in /dev/vd? /dev/sd? /dev/nvme?n? /dev/xvd?; do [ -e $d ] && $P open-to-read $d; done",
      opens(), bites=(ROOT,), needs=lambda: None if any(map(opened, DISKS)) else "root cannot read a disk here")
probe("files/own-log-device", "a device node of the kernel's log", "$P node kmsg c 1 11; timeout 1 cat kmsg; true", opens(), bites=(ROOT,))
probe("files/loop-control", "the loop devices' control", "$P open-to-write /dev/loop-control", opens(), bites=(ROOT,),
      needs=kernel_has("/dev/loop-control", "loop devices"))
for name, what in (("kvm", "virtual machines"), ("fuse", "user-space file systems"), ("net/tun", "network tunnels"),
                   ("vhost-net", "network offload"), ("vhost-vsock", "sockets to the hypervisor"), ("uinput", "made-up keyboards"),
                   ("vsock", "sockets to the hypervisor"), ("hpet", "a clock device"), ("rtc0", "the hardware clock"),
                   ("snapshot", "the machine's memory image"), ("cpu_dma_latency", "power management"), ("autofs", "automatic mounts"),
                   ("hwrng", "the hardware's randomness"), ("nvram", "the firmware's memory"), ("ttyS0", "the serial console")):
    if os.path.exists(f"/dev/{name}"):
        everyone = os.stat(f"/dev/{name}").st_mode & 0o002
        probe(f"files/device-{name.replace('/', '-')}", f"/dev/{name}: {what}", f"$P open-to-write /dev/{name}", opens(),
              bites=("root", "ordinary") if everyone else (ROOT,),
              control=f"[ -w /dev/{name} ] && echo OPEN $NONCE")  # opening some of them acts
probe("files/device-list", "devices that no program needs", "find /dev -type b -o -type c | grep -v -E "
      "'^/dev/(null|zero|full|random|urandom|tty|ptmx|console|pts/.*)$' | head -5; echo", says("/dev/[a-z].*"))
KERNEL_FILES = {
    "keys": ("/proc/keys", "perm|[0-9a-f]{{8}} I"), "timer-list": ("/proc/timer_list", "Timer List|now at"),
    "iomem": ("/proc/iomem", "(?m)^ *0*[1-9a-f][0-9a-f]*-[0-9a-f]+ : "), "slabinfo": ("/proc/slabinfo", "kmalloc"),
    "vmallocinfo": ("/proc/vmallocinfo", "0x[0-9a-f]+"), "kallsyms": ("/proc/kallsyms", "(?m)^f+[0-9a-f]{{8,}} [tT] "),
    "firmware": ("/sys/firmware/acpi/tables/* /sys/firmware/memmap/0/start /sys/firmware/dmi/tables/*", "0x|DSDT|FACP|APIC"),
    "page-counts": ("/proc/kpagecount", "^.|\\0"),
}
for name, (paths, pattern) in KERNEL_FILES.items():
    first = paths.split()[0].partition("*")[0]
    if os.path.exists(first):
        probe(f"files/kernel-{name}", f"{first}: facts about the kernel that help an exploit, or secrets' names",
              f"head -c 65536 {paths} 2>&1 | grep -a -v -i -E 'denied|no such|not permitted' | grep -a . | head -400", says(pattern),
              bites=("root", "ordinary") if name == "firmware" else (ROOT,))
probe("files/host-sockets", "the host's sockets in /proc/net", "cat /proc/net/unix /proc/*/net/unix", says("@host-bus|docker.sock"))
probe("files/host-connections", "the host's connections in /proc/net/tcp", "cat /proc/net/tcp", says("(?m)^ *[0-9]+: 0100007F:46A1"))
probe("files/swap-and-boot", "partitions and swap files of the host", "cat /proc/swaps; ls /boot/vmlinuz* && head -c 4 /boot/vmlinuz-probe",
      says("BOOT-PROBE"), setup=lambda world: world.write("/boot/vmlinuz-probe", "BOOT-PROBE\n", 0o600, 0), control="grep -o BOOT-PROBE /boot/vmlinuz-probe",
      bites=(ROOT,))
probe("files/init-command-line", "the host's control groups in the command line of the sandbox's own init",
      "tr '\\0' ' ' </proc/1/cmdline; for i in /proc/[0-9]*; do tr '\\0' ' ' <$i/cmdline; done 2>/dev/null", says(r"/sys/fs/cgroup/\S+"), bites=())


def told(world):
    """Files that tell of the host, its users and its disks."""
    for path, text in (("/etc/machine-id", "0123456789abcdef0123456789abcdef\n"), ("/etc/passwd-", "neighbour:x:1777:1777::/home/neighbour:/bin/sh\n"),
                       ("/etc/group-", "neighbour:x:1777:\n"), ("/etc/subuid", "neighbour:100000:65536\n"), ("/etc/subgid", "neighbour:100000:65536\n"),
                       ("/etc/fstab", "UUID=HOST-DISK / ext4 defaults 0 1\n"), ("/etc/crypttab", "HOST-DISK /dev/sda2 none\n"),
                       ("/etc/environment", "https_proxy=http://user:HOST-TOKEN@proxy\n")):
        world.write(path, text, 0o644, 0, 0)
    with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
        world.variables["BOOT_ID"] = file.read().strip()


def fact(name, trick, script, pattern, **more):
    probe(f"files/{name}", trick, script, says(pattern), setup=told, alone=True, **more)


fact("machine-id", "the number that tells this machine from all others", "cat /etc/machine-id /var/lib/dbus/machine-id", "0123456789abcdef0123456789abcdef")
fact("boot-id", "the number of this boot", "cat /proc/sys/kernel/random/boot_id", "{BOOT_ID}")
fact("user-names", "names of the host's users, in what is kept of old lists and lists of ids", "cat /etc/passwd* /etc/group* /etc/subuid* /etc/subgid*", "neighbour")
fact("disk-table", "the host's disks by its tables of mounts", "cat /etc/fstab /etc/crypttab", "HOST-DISK")
fact("login-variables", "variables that every login of the host gets", "cat /etc/environment", "HOST-TOKEN")
fact("hardware", "the host's hardware and disks in /proc", "cat /proc/bus/pci/devices /proc/bus/input/devices; ls /proc/fs/jbd2 /proc/fs/ext4",
     "(?m)^[0-9a-f]{{4}}\t[0-9a-f]{{8}}|^I: Bus|^(vd|sd|nvme|dm-)", needs=kernel_has("/proc/bus/pci/devices", "PCI"))


def mounted_proc(world):
    """A tree that somebody builds an image in, with the host's own /proc in it."""
    place = f"{world.work}/image/proc"
    os.makedirs(place)
    mount("proc", place, "proc")


probe("files/kernel-mount", "the host's processes by a /proc that is mounted in the workspace", "cat image/proc/[0-9]*/cmdline image/proc/[0-9]*/environ | tr '\\0' ' '",
      leaks("victim-argv", "victim-environ"), setup=mounted_proc, alone=True, users=("ordinary",), bites=("ordinary",))


def logged_in(world):
    """git's configuration with what some people and machines keep in it to log in with."""
    for path, name in ((".gitconfig", "document"), (".config/git/config", "sibling")):
        world.write(f"{world.home}/{path}", f'[url "https://user:{world.tokens[name]}@git.example/"]\n\tinsteadOf = https://git.example/\n'
                    f'[http "https://git.example/"]\n\textraHeader = Authorization: Basic {world.tokens[name]}\n[github]\n\ttoken = {world.tokens[name]}\n', 0o644)


probe("files/git-logins", "passwords and tokens in the user's configuration of git", "git config --global -l; cat $H/.gitconfig $H/.config/git/config",
      leaks("document", "sibling"), setup=logged_in, alone=True)
