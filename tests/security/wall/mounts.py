"""Mounting, unmounting, and other roots."""

from .probe import ROOT, leaks, opens, probe


def mounting(name, trick, command, **more):
    probe(f"mounts/{name}", trick, f"mkdir -p m-{name}; $P {command.replace('@', f'm-{name}')}", opens(), bites=(ROOT,), **more)


for kind in ("tmpfs", "proc", "sysfs", "cgroup2", "mqueue", "devpts", "ramfs", "binfmt_misc", "debugfs", "tracefs", "bpf", "securityfs", "configfs"):
    mounting(kind, f"a new {kind}", f"mount {kind} @ {kind} 0 ''",
             needs=lambda kind=kind: None if f"\t{kind}\n" in open("/proc/filesystems", encoding="utf-8").read() else f"no {kind} in this kernel")
mounting("cgroup1", "a cgroup v1 hierarchy, with its release agent", "mount c @ cgroup 0 none,name=probe",
         control="echo OPEN $NONCE")
mounting("bind", "a bind of the root", "mount / @ none 4096 ''")
mounting("rbind-home", "a bind of the home", "mount $H @ none 20480 ''")
mounting("overlay", "an overlay of the system", "mount overlay @ overlay 0 lowerdir=/etc:/usr")
mounting("fuse", "a FUSE file system", "open-to-write /dev/fuse")
mounting("new-calls", "fsopen, fsconfig, fsmount, move_mount", "new-mount @")
mounting("fs-open", "fsopen()", "fs-open tmpfs")
mounting("fs-pick", "fspick() of the root", "fs-pick /")
mounting("open-tree", "open_tree() copies the root", "open-tree /")
mounting("set-attributes", "mount_setattr() takes read-only away", "mount-setattr /", alone=True)
probe("mounts/remount", "read-only directories remounted writable",
      "mount -o remount,bind,rw / ; mount -o remount,bind,rw /usr; mount -o remount,bind,rw /etc; for d in / /usr /etc; do $P mount none $d none 4128 ''; done; "
      "touch /usr/wall-probe /etc/wall-probe && echo OPEN $NONCE", opens(), bites=(ROOT,), alone=True)
probe("mounts/unmount-home", "what hides the home taken away", "umount -l $H; umount -l /home; $P unmount $H; cat $H/.ssh/id_ed25519", leaks("ssh"),
      control="cat $H/.ssh/id_ed25519", alone=True)
probe("mounts/unmount-tmp", "what hides /tmp taken away", "umount -l /tmp; $P unmount /tmp; cat /tmp/host-secret.txt", leaks("tmp"),
      control="cat /tmp/host-secret.txt")
probe("mounts/unmount-work", "the workspace's own mount taken away", "cd /; umount -l $W; $P unmount $W; cat $W/../sibling/.env $H/.netrc", leaks("sibling", "netrc"))
probe("mounts/unmount-masks", "masks in /proc taken away", "for f in /proc/keys /proc/timer_list /proc/sys /proc/sysrq-trigger /proc/kallsyms; do $P unmount $f; done; "
      "$P rewrite /proc/sys/kernel/core_pattern", opens(), bites=(ROOT,))
probe("mounts/pivot", "pivot_root()", "mkdir -p m-pivot; $P mount m-pivot m-pivot none 4096 ''; cd m-pivot && $P pivot .", opens(), bites=(ROOT,),
      control="mkdir -p m-pivot; unshare -m sh -c 'mount --bind m-pivot m-pivot; cd m-pivot && $P pivot .'", alone=True)
probe("mounts/climb", "chroot() and an open directory", "mkdir -p m-climb; $P climb m-climb", opens(), bites=(ROOT,))
probe("mounts/nested", "everything above in a nested user namespace",
      "unshare -Urm sh -c 'mount -t tmpfs none /mnt && echo OPEN $NONCE'", opens())
probe("mounts/nested-proc", "a fresh /proc without masks, in nested namespaces",
      "unshare -Urmpf sh -c 'mkdir -p m-np; mount -t proc proc m-np && $P open-to-read m-np/self/status'", opens())
probe("mounts/nested-unmount", "masks taken away in a nested namespace",
      "unshare -Urm sh -c 'umount -l $H; cat $H/.ssh/id_ed25519; umount /tmp; cat /tmp/host-secret.txt'", leaks("ssh", "tmp"))
probe("mounts/nested-remount", "read-only taken away in a nested namespace",
      "unshare -Urm sh -c 'mount -o remount,bind,rw $H; mount -o remount,bind,rw /; echo x >> $H/.profile && echo OPEN $NONCE'", opens())
probe("mounts/nested-overlay", "an overlay in a nested namespace", "mkdir -p m-ov u-ov w-ov; unshare -Urm mount -t overlay o -o lowerdir=/etc,upperdir=u-ov,workdir=w-ov m-ov "
      "&& echo OPEN $NONCE", opens())
