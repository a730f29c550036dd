// The guest agent: the one small program that runs inside every real wall as its init. It reads requests from one
// descriptor and writes answers to the other (docs/guest-protocol.md); what it starts sees neither.
#pragma once

#include <cstdint>
#include <string>

#include "guest/protocol/messages.h"

namespace paddock::guest {

struct AgentOptions {
  int input_fd = 0;       // both may be one socket; owned by the agent from here on
  int output_fd = 1;
  bool is_init = false;   // PID 1 of its own PID namespace
  uint64_t features = kFeatureExec | kFeatureFiles | kFeaturePorts;   // kFeatureInit follows from is_init
  std::string software = "paddock-guest";
  bool greets_second = false;   // after the client's Hello: for ways that drop what is said before somebody listens
};

// Serves until the input ends, the peer breaks the protocol, or it asks for a shutdown; returns the exit status for main.
// Single-threaded; takes SIGCHLD and SIGPIPE of the whole process. As init it must be the last thing that main does: when
// the process exits, the kernel ends everything inside. Otherwise it kills what it started before it returns.
int RunAgent(const AgentOptions& options);

}  // namespace paddock::guest
