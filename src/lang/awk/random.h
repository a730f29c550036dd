// The random numbers of rand(), so that a seed gives the numbers that gawk 5.2 gives.
//
// What the real program does was established from its output: BSD's additive feedback generator of degree
// 63, its numbers shuffled through a table, two of them for one result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace paddock::awk {

class Random {
 public:
  explicit Random(uint32_t seed = 1) { Seed(seed); }
  void Seed(uint32_t seed);
  // At least 0 and below 1.
  double Next();

 private:
  uint32_t NextRaw();       // 31 bits
  uint32_t NextShuffled();  // 31 bits

  static constexpr size_t kDegree = 63;
  static constexpr size_t kSeparation = 1;
  static constexpr size_t kTable = 512;
  std::array<uint32_t, kDegree> state_{};
  std::array<uint32_t, kTable> table_{};
  size_t front_ = 0;
  size_t rear_ = 0;
  uint32_t last_ = 0;
};

}  // namespace paddock::awk
