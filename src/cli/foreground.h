// Running an exec in the foreground of this program: its output on ours, our signals and terminal its own.
#pragma once

#include <string_view>

#include "sandbox/sandbox.h"

namespace paddock::cli {

// Starts and waits. Errors: what Start() says, and a --cwd that is no directory.
Result<sandbox::ExecResult> RunForeground(sandbox::Sandbox& sandbox, sandbox::ExecSpec exec,
                                          sandbox::StdinSource input, sandbox::OutputHandler handler);

// The signal (SIGINT or SIGTERM) that cancelled the last of them, or 0.
int CancellingSignal();

// An OutputHandler that writes to descriptors 1 and 2.
void WriteOutput(sandbox::Stream stream, std::string_view bytes);
// Writes as far as the descriptor takes it.
void WriteAll(int descriptor, std::string_view bytes);

// The working directory that was asked for exists inside.
Status CheckDirectory(sandbox::Sandbox& sandbox, const std::string& cwd);

}  // namespace paddock::cli
