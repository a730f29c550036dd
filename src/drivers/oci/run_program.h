// Runs a program of the host to its end, within a time: a runtime's calls, which may hang, print anything, or start nothing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "drivers/oci/stage.h"

namespace paddock::oci {

struct ProgramCall {
  std::vector<std::string> arguments;       // the first is the program's file
  std::chrono::milliseconds patience{0};    // it is killed then, with its process group
  int stream = -1;                          // its stdin and stdout; -1: nothing, and what it prints is taken
  const StagePlan* stage = nullptr;         // built before it begins
  std::string hidden;                       // a mount of the host that it is not shown; empty: none
};

struct ProgramEnd {
  int status = -1;                          // exit status; 128 + signal
  std::string output, complaint;            // at most 64 KiB of stdout and 4 KiB of stderr, trimmed
  Descriptor stderr_end;                    // what it left running may still write there; the reader's end, non-blocking
};

// Errors: kTimedOut, kUnavailable (cannot be started, stage), each naming the program. Any thread.
Result<ProgramEnd> RunProgram(const ProgramCall& call);

// What can be read now of a non-blocking descriptor, at most `most` bytes, fit for one line of an error.
std::string ReadComplaint(int descriptor, size_t most = 4096);

}  // namespace paddock::oci
