#include "text/sha3.h"

#include <bit>

namespace paddock {
namespace {

constexpr int kRounds = 24;

// The constants of iota: bits of a linear feedback register at the places 2^j - 1.
constexpr std::array<uint64_t, kRounds> RoundConstants() {
  std::array<uint64_t, kRounds> constants{};
  unsigned state = 1;
  for (uint64_t& constant : constants) {
    for (int j = 0; j < 7; ++j) {
      if ((state & 1) != 0) constant |= uint64_t{1} << ((1 << j) - 1);
      state = state << 1 ^ ((state & 0x80) != 0 ? 0x171 : 0);
    }
  }
  return constants;
}
constexpr std::array<uint64_t, kRounds> kIota = RoundConstants();

}  // namespace

void Sha3::Permute() {
  for (const uint64_t constant : kIota) {
    uint64_t columns[5];
    for (size_t x = 0; x < 5; ++x) columns[x] = lanes_[x] ^ lanes_[x + 5] ^ lanes_[x + 10] ^ lanes_[x + 15] ^ lanes_[x + 20];
    for (size_t x = 0; x < 5; ++x) {
      const uint64_t mixed = columns[(x + 4) % 5] ^ std::rotl(columns[(x + 1) % 5], 1);
      for (size_t y = 0; y < 25; y += 5) lanes_[x + y] ^= mixed;
    }
    // rho and pi: each lane moves to another place, turned by a triangular number.
    size_t x = 1, y = 0;
    uint64_t moved = lanes_[1];
    for (int t = 0; t < 24; ++t) {
      const size_t next = (2 * x + 3 * y) % 5;
      x = y;
      y = next;
      std::swap(moved, lanes_[x + 5 * y]);
      lanes_[x + 5 * y] = std::rotl(lanes_[x + 5 * y], (t + 1) * (t + 2) / 2 % 64);
    }
    for (size_t row = 0; row < 25; row += 5) {
      const std::array<uint64_t, 5> old{lanes_[row], lanes_[row + 1], lanes_[row + 2], lanes_[row + 3], lanes_[row + 4]};
      for (size_t i = 0; i < 5; ++i) lanes_[row + i] = old[i] ^ (~old[(i + 1) % 5] & old[(i + 2) % 5]);
    }
    lanes_[0] ^= constant;
  }
}

void Sha3::Absorb(unsigned char byte) {
  lanes_[at_ / 8] ^= uint64_t{byte} << (8 * (at_ % 8));
  if (++at_ < rate_) return;
  Permute();
  at_ = 0;
}

void Sha3::Update(std::string_view bytes) {
  for (const char c : bytes) Absorb(static_cast<unsigned char>(c));
}

std::string Sha3::Finish() {
  lanes_[at_ / 8] ^= uint64_t{0x06} << (8 * (at_ % 8));
  lanes_[(rate_ - 1) / 8] ^= uint64_t{0x80} << (8 * ((rate_ - 1) % 8));
  Permute();
  std::string digest;
  for (size_t i = 0; i < size_; ++i) digest += static_cast<char>(lanes_[i / 8] >> (8 * (i % 8)));
  return digest;
}

}  // namespace paddock
