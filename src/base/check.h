// PADDOCK_CHECK: aborts on a bug of ours, with the place. Never for input.
#pragma once

#include <cstdio>
#include <cstdlib>

#define PADDOCK_CHECK(condition)                                                            \
  do {                                                                                      \
    if (!(condition)) [[unlikely]] {                                                        \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition);    \
      std::abort();                                                                         \
    }                                                                                       \
  } while (false)
