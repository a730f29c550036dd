// Numbers as GNU tools read and show them: sizes with suffixes ("10K", "2MiB", "b"), ranges with the
// reason for a refusal, and rounded-up sizes for people ("1.5K").
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {

// The suffixes that most coreutils accept: b 512, K KiB 1024, KB 1000 and so on up to Y. A '0' in a
// suffix list allows the forms with B and iB.
inline constexpr std::string_view kSizeSuffixes = "bkKmMGTPEZY0";

enum class NumberState {
  kOk,
  kOverflow,             // value is the largest one
  kBadSuffix,            // text after the number
  kBadSuffixOverflow,
  kInvalid,              // no number
};

struct SizeNumber {
  NumberState state = NumberState::kInvalid;
  uint64_t value = 0;
};

// Reads an unsigned decimal number with an optional suffix out of `suffixes`. Blanks and a '+' may come
// first; a suffix alone counts as 1 of it. Source: GNU xstrtoumax.
SizeNumber ParseSize(std::string_view text, std::string_view suffixes);

// An unsigned number as C writes constants: "0x1f", "017", "15". Source: GNU xstrtoumax with base 0.
SizeNumber ParseConstant(std::string_view text);

// Like ParseSize, within [least, most]. Errors: kInvalid, kOverflow, kRange (out of bounds).
Result<uint64_t> ParseSizeBetween(std::string_view text, uint64_t least, uint64_t most,
                                  std::string_view suffixes);
inline Result<uint64_t> ParseCount(std::string_view text, std::string_view suffixes = {}) {
  return ParseSizeBetween(text, 0, std::numeric_limits<uint64_t>::max(), suffixes);
}

// What a tool says about an error of the two above: "WHAT: ‘TEXT’", and the reason unless it is kInvalid.
std::string NumberComplaint(std::string_view what, std::string_view text, const Error& error, bool is_utf8);

// 1536 → "1.5K": rounded up, one decimal below 10, powers of 1024 (K M G …) or of 1000 (k M G …).
// Source: ls -h, du -h, df -h; --si.
std::string HumanSize(uint64_t bytes, bool is_si = false);

// A product and a sum that stay at the largest value instead of wrapping.
uint64_t SaturatingMultiply(uint64_t a, uint64_t b);
uint64_t SaturatingAdd(uint64_t a, uint64_t b);

}  // namespace paddock
