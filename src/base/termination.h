// Termination: how a virtual process dies at once, from any depth of any command.
//
// A limit that is reached, a fatal signal or a cancelled exec ends a process wherever it is: inside a
// sort, a regular expression loop, a write to a pipe nobody reads. That is the only thing in the code
// that is thrown. It is caught in exactly one place, the process boundary (proc/process.cc), never by a
// command, and it is rare: one throw for one dead process. Everything a command can answer to is a
// Result instead.
//
// Rule: no code blocks or switches fibers inside a catch handler; copy what is needed and leave it first.
#pragma once

namespace paddock {

// Why an exec was stopped as a whole. Each maps to one termination reason of ExecResult.
enum class LimitKind {
  kNone,
  kSteps,      // interpreter and command steps
  kMemory,     // heap bytes held by the exec
  kOutput,     // bytes written to the exec's stdout and stderr
  kTime,       // wall-clock deadline
  kCpuTime,    // processor time
  kDepth,      // nesting that would exhaust the stack
  kProcesses,  // live virtual processes
  kDisk,       // bytes or inodes of the file tree
  kCancelled,  // the caller asked
  kDeadlock,   // every process waits for another one
};

// Returns the name used in results and messages: "steps", "memory", "output", "time" …
const char* LimitName(LimitKind kind);

// Thrown to end a process. Deliberately not a std::exception: no handler written for library errors
// can swallow it.
struct Termination {
  enum class Cause { kLimit, kSignal };
  Cause cause = Cause::kLimit;
  LimitKind limit = LimitKind::kNone;  // for kLimit: ends every process of the exec
  int signal = 0;                      // for kSignal
  const void* process = nullptr;       // for kSignal: the proc::Process that dies
};

}  // namespace paddock
