"""Changing what is not the sandbox's, and leaving something dangerous in what is."""

import os
import stat
import subprocess

from .probe import ROOT, any_of, changes, holds_mark, leaks, opens, probe

BOTH = ("root", "ordinary")
# name -> (path, users whom the host's own permissions let write)
PLACES = {
    "passwd": ("/etc/passwd", (ROOT,)), "cron": ("/etc/cron.d/probe", (ROOT,)), "local-bin": ("/usr/local/bin/probe", (ROOT,)),
    "system-bin": ("/usr/bin/probe", (ROOT,)), "preload": ("/etc/ld.so.preload.probe", (ROOT,)), "hosts": ("/etc/hosts", (ROOT,)),
    "resolver": ("/etc/resolv.conf", (ROOT,)), "profile": ("/etc/profile.d/probe.sh", (ROOT,)),
    "crontab": ("/var/spool/cron/crontabs/root", (ROOT,)), "unit": ("/etc/systemd/system/probe.service", (ROOT,)),
    "shell-start": ("{H}/.bashrc", BOTH), "login-start": ("{H}/.profile", BOTH), "zsh-start": ("{H}/.zshrc", BOTH),
    "authorized-keys": ("{H}/.ssh/authorized_keys", BOTH), "git-config": ("{H}/.gitconfig", BOTH),
    "autostart": ("{H}/.config/autostart/x.desktop", BOTH), "home-bin": ("{H}/bin/tool", BOTH), "home-new": ("{H}/probe", BOTH),
    "home-new-rc": ("{H}/.bash_aliases", BOTH), "sibling": ("{H}/work/sibling/.env", BOTH), "tmp": ("/tmp/probe", BOTH),
    "var-tmp": ("/var/tmp/probe", BOTH), "shm": ("/dev/shm/probe", BOTH), "run": ("/run/service/token", (ROOT,)),
    "opt": ("/opt/probe", (ROOT,)), "srv": ("/srv/data/probe", (ROOT,)), "mnt": ("/mnt/disk/probe", (ROOT,)),
    "boot": ("/boot/probe", (ROOT,)), "var-lib": ("/var/lib/probe", (ROOT,)), "other-home": ("{OTHER}/notes.txt", (ROOT,)),
    "top": ("/probe", (ROOT,)), "log": ("/var/log/audit-secret.log", (ROOT,)),
}
for name, (path, users) in PLACES.items():
    inside = path.replace("{H}", "$H").replace("{OTHER}", "$OTHER")
    probe(f"writes/{name}", f"writing to {path}", f"echo $MARK >> {inside}", holds_mark(path), bites=users)

probe("writes/through-link", "a link in the workspace to a file of the home", "ln -s $H/.bashrc w1; echo $MARK >> w1",
      holds_mark("{H}/.bashrc"))
probe("writes/through-link-directory", "a link in the workspace to the home", "ln -s $H w2; echo $MARK > w2/probe2",
      holds_mark("{H}/probe2"))
probe("writes/climb", "`..` from the workspace", "echo $MARK > ../probe3; echo $MARK > ../../probe3",
      any_of(holds_mark("{H}/probe3"), holds_mark("{H}/work/probe3")))
probe("writes/rename-out", "a file of the workspace moved out", "echo $MARK > w4; mv w4 $H/probe4", holds_mark("{H}/probe4"))
probe("writes/link-out", "a second name outside for a file of the workspace", "echo $MARK > w5; ln w5 $H/probe5", holds_mark("{H}/probe5"))
probe("writes/link-in", "a second name in the workspace for a file of the home", "ln $H/.bashrc w6; echo $MARK >> w6",
      holds_mark("{H}/.bashrc"))
probe("writes/unnamed", "an unnamed file given a name outside", "$P temp-link . $H/probe7 $MARK", holds_mark("{H}/probe7"))
probe("writes/unnamed-tmp", "an unnamed file of the host's /var/tmp given a name there", "$P temp-link /var/tmp /var/tmp/probe7 $MARK",
      holds_mark("/var/tmp/probe7"))
probe("writes/exchange", "a file of the workspace exchanged with one of the home", "echo $MARK > w8; $P exchange w8 $H/.zshrc",
      holds_mark("{H}/.zshrc"), alone=True)
