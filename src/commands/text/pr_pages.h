// The pages of pr: settings and what lays lines out in columns below a header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/input_files.h"

namespace paddock {

struct PrTab {
  char character = '\t';
  int64_t width = 8;
};

struct PrSettings {
  uint64_t first_page = 0;   // 0: not asked for
  uint64_t last_page = kUnlimited;
  int64_t columns = 1;
  bool has_columns = false;
  bool across = false;
  bool parallel = false;
  bool double_space = false;
  std::string date_format;
  bool untabify = false;
  PrTab input_tab;
  bool tabify = false;
  PrTab output_tab;
  bool form_feed = false;
  std::optional<std::string> header;
  bool joins_lines = false;
  bool truncates = false;
  int64_t page_length = 66;
  int64_t page_width = 72;
  bool numbers_lines = false;
  PrTab number{'\t', 5};     // separator and digits
  std::optional<int64_t> first_number;
  int64_t margin = 0;
  bool has_separator = false;
  std::string separator;
  bool has_headers = true;
  bool keeps_form_feeds = false;
  bool shows_carets = false;
  bool shows_octal = false;
};

// Prints `files` side by side, or the only one in columns. False, after a complaint, when
// the columns do not fit into the page.
bool PrintPages(Invocation& in, const PrSettings& settings, std::vector<InputFile>& files, std::string_view title);

}  // namespace paddock
