// How sort compares text as numbers, months and sizes. Texts are not terminated and may be anything.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock {

// sort -n: blanks, '-', digits, '.', digits; exact for any length.
int CompareNumeric(std::string_view a, std::string_view b);
// A number that never orders two texts against CompareNumeric.
uint64_t NumericPrefix(std::string_view text);

// sort -h: first by sign and unit (K M G …), then by number.
int CompareHumanNumeric(std::string_view a, std::string_view b);
// A number that never orders two texts against CompareHumanNumeric.
uint64_t HumanNumericPrefix(std::string_view text);

// sort -g: as strtold() reads it; what is no number comes first, then NaNs.
int CompareGeneralNumeric(std::string_view a, std::string_view b);
uint64_t GeneralNumericPrefix(std::string_view text);
// How many bytes of `text` are that number; 0 when it is none.
size_t GeneralNumericLength(std::string_view text);

// sort -M: 1 to 12, or 0.
int MonthNumber(std::string_view text);

}  // namespace paddock
