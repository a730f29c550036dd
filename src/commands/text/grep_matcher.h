// Finds lines that match grep's patterns, many lines at a time where the patterns allow it. For grep only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/literal_set.h"
#include "text/regex.h"
#include "text/text_finder.h"

namespace paddock {

class Budget;

class GrepMatcher {
 public:
  // `flags` without multiline and newline_is_text, which follow from the delimiter.
  static Result<GrepMatcher> Make(const std::vector<std::string>& patterns, RegexFlags flags, char delimiter);

  // A line of a buffer without its delimiter; `next` is where the line behind it begins.
  struct Line {
    size_t begin;
    size_t end;
    size_t next;
  };
  // The first line at or after the line start `from` that matches. `is_ascii`: the buffer is.
  Result<std::optional<Line>> FindLine(std::string_view buffer, size_t from, bool is_ascii, Budget& budget) const;

  // The first match in a line, of which `kind` is true, at or after `from`.
  Result<std::optional<RegexGroup>> FindInLine(std::string_view line, RegexText kind, size_t from, Budget& budget) const;

  // What is odd about the patterns.
  std::span<const std::string> warnings() const { return regex_.warnings(); }

 private:
  GrepMatcher(Regex regex, const RegexFlags& flags, char delimiter);
  // Whether a set of strings matches at this place (-w, -x).
  bool IsWhole(std::string_view text, size_t begin, size_t end) const;
  Result<std::optional<Line>> FindInBlock(std::string_view buffer, size_t from, bool is_ascii, Budget& budget) const;
  Line LineAt(std::string_view buffer, size_t from, size_t at) const;
  Line LineFrom(std::string_view buffer, size_t begin) const;

  Regex regex_;
  std::optional<LiteralSet> strings_;   // instead, when all patterns are plain
  RegexExtent extent_;
  bool is_utf8_;
  char delimiter_;
  TextFinder required_;
  mutable std::vector<RegexGroup> groups_;
};

}  // namespace paddock
