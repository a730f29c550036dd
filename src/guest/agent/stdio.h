// Stdio: the two ends of a new program's descriptors 0, 1 and 2.
#pragma once

#include "base/descriptor.h"
#include "guest/protocol/messages.h"

namespace paddock::guest {

struct Stdio {
  // The agent's, not blocking. `error` is empty with a terminal or merged output, `input` when the program gets none.
  Descriptor input;
  Descriptor output;
  Descriptor error;
  Descriptor terminal;   // the master again, for resizing
  // The program's.
  Descriptor program[3];
};

struct StdioFailure {
  int error_number = 0;
  Step step = Step::kNone;
};

// Makes what the request asks for. On failure `failure` says where.
bool MakeStdio(const StartRequest& request, Stdio& stdio, StdioFailure& failure);
bool SetTerminalSize(int terminal, TerminalSize size);

}  // namespace paddock::guest
