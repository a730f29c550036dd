/* Mount calls, old and new. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helper.h"

/* From <sys/mount.h>, which clashes with <linux/mount.h>. */
int mount(const char* source, const char* target, const char* kind, unsigned long flags, const void* data);
int umount2(const char* target, int flags);

static int Mount(int argc, char** argv) {
  return argc > 5 ? Judge("mount", mount(argv[1], argv[2], argv[3], strtoul(argv[4], NULL, 0), argv[5])) : 2;
}

static int Unmount(int argc, char** argv) { return argc > 1 ? Judge("umount2", umount2(argv[1], 2 /* MNT_DETACH */)) : 2; }

static int OpenTree(int argc, char** argv) {
  return argc > 1 ? Judge("open_tree", syscall(SYS_open_tree, AT_FDCWD, argv[1], OPEN_TREE_CLONE | AT_RECURSIVE)) : 2;
}

static int FsOpen(int argc, char** argv) { return argc > 1 ? Judge("fsopen", syscall(SYS_fsopen, argv[1], 0)) : 2; }

/* A file system by the new calls, attached and used. */
static int NewMount(int argc, char** argv) {
  if (argc < 2) return 2;
  const int context = (int)syscall(SYS_fsopen, "tmpfs", 0);
  if (context < 0) return Refused("fsopen");
  if (syscall(SYS_fsconfig, context, 6 /* create */, NULL, NULL, 0) < 0) return Refused("fsconfig");
  const int made = (int)syscall(SYS_fsmount, context, 0, 0);
  if (made < 0) return Refused("fsmount");
  return Judge("move_mount", syscall(SYS_move_mount, made, "", AT_FDCWD, argv[1], MOVE_MOUNT_F_EMPTY_PATH));
}

static int FsPick(int argc, char** argv) { return argc > 1 ? Judge("fspick", syscall(SYS_fspick, AT_FDCWD, argv[1], 0)) : 2; }

/* Takes read-only off a mount by the new call. */
static int MountSetattr(int argc, char** argv) {
  struct mount_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.attr_clr = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  return argc > 1 ? Judge("mount_setattr", syscall(SYS_mount_setattr, AT_FDCWD, argv[1], AT_RECURSIVE, &attr, sizeof attr)) : 2;
}

static int Pivot(int argc, char** argv) { return argc > 1 ? Judge("pivot_root", syscall(SYS_pivot_root, argv[1], argv[1])) : 2; }

/* The classic: chroot while a descriptor of the outside is open, then climb. */
static int Climb(int argc, char** argv) {
  if (argc < 2) return 2;
  const int outside = open("/", O_RDONLY | O_DIRECTORY);
  if (chroot(argv[1]) < 0) return Refused("chroot");
  if (fchdir(outside) < 0) return Refused("fchdir");
  for (int i = 0; i < 64; ++i) {
    if (chdir("..") < 0) return Refused("chdir");
  }
  return Judge("chroot", chroot("."));
}

static int StatMount(int argc, char** argv) {
  struct {
    unsigned size, spare;
    unsigned long id, param, more;
  } request = {24, 0, ~0UL /* LSMT_ROOT */, 0, 0};
  unsigned long ids[512];
  const long count = syscall(458 /* listmount */, &request, ids, 512, 0);
  if (count < 0) return Refused("listmount");
  printf("mounts %ld\n", count);
  return 0;
}

const struct Trick kMountTricks[] = {
    {"mount", Mount}, {"unmount", Unmount}, {"open-tree", OpenTree}, {"fs-open", FsOpen}, {"new-mount", NewMount},
    {"fs-pick", FsPick}, {"mount-setattr", MountSetattr}, {"pivot", Pivot}, {"climb", Climb}, {"list-mounts", StatMount},
    {NULL, NULL}};
