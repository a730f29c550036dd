// Writes grep's lines: names, numbers, offsets, separators and colours. For grep only.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "commands/text/grep_matcher.h"
#include "commands/text/grep_settings.h"

namespace paddock {

class Budget;
class Output;

class GrepPrinter {
 public:
  GrepPrinter(const GrepSettings& settings, const GrepMatcher& matcher, Output& out, Budget& budget)
      : settings_(settings), matcher_(matcher), out_(out), budget_(budget) {}

  struct Line {
    std::string_view text;      // without delimiter
    bool is_selected;           // else it is context
    uint64_t number;            // from 1; only used when numbers are shown
    uint64_t offset;
  };
  // The least width of line numbers and offsets.
  void SetNumberWidth(size_t width) { number_width_ = width; }

  // Writes a line. False when it was held back because it holds bytes that are no characters.
  Result<bool> Print(std::string_view file, bool shows_name, const Line& line);
  void PrintGroupSeparator();
  // "NAME:COUNT"
  void PrintCount(std::string_view file, bool shows_name, uint64_t count);
  void PrintName(std::string_view file);
  // False after a write that failed: nothing more will be seen.
  bool can_write() const;

 private:
  void PrintHead(std::string_view file, bool shows_name, const Line& line, uint64_t offset);
  Result<bool> PrintMatches(std::string_view file, bool shows_name, const Line& line);
  Status PrintColored(const Line& line);
  void PrintNumber(uint64_t number, std::string_view color);
  void PrintSeparator(std::string_view separator);
  void Start(std::string_view color);
  void End(std::string_view color);
  bool IsPrintable(std::string_view text) const;

  const GrepSettings& settings_;
  const GrepMatcher& matcher_;
  Output& out_;
  Budget& budget_;
  size_t number_width_ = 0;
};

}  // namespace paddock
