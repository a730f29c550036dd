// Searches one input for grep: takes it in blocks, selects lines, prints them with their context.
// For grep only.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "commands/text/grep_matcher.h"
#include "commands/text/grep_printer.h"
#include "commands/text/grep_settings.h"

namespace paddock {

class Budget;
class Input;

class GrepSearch {
 public:
  GrepSearch(const GrepSettings& settings, const GrepMatcher& matcher, GrepPrinter& printer, Budget& budget)
      : settings_(settings), matcher_(matcher), printer_(printer), budget_(budget) {}

  struct Outcome {
    uint64_t selected = 0;             // lines
    bool is_unprintable_match = false; // "binary file matches" has to be said
  };
  // Reads until the end, or as far as the settings need. Read errors are left in input.status().
  Result<Outcome> Run(Input& input, std::string_view name, bool shows_name);

 private:
  Result<bool> TakeBlock(std::string_view region, std::string_view behind);
  Result<bool> SearchBuffer(bool is_ascii);
  // `is_run_start`: the line before it is not selected.
  Status Select(const GrepMatcher::Line& line, bool is_run_start);
  Status PrintContextBefore(size_t until);
  Status PrintContextAfter(size_t until);
  Status PrintLine(size_t begin, size_t end, bool is_selected);
  GrepMatcher::Line LineFrom(size_t begin) const;
  bool CheckBinary(std::string_view region, std::string_view behind);
  void KeepContext();

  const GrepSettings& settings_;
  const GrepMatcher& matcher_;
  GrepPrinter& printer_;
  Budget& budget_;

  // The file in progress. Offsets are into buffer_, which begins at buffer_offset_ of the file.
  std::string_view name_;
  bool shows_name_ = false;
  std::string_view buffer_;
  std::string storage_;         // holds the buffer when it is not the input's own memory
  std::string carry_;           // lines of context and the begin of a line, from blocks before
  size_t examined_ = 0;         // what of carry_ was searched before
  uint64_t buffer_offset_ = 0;
  size_t printed_ = 0;          // end of the last line printed
  bool has_printed_ = false;    // in any file: groups are separated
  bool is_detached_ = true;     // printed_ lies before this buffer
  int64_t after_left_ = 0;      // lines of context still to print
  uint64_t line_number_ = 0;    // lines before counted_
  size_t counted_ = 0;
  int64_t left_ = 0;            // of max_count
  bool is_binary_ = false;
  bool is_done_ = false;
  size_t stop_ = 0;             // where the last selected line ends, when done
  Outcome outcome_;
};

}  // namespace paddock
