/* Bounded uses of what the host shares. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"

static const size_t kMegabyte = 1 << 20;

static int Count(int argc, char** argv) { return argc > 1 ? atoi(argv[1]) : 0; }

/* Every process makes two, until the budget is used up. */
static int ForkTree(int argc, char** argv) {
  volatile int* const left = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (left == MAP_FAILED) return Refused("mmap");
  *left = Count(argc, argv);
  while (__sync_fetch_and_sub(left, 1) > 0) {
    if (fork() < 0) usleep(10000);
  }
  sleep(3);
  _exit(0);
}

static void* Sleep(void* unused) {
  sleep(3);
  return unused;
}

static int Threads(int argc, char** argv) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  int made = 0;
  for (pthread_t thread; made < Count(argc, argv) && !pthread_create(&thread, &small, Sleep, NULL); ++made) {}
  printf("%d threads\n", made);
  sleep(2);
  return 0;
}

static int Zombies(int argc, char** argv) {
  for (int i = 0; i < Count(argc, argv); ++i) {
    if (fork() == 0) _exit(0);
  }
  sleep(2);
  return 0;
}

static int Orphans(int argc, char** argv) {
  for (int i = 0; i < Count(argc, argv); ++i) {
    if (fork() == 0) {
      if (fork() == 0) {
        usleep(20000);
        _exit(0);
      }
      _exit(0);
    }
    while (waitpid(-1, NULL, WNOHANG) > 0) {}
  }
  sleep(2);
  return 0;
}

static int TouchMemory(int argc, char** argv) {
  const size_t size = (size_t)Count(argc, argv) * kMegabyte;
  char* const memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Refused("mmap");
  if (argc > 2 && !strcmp(argv[2], "locked") && mlock(memory, size)) return Refused("mlock");
  for (size_t at = 0; at < size; at += 4096) memory[at] = 1;
  if (argc > 2) sleep(3);
  return Opened();
}

static int Fill(int file, size_t megabytes) {
  char* const block = calloc(1, kMegabyte);
  memset(block, 1, kMegabyte);
  for (size_t i = 0; i < megabytes; ++i) {
    if (write(file, block, kMegabyte) != (ssize_t)kMegabyte) return Refused("write");
  }
  return Opened();
}

static int MemoryFile(int argc, char** argv) { return Fill(memfd_create("fill", 0), (size_t)Count(argc, argv)); }

static int MemorySegment(int argc, char** argv) {
  const size_t size = 16 * kMegabyte;
  for (int done = 0; done < Count(argc, argv); done += 16) {
    const int segment = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
    char* const memory = segment < 0 ? (void*)-1 : shmat(segment, NULL, 0);
    if (memory == (void*)-1) return Refused("shmget");
    shmctl(segment, IPC_RMID, NULL);
    memset(memory, 1, size);
  }
  return Opened();
}

static int StuffPipes(int argc, char** argv) {
  static char block[65536];
  int ends[2];
  for (int done = 0; done < Count(argc, argv); ++done) {
    if (pipe(ends) < 0 || fcntl(ends[1], F_SETPIPE_SZ, kMegabyte) < 0) return Refused("pipe");
    for (size_t i = 0; i < kMegabyte / sizeof block; ++i) {
      if (write(ends[1], block, sizeof block) < 0) return Refused("write");
    }
  }
  return Opened();
}

static int OpenMany(int argc, char** argv) {
  for (int i = 0; i < Count(argc, argv); ++i) {
    if (open("/dev/null", O_RDONLY) < 0) return Refused("open");
  }
  return Opened();
}

static int Terminals(int argc, char** argv) {
  int made = 0;
  while (made < Count(argc, argv) && open("/dev/ptmx", O_RDWR | O_NOCTTY) >= 0) ++made;
  printf("%d terminals\n", made);
  sleep(1);
  return 0;
}

const struct Trick kResourceTricks[] = {
    {"fork-tree", ForkTree}, {"threads", Threads}, {"zombies", Zombies}, {"orphans", Orphans}, {"touch-memory", TouchMemory},
    {"memory-file", MemoryFile}, {"memory-segment", MemorySegment}, {"stuff-pipes", StuffPipes}, {"open-many", OpenMany},
    {"terminals", Terminals}, {NULL, NULL}};
