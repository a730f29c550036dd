// Everything that an exec started, wherever it has gone since: by the mark of process_mark.h, through /proc.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace paddock::guest {

class Machine;

struct ProcessTree {
  uint64_t number;   // of the exec
  pid_t leader;      // its first process; names its session where processes cannot be marked
};

// Sends a signal to every living process of the tree and returns how many there were. One look at /proc: who wants all must
// call again until there are none.
size_t SignalTree(const ProcessTree& tree, int signal, Machine& machine);

// Sets the score of a process that has just been started. 0 or an errno.
int SetOomScore(pid_t pid, int score);

}  // namespace paddock::guest
