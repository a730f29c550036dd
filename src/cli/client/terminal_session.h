// Our terminal as that of a program in a sandbox: over a WebSocket of the daemon.
#pragma once

#include <functional>
#include <string>

#include "cli/client/link.h"
#include "sandbox/sandbox.h"

namespace paddock::cli {

struct TerminalTarget {
  // The WebSocket's, for a terminal of this size; `offset` is how much of the output is here already.
  std::function<std::string(const sandbox::WindowSize& size, uint64_t offset)> target;
  bool outlives = false;     // the program goes on without us: a connection that breaks is made anew, for as long as 15 seconds
  bool may_lack_terminal = false;   // with `outlives`: the program runs, and it is an error if it has no terminal
  std::string when_left;     // what is told after the keys that leave it, or an end of ours by a signal
};

// stdin is a terminal. Keys go to the program as they are (also Ctrl-C), but for "~." behind a new line, which leaves; the size goes along when it changes.
// SIGTERM and SIGHUP of ours hang up. However it ends, the terminal is as it was. Our exit status: as StatusOfProcess() says; 0 when it was left; 128 + N for a
// signal of ours. Errors: the daemon's; kUnavailable for a connection that broke.
Result<int> RunTerminalSession(Link& link, const TerminalTarget& target);

// The shell of a sandbox, as far as the isolation has one, in `cwd` or where it is.
Result<int> RunRemoteShell(Link& link, const std::string& sandbox, const std::string& cwd);

}  // namespace paddock::cli