probe("writes/proc-root", "the root directory of another process", "for r in /proc/[0-9]*/root; do echo $MARK > $r$H/probe9; done",
      holds_mark("{H}/probe9"))
probe("writes/proc-cwd", "the working directory of another process", "for r in /proc/[0-9]*/cwd; do echo $MARK > $r/../../probe10; "
      "echo $MARK > $r/probe10; done", any_of(holds_mark("{H}/probe10"), holds_mark("{H}/work/probe10")))
probe("writes/reopen", "a file opened to read, opened again to write through /proc", "$P own-memory $H/.profile $MARK; $P own-memory /etc/passwd $MARK",
      any_of(holds_mark("{H}/.profile"), holds_mark("/etc/passwd")), alone=True)
probe("writes/mode", "a file of the home made writable to all", "chmod 777 $H/.bashrc", changes("{H}/.bashrc"), alone=True)
probe("writes/system-mode", "a program of the system made set-uid", "chmod u+s /usr/bin/env", changes("/usr/bin/env"), bites=(ROOT,),
      alone=True)
probe("writes/owner", "a file of the system given away", "chown 1501 /etc/hosts", changes("/etc/hosts"), bites=(ROOT,), alone=True)
probe("writes/truncate", "a file of the home emptied", "truncate -s 0 $H/.gitconfig", changes("{H}/.gitconfig"), alone=True)
probe("writes/remove", "a file of the home removed", "rm -f $H/.netrc", changes("{H}/.netrc"), alone=True)
probe("writes/remove-tmp", "a file of the host's /tmp removed", "rm -f /tmp/host-secret.txt /var/tmp/host-secret.txt",
      changes("/tmp/host-secret.txt", "/var/tmp/host-secret.txt"), bites=(ROOT,), alone=True)
probe("writes/work-parent", "the directory above the workspace", "rmdir ../x; mkdir ../x && mv ../sibling ../x/",
      changes("{H}/work", "{H}/work/sibling"), alone=True)
probe("writes/work-renamed", "the workspace itself renamed, with something else in its place",
      "mv $W $W.old && mkdir $W && touch $H/work/renamed && rmdir $W && mv $W.old $W", changes("{H}/work"), alone=True)


def attribute_of(path, name):
    def judge(look):
        try:
            return f"{path} has {name}" if os.getxattr(path.format(**look.world.variables), name) else None
        except OSError:
            return None
    return judge


probe("writes/host-attribute", "an extended attribute of a file of the home", "$P set-attribute $H/.bashrc user.probe x",
      attribute_of("{H}/.bashrc", "user.probe"))
probe("writes/file-capability", "a program with capabilities left in the workspace", "cp $P powers; $P set-attribute powers security.capability x",
      attribute_of("{W}/powers", "security.capability"), bites=(ROOT,))
probe("writes/trusted-attribute", "a trusted attribute left in the workspace", ": > w11; $P set-attribute w11 trusted.probe x",
      attribute_of("{W}/w11", "trusted.probe"), bites=(ROOT,))
probe("writes/security-attribute", "a security label left in the workspace", ": > w12; $P set-attribute w12 security.probe x",
      attribute_of("{W}/w12", "security.probe"), bites=(ROOT,))


def left_in_work(test, what):
    """Something in the workspace that the host should not find there."""
    def judge(look):
        for folder, _, names in os.walk(look.world.work):
            for name in names:
                found = os.lstat(os.path.join(folder, name))
                if look.mark in name and test(found, look.world):
                    return f"{what}: {name}"
        return None
    return judge


def set_uid(found, _):
    return stat.S_ISREG(found.st_mode) and found.st_mode & stat.S_ISUID


def set_gid(found, _):
    return stat.S_ISREG(found.st_mode) and found.st_mode & stat.S_ISGID and found.st_mode & stat.S_IXGRP


probe("writes/set-uid", "a set-uid program left in the workspace by chmod", "cp $P $MARK; chmod 4755 $MARK",
      left_in_work(set_uid, "a set-uid file"))
