// LineInput: what somebody types for a program behind a wall that has no terminals. The program reads lines from a pseudo-terminal of the
// host's, of which nobody is the session's leader; what a terminal in its usual mode would show and signal is done here.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace paddock::registry {

// One thread at a time.
class LineInput {
 public:
  // Errors: those of the system when it has no pseudo-terminal left.
  static Result<std::unique_ptr<LineInput>> Make();

  // What the program reads: a terminal in canonical mode. It is hung up on when this object goes.
  int far() const { return far_.get(); }

  // Takes keys. Calls `signal` for Ctrl-C (SIGINT) and Ctrl-\ (SIGQUIT), for a second one within a second with SIGKILL. Returns what the
  // terminal is to show. Keys for which there is no room are dropped, and it rings.
  std::string Type(std::string_view keys, const std::function<void(int signal)>& signal);
  // What was typed and no program has read, at most `max` bytes. Lines begin anew.
  std::string TakeBack(size_t max);
  // A program begins to read: what stands on the line before is not to be erased.
  void Begin() { typed_ = 0; }

 private:
  LineInput() = default;

  Descriptor near_, far_;
  size_t typed_ = 0;   // characters of the line: what may be erased on the screen
  std::chrono::steady_clock::time_point interrupted_{};
};

// Programs write lines as files have them; a terminal wants the cursor back, too.
std::string ForTerminal(std::string_view bytes);

}  // namespace paddock::registry
