// The unit that ls, du and df count in: --block-size=SIZE, -h, -k and the *_BLOCK_SIZE variables.
//
// Source: GNU coreutils manual, "Block size".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {

struct BlockSize {
  uint64_t unit = 1024;
  bool is_human = false;   // "1.5K" by powers of 1024, or of 1000 with is_si
  bool is_si = false;
  std::string suffix = {};   // written after the number, when SIZE was a bare unit such as "K"

  static BlockSize Human() { return {.unit = 1, .is_human = true}; }
  static BlockSize Si() { return {.unit = 1, .is_human = true, .is_si = true}; }
  static BlockSize Of(uint64_t unit) { return {.unit = unit}; }

  // "1.5K", "12", "3MB": rounded up.
  std::string Format(uint64_t bytes) const;
};

// Reads a SIZE: "human-readable", "si", "K", "1M", "kB", "'512". Errors: kInvalid, kSyntax (bad
// suffix), kOverflow.
Result<BlockSize> ParseBlockSize(std::string_view text);

// "ls: invalid --block-size argument 'x'": what to say about an error of ParseBlockSize().
std::string BlockSizeComplaint(std::string_view option, std::string_view text, const Error& error);

}  // namespace paddock
