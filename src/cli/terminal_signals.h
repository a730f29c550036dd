// The signals of a terminal session: what Ctrl-C, a new window size and a hang-up do, at the prompt and while a
// command runs. One object at a time; it puts the handlers back when it goes.
#pragma once

#include <csignal>

#include "sandbox/shell_session.h"

namespace paddock::cli {

class TerminalSignals {
 public:
  explicit TerminalSignals(sandbox::ShellSession& session);
  ~TerminalSignals();
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;

  // True once after each arrival.
  bool TakeInterrupt();
  bool TakeResize();
  // The signal that ends the session (SIGHUP, SIGTERM), 0 if none came.
  int hang_up() const;

  // From here on signals are for the command: Ctrl-C goes to its processes, a second one within a second of
  // the first kills them. At the prompt the session is only woken.
  void EnterCommand();
  void LeaveCommand();

  // Waits until the descriptor can be read, `until` (monotonic clock) passes or a signal arrives that was not
  // taken yet; none is missed in between. True if it can be read.
  bool WaitReadable(int descriptor, std::chrono::nanoseconds until);

 private:
  struct sigaction saved_[5];
  sigset_t handled_;
};

}  // namespace paddock::cli
