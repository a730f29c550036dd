// Output of commands as a model gets it: cleaned of what only terminals read, cut to a budget, honest about what is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace paddock::tools {

enum class OutputMode { kAuto, kSilent, kConcise, kNormal, kVerbose, kFull };
std::span<const char* const> NamesOf(OutputMode);

// Bytes for both streams together. kAuto: little when the command succeeded.
size_t OutputBudget(OutputMode mode, bool has_succeeded);

// Takes a stream of any length and keeps at most `capacity` bytes: all of it while it fits, then its head (a fifth) and its tail.
class HeadAndTail {
 public:
  explicit HeadAndTail(size_t capacity) : capacity_(capacity) {}
  void Append(std::string_view bytes);
  uint64_t total() const { return total_; }        // bytes seen
  bool is_complete() const { return total_ <= capacity_; }
  // What is kept; where something is missing between, a line that says how much.
  std::string Text() const;

 private:
  size_t head_capacity() const { return capacity_ / 5; }
  size_t tail_capacity() const { return capacity_ - head_capacity(); }

  size_t capacity_;
  uint64_t total_ = 0;
  std::string head_;   // all of it while complete
  std::string tail_;   // at most twice tail_capacity()
};

// Without escape sequences (CSI, OSC and the like, also unfinished ones), with only the last state of lines that were drawn over
// with carriage returns and backspaces, without other control characters but tabs and newlines; malformed UTF-8 as U+FFFD.
// Linear. The result is valid UTF-8; cleaning it again changes nothing.
std::string CleanOutput(std::string_view text);

// At most `budget` bytes of valid UTF-8: the text, or its first fifth and its end with a line between that says how much is
// missing and `where` the rest is (empty: nowhere). Cuts between characters. When not even the line has room it is the text's end.
std::string CutMiddle(std::string_view text, size_t budget, std::string_view where);

// Both streams under one budget: what one does not need goes to the other.
struct CutStreams {
  std::string out, err;
  bool is_out_cut = false, is_err_cut = false;
};
CutStreams CutBoth(std::string_view out, std::string_view err, size_t budget, std::string_view where_out, std::string_view where_err);

}  // namespace paddock::tools
