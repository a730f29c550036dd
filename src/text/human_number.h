// Numbers with unit suffixes in both directions, as numfmt reads and writes them: "1.5K", "954Mi".
//
// Source: GNU coreutils 9.1 manual, "numfmt invocation".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {

// Which suffixes numbers have: none, K = 1000, K = 1024, Ki = 1024, or (reading only) the first or the last by
// the letter i.
enum class UnitScale { kNone, kAuto, kSi, kIec, kIecI };

enum class Rounding { kUp, kDown, kFromZero, kTowardsZero, kNearest };

struct ScaledNumber {
  long double value = 0;
  uint64_t precision = 0;      // digits after the point, 0 behind a suffix
  bool lost_precision = false;
};

// Reads all of `text`. The error's message is numfmt's complaint.
Result<ScaledNumber> ParseScaledNumber(std::string_view text, UnitScale scale, bool is_utf8);

struct ScaledFormat {
  UnitScale scale = UnitScale::kNone;
  Rounding rounding = Rounding::kFromZero;
  std::optional<uint64_t> precision;   // overrides that of the number
  uint64_t zero_width = 0;             // pads with zeros up to here
};

// Why a value cannot be written: the complaint, or nothing. Values without scaling have at most 18 digits.
std::optional<std::string> ScaledNumberComplaint(const ScaledNumber& number, const ScaledFormat& format);

// Writes a number. Error: kRange for more than about 127 characters.
Result<std::string> FormatScaledNumber(const ScaledNumber& number, const ScaledFormat& format);

}  // namespace paddock
