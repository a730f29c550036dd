/* The helper that probes run inside a wall: one static program, a table of tricks. */
#pragma once

#include <stddef.h>

struct Trick {
  const char* name;
  int (*run)(int argc, char** argv); /* argv[0] is the trick's name */
};

/* Ended by a null name. */
extern const struct Trick kKernelTricks[];
extern const struct Trick kProcessTricks[];
extern const struct Trick kFileTricks[];
extern const struct Trick kIpcTricks[];
extern const struct Trick kMountTricks[];
extern const struct Trick kResourceTricks[];

/* Prints the word that says that the forbidden call did its work; 0. */
int Opened(void);

/* Prints what refused, with errno; 1. */
int Refused(const char* what);

/* Opened() when the result is not negative. */
int Judge(const char* what, long result);
