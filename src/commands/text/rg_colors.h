// The colours of rg's output: --colors.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {

// How one kind of output looks, as codes of a terminal.
struct RgColor {
  std::string foreground, background;   // "1" for a colour of the eight, "5;N" and "2;R;G;B" for others; empty: none
  bool is_bold = false, is_intense = false, is_underlined = false;

  bool is_plain() const { return foreground.empty() && background.empty() && !is_bold && !is_intense && !is_underlined; }
  // The codes that begin it; "\x1b[0m" ends it.
  std::string Begin() const;
};

struct RgColors {
  RgColor path{.foreground = "5"}, line{.foreground = "2"}, column, match{.foreground = "1", .is_bold = true};

  // TYPE:ATTRIBUTE:VALUE or TYPE:none. Errors: rg's complaint.
  Status Change(std::string_view spec);
};

}  // namespace paddock
