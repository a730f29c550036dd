/* File calls that go round paths. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "helper.h"

/* Prints a file. */
static int Show(int file) {
  char text[65536];
  ssize_t length;
  while ((length = read(file, text, sizeof text)) > 0) {
    if (!fwrite(text, 1, (size_t)length, stdout)) return 1;
  }
  return length < 0 ? Refused("read") : 0;
}

/* open-handle MOUNT TYPE HEX: a file by the handle that the host's name_to_handle_at gave. */
static int OpenHandle(int argc, char** argv) {
  union {
    struct file_handle handle;
    char room[256];
  } handle;
  if (argc < 4 || strlen(argv[3]) > 2 * MAX_HANDLE_SZ) return 2;
  handle.handle.handle_type = atoi(argv[2]);
  handle.handle.handle_bytes = (unsigned)strlen(argv[3]) / 2;
  for (unsigned i = 0; i < handle.handle.handle_bytes; ++i) {
    unsigned byte = 0;
    sscanf(argv[3] + 2 * i, "%2x", &byte);
    handle.handle.f_handle[i] = (unsigned char)byte;
  }
  const int mount = open(argv[1], O_RDONLY | O_DIRECTORY);
  if (mount < 0) return Refused("open");
  const int file = open_by_handle_at(mount, &handle.handle, O_RDONLY);
  return file < 0 ? Refused("open_by_handle_at") : Show(file);
}

/* name-handle PATH: what open-handle wants, as "TYPE HEX". */
static int NameHandle(int argc, char** argv) {
  union {
    struct file_handle handle;
    char room[256];
  } handle;
  int mount = 0;
  handle.handle.handle_bytes = MAX_HANDLE_SZ;
  if (argc < 2 || name_to_handle_at(AT_FDCWD, argv[1], &handle.handle, &mount, 0) < 0) return Refused("name_to_handle_at");
  printf("%d ", handle.handle.handle_type);
  for (unsigned i = 0; i < handle.handle.handle_bytes; ++i) printf("%02x", handle.handle.f_handle[i]);
  printf("\n");
  return 0;
}

/* node PATH c|b MAJOR MINOR: makes a device and reads or opens it. */
static int Node(int argc, char** argv) {
  if (argc < 5) return 2;
  const mode_t kind = argv[2][0] == 'b' ? S_IFBLK : S_IFCHR;
  if (mknod(argv[1], kind | 0666, makedev((unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]))) < 0) return Refused("mknod");
  const int file = open(argv[1], O_RDONLY | O_NONBLOCK);
  return file < 0 ? Refused("open") : Opened();
}

static int ReadDescriptor(int argc, char** argv) {
  const int file = argc > 1 ? atoi(argv[1]) : -1;
  lseek(file, 0, SEEK_SET);
  return Show(file);
}

/* open-at FD PATH: through a directory that was left open. */
static int OpenAt(int argc, char** argv) {
  const int file = argc > 2 ? openat(atoi(argv[1]), argv[2], O_RDONLY) : -1;
  return file < 0 ? Refused("openat") : Show(file);
}

static int WriteDescriptor(int argc, char** argv) {
  return argc > 2 ? Judge("write", write(atoi(argv[1]), argv[2], strlen(argv[2]))) : 2;
}

/* An unnamed file of a directory, given a name elsewhere. */
static int TempLink(int argc, char** argv) {
  char path[64];
  if (argc < 3) return 2;
  const int file = open(argv[1], O_TMPFILE | O_WRONLY, 0644);
  if (file < 0) return Refused("O_TMPFILE");
  if (argc > 3 && write(file, argv[3], strlen(argv[3])) < 0) return Refused("write");
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return Judge("linkat", linkat(AT_FDCWD, path, AT_FDCWD, argv[2], AT_SYMLINK_FOLLOW));
}

static int Exchange(int argc, char** argv) {
  return argc > 2 ? Judge("renameat2", renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE)) : 2;
}

static int SetAttribute(int argc, char** argv) {
  if (argc < 4) return 2;
  if (!strcmp(argv[2], "security.capability")) {
    static const unsigned kAll[] = {0x02000001, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
    return Judge("setxattr", setxattr(argv[1], argv[2], kAll, sizeof kAll, 0));
  }
  return Judge("setxattr", setxattr(argv[1], argv[2], argv[3], strlen(argv[3]), 0));
}

/* Rewrites a read-only mapping or file through its own memory file. */
static int OwnMemory(int argc, char** argv) {
  if (argc < 3) return 2;
  const int file = open(argv[1], O_RDONLY);
  if (file < 0) return Refused("open");
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  const int again = open(path, O_WRONLY);
  return again < 0 ? Refused("open again to write") : Judge("write", write(again, argv[2], strlen(argv[2])));
}

static int Lease(int argc, char** argv) {
  const int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0) return Refused("open");
  return Judge("F_SETLEASE", fcntl(file, F_SETLEASE, F_RDLCK));
}

/* Swaps two names as fast as it can, and tries to write through one of them. */
static int RaceWrite(int argc, char** argv) {
  if (argc < 5) return 2;
  const char* const link = argv[1];
  const char* const spare = argv[2];
  const char* const target = argv[3];
  for (int i = 0; i < 3000; ++i) {
    renameat2(AT_FDCWD, link, AT_FDCWD, spare, RENAME_EXCHANGE);
    const int file = open(target, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    if (file < 0) continue;
    if (write(file, argv[4], strlen(argv[4])) < 0) return 1;
    close(file);
  }
  return 0;
}

static int Immutable(int argc, char** argv) {
  const int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  long flags = 0x10;
  if (file < 0) return Refused("open");
  extern int ioctl(int, unsigned long, ...);
  return Judge("FS_IOC_SETFLAGS", ioctl(file, 0x40086602, &flags));
}

const struct Trick kFileTricks[] = {
    {"open-handle", OpenHandle}, {"name-handle", NameHandle}, {"node", Node}, {"read-descriptor", ReadDescriptor},
    {"open-at", OpenAt}, {"write-descriptor", WriteDescriptor}, {"temp-link", TempLink}, {"exchange", Exchange},
    {"set-attribute", SetAttribute}, {"own-memory", OwnMemory}, {"lease", Lease}, {"race-write", RaceWrite},
    {"immutable", Immutable}, {NULL, NULL}};
