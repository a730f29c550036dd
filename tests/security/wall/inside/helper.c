/* helper TRICK [ARGUMENT…]: plays one trick. */
#define _GNU_SOURCE
#include "helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int Opened(void) {
  const char* nonce = getenv("NONCE");
  printf("OPEN %s\n", nonce ? nonce : "");
  fflush(stdout);
  return 0;
}

int Refused(const char* what) {
  printf("refused: %s: %s\n", what, strerror(errno));
  fflush(stdout);
  return 1;
}

int Judge(const char* what, long result) { return result >= 0 ? Opened() : Refused(what); }

static char secret[256];

/* A host process: keeps a line of its input in memory, says where, and waits. */
static int Victim(int argc, char** argv) {
  (void)argc;
  (void)argv;
  prctl(PR_SET_DUMPABLE, 1);
  if (!fgets(secret, sizeof secret, stdin)) return 1;
  printf("at %#lx\n", (unsigned long)secret);
  fflush(stdout);
  for (;;) pause();
}

static const struct Trick kHostTricks[] = {{"victim", Victim}, {NULL, NULL}};

int main(int argc, char** argv) {
  static const struct Trick* const kTables[] = {kHostTricks, kKernelTricks, kProcessTricks, kFileTricks, kIpcTricks, kMountTricks, kResourceTricks};
  for (size_t table = 0; argc > 1 && table < sizeof kTables / sizeof *kTables; ++table) {
    for (const struct Trick* trick = kTables[table]; trick->name; ++trick) {
      if (!strcmp(trick->name, argv[1])) return trick->run(argc - 1, argv + 1);
    }
  }
  fprintf(stderr, "helper: no such trick\n");
  return 2;
}
