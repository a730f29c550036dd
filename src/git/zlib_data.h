// zlib streams (RFC 1950) in memory, as loose objects and packs hold them.
#pragma once

#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::git {

std::string Deflate(std::string_view plain, Budget& budget);

struct Inflated {
  std::string data;
  size_t taken = 0;   // bytes of the stream
};
// Inflates the stream at the front of `packed`, at most `most` bytes of it. `exactly`: it must make `most` bytes and end, with the right
// checksum. Otherwise what there is up to `most` is returned. Errors: kCorrupt.
Result<Inflated> Inflate(std::string_view packed, uint64_t most, bool exactly, Budget& budget);

}  // namespace paddock::git
