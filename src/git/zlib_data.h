// zlib streams (RFC 1950) in memory, as loose objects and packs hold them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"
#include "codec/coder.h"

namespace paddock::git {

// `level`: 0 to 9; below 0: fast.
std::string Deflate(std::string_view plain, Budget& budget, int level = -1);

// Whether a stream of `packed` bytes may hold `size` bytes: deflate makes no more than 1032 of one. Room for what a header promises
// is counted only when it may.
inline bool MayInflateTo(uint64_t size, uint64_t packed) { return size / 1032 <= packed; }

struct Inflated {
  std::string data;
  size_t taken = 0;   // bytes of the stream
};
// Inflates the stream at the front of `packed`, at most `most` bytes of it. `exactly`: it must make `most` bytes and end, with the right
// checksum. Otherwise what there is up to `most` is returned. Errors: kCorrupt.
Result<Inflated> Inflate(std::string_view packed, uint64_t most, bool exactly, Budget& budget);

// What follows the first `taken` bytes of a stream: at least four bytes, or all that are left. Valid until the next call.
using StreamBytes = std::function<Result<std::string_view>(size_t taken)>;
// The same with the stream coming in pieces.
Result<Inflated> InflatePieces(const StreamBytes& packed, uint64_t most, bool exactly, Budget& budget);

// The same for many streams: to make a decoder costs more than a small stream does.
class ZlibReader {
 public:
  explicit ZlibReader(Budget& budget) : budget_(budget) {}
  Result<Inflated> Read(const StreamBytes& packed, uint64_t most, bool exactly);

 private:
  Budget& budget_;
  std::unique_ptr<codec::StreamDecoder> decoder_;   // once there was a stream
};

}  // namespace paddock::git
