// The terminal on stdin while it belongs to a program elsewhere.
#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/sandbox.h"

namespace paddock::cli {

// Keys come one by one and as they are; as before again when it goes. One thread.
class RawTerminal {
 public:
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  // Lets go of it meanwhile (SIGTSTP), and takes it again.
  void Leave();
  void Enter();

  // Writes to stdout what the program shows. False when nobody takes it, or `stop` can be read.
  bool Show(std::string_view bytes, int stop);
  // After an end that the program had no time for: out of its full screen, the cursor to be seen, keys and mouse as usual.
  void Tidy();

  static sandbox::WindowSize CurrentSize();   // at most 1000 x 1000

 private:
  std::optional<termios> before_;
  std::string tail_;            // the end of what was shown, for a sequence that is cut
  bool is_full_screen_ = false;
};

}  // namespace paddock::cli
