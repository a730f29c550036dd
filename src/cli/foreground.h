// Running an exec in the foreground of this program: its output on ours, our signals and terminal its own.
#pragma once

#include <string_view>

#include "sandbox/sandbox.h"

namespace paddock::cli {

// Starts and waits. Errors: what Start() says, and a --cwd that is no directory.
Result<sandbox::ExecResult> RunForeground(sandbox::Sandbox& sandbox, sandbox::ExecSpec exec,
                                          sandbox::StdinSource input, sandbox::OutputHandler handler);

// The signal that cancelled the last of them, or 0: SIGINT, SIGTERM, SIGHUP, or SIGPIPE when the reader of our output went away.
int CancellingSignal();

// At the end of the program: what could not be written to stdout is told, and makes a status of 0 another one.
int EndOutput(int status);

// An OutputHandler that writes to descriptors 1 and 2. When their reader has gone away, what runs is cancelled.
void WriteOutput(sandbox::Stream stream, std::string_view bytes);
// Writes as far as the descriptor takes it; past the time limit of what runs, or after a signal, only what it takes at
// once. False when its reader has gone away.
bool WriteAll(int descriptor, std::string_view bytes);

// The working directory that was asked for exists inside.
Status CheckDirectory(sandbox::Sandbox& sandbox, const std::string& cwd);

}  // namespace paddock::cli
