// printf-like padding of values whose directive comes from the user: stat -c, find -printf.
//
// Widths and precisions are limited by the budget, not by a buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace paddock {

class Budget;

// What stands between '%' and the letter: flags, width, precision.
struct PrintSpec {
  bool left = false;        // '-'
  bool zero = false;        // '0'
  bool plus = false;        // '+'
  bool space = false;       // ' '
  bool alternate = false;   // '#'
  uint64_t width = 0;
  std::optional<uint64_t> precision;   // 0 for a bare '.'
  bool has_precision_digits = false;
  size_t length = 0;        // bytes taken

  // Parses the front of `text` (after the '%'). `flags` lists the characters that count as flags.
  static PrintSpec Parse(std::string_view text, std::string_view flags);
};

// %s
std::string PadText(std::string_view text, const PrintSpec& spec, Budget& budget);
// %d %u %o %x: `digits` without sign; `prefix` is "0x" or "0" of the '#' form, or "".
std::string PadNumber(std::string_view digits, bool is_negative, std::string_view prefix, const PrintSpec& spec,
                      Budget& budget);
std::string PadDecimal(uint64_t value, const PrintSpec& spec, Budget& budget);
std::string PadOctal(uint64_t value, const PrintSpec& spec, Budget& budget);
std::string PadHex(uint64_t value, const PrintSpec& spec, Budget& budget);

}  // namespace paddock
