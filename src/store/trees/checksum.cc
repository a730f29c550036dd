#include "store/trees/checksum.h"

#include <array>
#include <bit>
#include <cstring>

namespace paddock::trees {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // reflected
using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b]: what byte b contributes when k bytes follow it in a step of eight.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = value;
  }
  for (uint32_t byte = 0; byte < 256; ++byte) {
    for (size_t k = 1; k < 8; ++k) {
      const uint32_t value = tables[k - 1][byte];
      tables[k][byte] = (value >> 8) ^ tables[0][value & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

uint32_t Checksum(std::string_view bytes, uint32_t before) {
  static_assert(std::endian::native == std::endian::little);
  uint32_t value = ~before;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    word ^= value;
    value = 0;
    for (size_t k = 0; k < 8; ++k) value ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; left > 0; --left, ++at) {
    value = (value >> 8) ^ kTables[0][(value ^ static_cast<uint8_t>(*at)) & 0xff];
  }
  return ~value;
}

}  // namespace paddock::trees
