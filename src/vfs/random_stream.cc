#include "vfs/random_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace paddock::vfs {
namespace {

void QuarterRound(std::array<uint32_t, 16>& x, size_t a, size_t b, size_t c, size_t d) {
  x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 16);
  x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 12);
  x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 8);
  x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 7);
}

}  // namespace

RandomStream::RandomStream(const std::array<uint8_t, 32>& key, uint64_t number)
    : state_{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} {
  std::memcpy(&state_[4], key.data(), key.size());
  state_[14] = static_cast<uint32_t>(number);
  state_[15] = static_cast<uint32_t>(number >> 32);
}

void RandomStream::NextBlock() {
  std::array<uint32_t, 16> x = state_;
  for (int round = 0; round < 10; ++round) {
    QuarterRound(x, 0, 4, 8, 12);
    QuarterRound(x, 1, 5, 9, 13);
    QuarterRound(x, 2, 6, 10, 14);
    QuarterRound(x, 3, 7, 11, 15);
    QuarterRound(x, 0, 5, 10, 15);
    QuarterRound(x, 1, 6, 11, 12);
    QuarterRound(x, 2, 7, 8, 13);
    QuarterRound(x, 3, 4, 9, 14);
  }
  for (size_t i = 0; i < x.size(); ++i) x[i] += state_[i];
  std::memcpy(block_.data(), x.data(), block_.size());
  // The block counter takes two words here, so that a stream never repeats.
  if (++state_[12] == 0) ++state_[13];
  used_ = 0;
}

void RandomStream::Fill(char* out, size_t size) {
  while (size > 0) {
    if (used_ == block_.size()) NextBlock();
    const size_t taken = std::min(size, block_.size() - used_);
    std::memcpy(out, block_.data() + used_, taken);
    used_ += taken;
    out += taken;
    size -= taken;
  }
}

}  // namespace paddock::vfs
