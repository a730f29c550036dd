#include "text/byte_count.h"

#include <cstring>

namespace paddock {
namespace {

// Written with the compilers' vector types, as -O2 alone does not vectorise such a loop.
typedef uint8_t Lanes __attribute__((vector_size(16)));

}  // namespace

uint64_t CountByte(std::string_view bytes, char wanted) {
  constexpr size_t kWidth = sizeof(Lanes);
  constexpr size_t kUnrolled = 4;   // sums that do not wait for each other
  constexpr size_t kStride = kUnrolled * kWidth;
  constexpr size_t kRounds = 255;   // until a lane could overflow
  const Lanes pattern = Lanes{} + static_cast<uint8_t>(wanted);
  uint64_t count = 0;
  const char* at = bytes.data();
  size_t left = bytes.size();
  while (left >= kStride) {
    Lanes sums[kUnrolled] = {};
    for (size_t round = 0; round < kRounds && left >= kStride; ++round, at += kStride, left -= kStride) {
#pragma GCC unroll 4
      for (size_t i = 0; i < kUnrolled; ++i) {
        Lanes lanes;
        std::memcpy(&lanes, at + i * kWidth, kWidth);
        sums[i] -= reinterpret_cast<Lanes>(lanes == pattern);
      }
    }
    for (const Lanes& sum : sums) {
      for (size_t i = 0; i < kWidth; ++i) count += sum[i];
    }
  }
  for (; left > 0; ++at, --left) count += *at == wanted;
  return count;
}

}  // namespace paddock
