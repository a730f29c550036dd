// Shell state as bytes: all of a shell that lasts from one exec of a sandbox to the next, to go on elsewhere.
//
// Variables with their attributes, functions, options, aliases, traps, positional parameters, directory stack, history,
// hashed commands, completion rules, limits, $?, $!, PIPESTATUS, getopts' place, RANDOM and SECONDS, the results of
// background jobs; and where the shell stands. Not what runs: a job that was running when its state was written reads as
// killed, which is what happened to it.
//
// Equal states have equal bytes. The format has a version and is told in docs/persistence.md. Reading runs no code of the
// shell: functions are parsed, nothing is expanded.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "proc/resource_limits.h"

namespace paddock::proc {
class Kernel;
}

namespace paddock::shell {

class Shell;

// What a shell's process knows of it.
struct ShellPlace {
  std::string cwd;   // as `pwd -L` shows it
  uint32_t umask = 022;
  proc::ResourceLimits limits;   // of ulimit
  bool operator==(const ShellPlace&) const = default;
};

// The bytes of a state, with what makes it cheap to write a later state of the same shell.
struct EncodedState {
  std::string bytes;   // empty: there is no shell yet
  // The parts of the shell that change only by being replaced, to see which have not been.
  std::array<std::shared_ptr<const void>, 7> origins;
};

struct StateClock {
  // Real time minus monotonic time, the same for all states of a process: SECONDS goes on counting.
  Nanoseconds real_minus_monotonic{0};
};

// The state of a shell between two execs. Its process may be gone; `kernel` (not null) still knows the jobs that ended since.
// `previous` is an earlier state of the shell or empty.
EncodedState EncodeState(const Shell& shell, const ShellPlace& place, proc::Kernel& kernel, const StateClock& clock,
                         const EncodedState& previous);

// Makes a fresh shell one of this state. Charges the shell's budget. kInvalid, with the shell in pieces, for bytes that no
// shell writes. A function whose text the parser does not take any more (the message says so when it is called) is no error.
Status DecodeState(std::string_view bytes, const StateClock& clock, Shell& shell, ShellPlace* place);

// What makes `after` of `before`, both from EncodeState(): small when little has changed, empty when nothing has.
std::string EncodeStateDelta(std::string_view before, std::string_view after);
// Gives `after`. kInvalid if the delta is damaged or was made for another state.
Result<std::string> ApplyStateDelta(std::string_view before, std::string_view delta);

}  // namespace paddock::shell
