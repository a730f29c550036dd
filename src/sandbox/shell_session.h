// ShellSession: the sandbox's shell for a person at a terminal: line after line, with what a line editor asks
// in between. A facet: a sandbox that can offer it implements Interactive.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/sandbox.h"

namespace paddock::sandbox {

struct SessionSpec {
  Environment environment;            // the whole environment of the shell
  std::string cwd;                    // absolute; the user's home if empty
  Limits limits;                      // of each line; the time does not count at the prompt
  int input = 0;                      // host descriptor of the terminal that commands read
  bool is_output_terminal = true;     // what [ -t 1 ] and [ -t 2 ] say
  bool is_error_terminal = true;
};

// What Tab finds.
struct Completions {
  size_t from = 0;                    // where in the line the text to replace begins; it ends at the cursor
  std::string replacement;            // quoted as the shell needs it; the common beginning if several match
  std::vector<std::string> shown;     // the candidates to list, sorted; one or none: nothing to choose from
};

// Not thread-safe but for Signal() and Kill(). While a call runs code of the sandbox these two reach it from a
// signal handler; at the prompt they reach Idle().
class ShellSession {
 public:
  virtual ~ShellSession() = default;

  // What a prompt shows; text between bytes 1 and 2 takes no room.
  struct Prompt {
    std::string text;
    std::optional<std::chrono::seconds> timeout;   // TMOUT: leave when nothing was typed for so long
  };
  // Before a new command: tells of jobs that have ended, runs PROMPT_COMMAND, expands PS1.
  virtual Prompt PrimaryPrompt() = 0;
  // PS2, for the next line of an incomplete command.
  virtual Prompt SecondaryPrompt() = 0;
  // True when the lines read so far need more.
  virtual bool IsIncomplete(std::string_view text) = 0;
  // How a complete command will stand in the shell's history list when it runs; nothing if its rules keep it out.
  virtual std::optional<std::string> HistoryEntry(std::string_view text) = 0;
  // Runs a complete command. When a limit or Kill() ends it the shell is as it was before, but for $? and
  // background processes, which are gone.
  virtual ExecResult Run(std::string_view text) = 0;
  // End of input at the prompt: runs the EXIT trap and ends the session, unless ignoreeof holds (says so).
  virtual void EndInput() = 0;
  // Ctrl-C at the prompt: $? is 130.
  virtual void NoteInterrupt() = 0;
  // Ends the session without asking: a hang-up, a timeout.
  virtual void Leave() = 0;
  // The exit status, once exit, end of input or a fatal signal has ended the session.
  virtual std::optional<int> ended() const = 0;

  virtual Completions Complete(std::string_view line, size_t cursor) = 0;
  virtual void Resize(WindowSize size) = 0;

  // Lets background processes run until `descriptor` of the host can be read, `until` passes (monotonic
  // clock) or a signal arrives. Returns at once if there are none.
  virtual void Idle(int descriptor, std::chrono::nanoseconds until) = 0;

  // What the terminal's keys do: sends a signal to the foreground processes. Safe in signal handlers.
  virtual void Signal(int signal) = 0;
  // Stops whatever runs, background processes included. Safe in signal handlers.
  virtual void Kill() = 0;
};

class Interactive {
 public:
  virtual ~Interactive() = default;
  // Opens the session; one at a time, and no other exec meanwhile. The sandbox outlives it. Errors: kBusy,
  // kNoEntry (cwd).
  virtual Result<std::unique_ptr<ShellSession>> OpenShell(SessionSpec spec, OutputHandler output) = 0;
};

}  // namespace paddock::sandbox
