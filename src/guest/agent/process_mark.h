// ProcessMark: which exec a process belongs to, in a way that it can neither lose nor forge.
//
// Sessions, process groups and parents do not tell: a program that forks twice and calls setsid() has left all three. Two hard
// resource limits without effect of their own do: children inherit them, and without CAP_SYS_RESOURCE on the host a process
// can lower but never raise them. One is lowered by the exec's number and the other by what is left of a constant, so
// their sum stays the same for every exec; who lowers either further has a wrong sum, and every tree kill takes those too. /proc/PID/limits shows them to everybody.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace paddock::guest {

class ProcessMark {
 public:
  // The mark of exec `number` of this agent, below 2^32; 0 is no mark at all. The marks of two agents differ.
  explicit ProcessMark(uint64_t number) : number_(number) {}

  // False when the agent's own limits are too low to count down from, and inside an exec of another agent: what runs there
  // keeps the mark of that one.
  static bool IsPossible();

  // Marks the calling process for good. False when that is not possible. Allocates nothing.
  bool Apply() const;

  enum class Owner {
    kThis,
    kOther,      // another exec of this agent
    kNobody,     // not started by this agent, or gone
    kUnknown,    // has spoilt its mark: started by this agent or another
  };
  Owner Of(pid_t pid) const;

 private:
  uint64_t number_;
};

}  // namespace paddock::guest
