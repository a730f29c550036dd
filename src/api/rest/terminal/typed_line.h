// TypedLine: a line that somebody types at a terminal far away: keys in, what the terminal shows out. The keys are emacs's, as in
// Bash. Knows nothing of shells.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::api {

// One thread.
class TypedLine {
 public:
  static constexpr size_t kMostBytes = 64 << 10;    // of a line
  static constexpr size_t kMostHistory = 1000;

  explicit TypedLine(uint32_t columns) { Resize(columns); }

  // An empty line behind `prompt`, in which text between bytes 1 and 2 takes no room; its last line is drawn anew as it is
  // typed. Returns what to show.
  std::string Begin(std::string_view prompt);

  enum class Key { kNone, kLine, kInterrupt, kEnd, kComplete };
  // Takes keys from the front of `input` until something is to be done; kNone: all, but for the beginning of a key that has not come
  // whole. Adds to `shown` what the terminal is to show.
  Key Take(std::string& input, std::string& shown);

  const std::string& text() const { return text_; }   // valid UTF-8 without control characters
  size_t cursor() const { return cursor_; }

  // Puts `replacement` in the place of what lies between `from` and the cursor, and lists `candidates` if there are.
  std::string Complete(size_t from, std::string_view replacement, const std::vector<std::string>& candidates);
  void Remember(std::string_view entry);
  void Resize(uint32_t columns) { columns_ = columns < 2 ? 2 : columns; }

 private:
  Key Escape(std::string_view sequence, std::string& shown);
  Key Control(char key, std::string& shown);
  void Insert(std::string_view bytes, std::string& shown);
  void Erase(size_t from, size_t to, std::string& shown);
  void MoveTo(size_t cursor, std::string& shown);
  void Recall(size_t index, std::string& shown);
  void Redraw(std::string& shown);
  void LeaveLine(std::string& shown);
  size_t Before(size_t at) const;
  size_t After(size_t at) const;
  size_t WordBefore(size_t at) const;
  size_t WordAfter(size_t at) const;

  size_t columns_ = 80;
  std::string prompt_;         // its last line, as it is shown
  size_t prompt_width_ = 0;
  std::string text_;
  size_t cursor_ = 0;          // a byte of text_
  size_t row_ = 0;             // the terminal's cursor, below the prompt's row
  std::string killed_;         // by Ctrl-K and the like, for Ctrl-Y
  std::deque<std::string> history_;
  size_t recalled_ = 0;        // index into history_; its size: the new line
  std::string unfinished_;     // the new line, while another is shown
};

}  // namespace paddock::api
