// What grep's options say, for its parts. For grep only.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace paddock {

struct GrepColors {
  std::string selected_match = "01;31";
  std::string context_match = "01;31";
  std::string selected_line;
  std::string context_line;
  std::string file_name = "35";
  std::string line_number = "32";
  std::string byte_number = "32";
  std::string separator = "36";
  bool swaps_lines = false;   // rv: with -v the colours of selected and context lines change places
  bool erases = true;         // not ne
};

struct GrepSettings {
  enum class Binary { kReport, kText, kWithoutMatch };
  enum class List { kNone, kMatching, kOthers };

  // Which lines are selected.
  bool invert = false;
  int64_t max_count = std::numeric_limits<int64_t>::max();
  Binary binary = Binary::kReport;
  char delimiter = '\n';
  bool is_utf8 = true;

  // What is shown of them.
  bool count = false;
  bool quiet = false;
  List list = List::kNone;
  bool only_matching = false;
  bool line_number = false;
  bool byte_offset = false;
  bool initial_tab = false;
  bool null_after_name = false;
  bool line_buffered = false;
  int64_t before = -1;        // lines of context; -1: not asked for
  int64_t after = -1;
  std::optional<std::string> group_separator = "--";
  std::optional<GrepColors> colors;

  bool has_context() const { return before >= 0 || after >= 0; }
  // True when lines themselves are not written.
  bool is_silent() const { return count || quiet || list != List::kNone; }
};

// Reads GREP_COLORS into `colors`; stops at the first thing that it does not understand.
void ParseGrepColors(std::string_view text, GrepColors& colors);

}  // namespace paddock
