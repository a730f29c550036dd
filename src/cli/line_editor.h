// LineEditor: reads lines from a terminal with libedit: emacs keys, history, reverse search, completion. Text is
// UTF-8 outside and inside; what it completes and who runs meanwhile is the caller's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sandbox/shell_session.h"

namespace paddock::cli {

class TerminalSignals;

class LineEditor {
 public:
  struct Callbacks {
    // What Tab finds at a byte offset of the line.
    std::function<sandbox::Completions(std::string_view line, size_t cursor)> complete;
    // Called before each wait for a key: lets others work until `descriptor` is ready or `until` passes.
    std::function<void(int descriptor, std::chrono::nanoseconds until)> idle;
    // The window has another size.
    std::function<void()> resized;
  };
  // Edits on the terminal at descriptor 0 and shows on `output` (1 or 2). `signals` outlives the editor.
  LineEditor(int output, TerminalSignals& signals, Callbacks callbacks);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class End { kLine, kEndOfInput, kInterrupt, kTimeout, kHangUp };
  struct Line {
    End end;
    std::string text;   // with its newline, for kLine
  };
  // Shows the prompt (text between bytes 1 and 2 takes no room) and reads a line. The terminal's modes are
  // changed only in between.
  Line Read(const std::string& prompt, std::chrono::nanoseconds until = std::chrono::nanoseconds::max());

  // Adds an entry to the history that the keys go through; it may hold newlines.
  void Remember(const std::string& entry);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The size of the window of a terminal; 80 by 24 where it has none.
sandbox::WindowSize GetWindowSize(int descriptor);

}  // namespace paddock::cli