probe("writes/set-uid-install", "a set-uid program left by install", "install -m 4755 $P $MARK", left_in_work(set_uid, "a set-uid file"))
probe("writes/set-uid-open", "a set-uid file by the mode of open()",
      "/usr/bin/python3 -c \"import os; os.umask(0); os.open(os.environ['MARK'], os.O_CREAT | os.O_WRONLY, 0o4755)\"",
      left_in_work(set_uid, "a set-uid file"))
probe("writes/set-uid-node", "a set-uid file by the mode of mknod()",
      "/usr/bin/python3 -c \"import os, stat; os.umask(0); os.mknod(os.environ['MARK'], stat.S_IFREG | 0o4755)\"",
      left_in_work(set_uid, "a set-uid file"))
probe("writes/set-uid-tar", "a set-uid program out of an archive",
      "mkdir t && cp $P t/$MARK && tar --mode=4755 -cf t.tar -C t $MARK && mkdir u && tar -xpf t.tar -C u", left_in_work(set_uid, "a set-uid file"))
probe("writes/set-uid-new-call", "a set-uid program by fchmodat2, a call newer than most filters",
      "cp $P $MARK; /usr/bin/python3 -c \"import ctypes, os; ctypes.CDLL(None).syscall(452, -100, os.environ['MARK'].encode(), 0o4755, 0)\"",
      left_in_work(set_uid, "a set-uid file"))
probe("writes/set-gid", "a set-gid program left in the workspace", "cp $P $MARK; chmod 2755 $MARK", left_in_work(set_gid, "a set-gid file"))
probe("writes/device", "a device node left in the workspace", "mknod $MARK c 1 3",
      left_in_work(lambda found, _: stat.S_ISCHR(found.st_mode), "a device"), bites=(ROOT,))
probe("writes/given-away", "a file of the workspace given to another user", ": > $MARK; chown 1501:1501 $MARK",
      left_in_work(lambda found, world: found.st_uid != world.uid, "a file of another user"), bites=(ROOT,))
probe("writes/immutable", "a file that nobody can remove", ": > w13; $P immutable w13; chattr -i w13", opens(), bites=(ROOT,))
probe("writes/lease", "a lease on a file of the system, which stops the host's writers", "$P lease /usr/bin/env", opens(), bites=(ROOT,))
probe("writes/cgroup", "a group of its own in the host's tree", "mkdir /sys/fs/cgroup/*/wall-probe /sys/fs/cgroup/wall-probe",
      lambda look: cgroup_left(), bites=(ROOT,))


def cgroup_left():
    found = None
    for folder in ("/sys/fs/cgroup", *(entry.path for entry in os.scandir("/sys/fs/cgroup") if entry.is_dir())):
        path = f"{folder}/wall-probe"
        if os.path.isdir(path):
            os.rmdir(path)
            found = f"the host has {path}"
    return found


def planted(plant, then, *options):
    """One run leaves a link in the workspace; the next is started with an option that names it."""
    def drive(world, start):
        words = "".join(f"{name}='{value}'; " for name, value in world.variables.items())
        start(["sh", "-c", words + plant]).wait(30)
        start.options = tuple(option.format(**world.variables) for option in options)
        child = start(["sh", "-c", words + "MARK=" + next(world.mark(name) for name in PLANTED if PLANTED[name] == options) + "; " + then], stdout=subprocess.PIPE)
        return child.communicate(timeout=30)[0].decode("utf-8", "replace")
    return drive


PLANTED = {"writes/planted-allow": ("--allow-write={W}/out",), "files/planted-read": ("--allow-read={W}/out",), "files/planted-mount": ("--mount={W}/out:/mnt/x",),
           "files/planted-mount-below": ("--mount={W}/out/id_ed25519:/mnt/x",)}
probe("writes/planted-allow", "a link left by an earlier run where the next may write", judge=holds_mark("{H}/Documents/x"), alone=True,
      drive=planted("ln -s $H/Documents out", "echo $MARK > out/x", *PLANTED["writes/planted-allow"]))
for one in ("planted-read", "planted-mount", "planted-mount-below"):
    probe(f"files/{one}", f"a link left by an earlier run, which an option names: {PLANTED['files/' + one][0]}", judge=leaks("ssh"), alone=True,
          drive=planted("ln -s $H/.ssh out", "cat /mnt/x/id_ed25519 /mnt/x out/id_ed25519", *PLANTED[f"files/{one}"]))
