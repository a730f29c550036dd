// Plain, gzip, bzip2, zstd or xz bytes, whichever they are, as plain ones.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/stream.h"

namespace paddock::trees {

struct DecompressLimits {
  uint64_t max_bytes = 64ull << 30;  // that may come out
  // More than so many bytes out of one in is a bomb; looked at when more than 64 MiB have come out.
  uint64_t max_ratio = 1000;
};

// Looks at the first bytes of `in`, which outlives the result. Its blocks are valid until the next one is read. Errors
// of the result: kSyntax for what does not decompress or ends too early, kLimit, those of `in`.
Result<std::unique_ptr<ByteSource>> Decompress(ByteSource& in, const DecompressLimits& limits);

}  // namespace paddock::trees
