// Everything that an exec started, wherever it has gone since: by the mark of process_mark.h, through /proc.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace paddock::guest {

struct ProcessTree {
  uint64_t number;   // of the exec; 0 for everything that this agent has started
  pid_t leader;      // its first process; names its session where processes cannot be marked
};

// Sends a signal to every living process of the tree and returns how many got it.
//
// One look at /proc misses a program that forks and exits faster than the look goes through the list. So it looks again for
// what is new since the last look, until nothing is: whatever lives then was alive in the look before too and has been
// signalled. (It gives up after some hundred looks: others may be starting programs all the time.) An agent without a child
// needs no look.
size_t SignalTree(const ProcessTree& tree, int signal);

// Stops the tree until a look finds no more of it than the one before: nothing in it can fork any longer.
void StopTree(const ProcessTree& tree);

// True when nothing lives that the agent has started, now or ever again.
bool HasNobody();

// Sets the score of a process that has just been started. 0 or an errno.
int SetOomScore(pid_t pid, int score);

}  // namespace paddock::guest
