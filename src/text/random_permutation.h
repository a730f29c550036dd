// Random choices out of a stream of bytes, such that equal bytes give the choices that GNU's shuf makes.
//
// Source: GNU coreutils manual, "Random sources": choices use as few bytes as they can, and what is left of
// a byte serves the next choice.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace paddock {

class Budget;

class RandomChoices {
 public:
  // `next_byte` gives the bytes, each used once.
  explicit RandomChoices(std::function<uint8_t()> next_byte) : next_byte_(std::move(next_byte)) {}

  // A number below `count` (0 means 2^64), all equally likely.
  uint64_t Below(uint64_t count);

 private:
  std::function<uint8_t()> next_byte_;
  // A number at hand that is uniform in [0, most_].
  uint64_t value_ = 0;
  uint64_t most_ = 0;
};

// The first `size` numbers of a random permutation of those below `count`.
std::vector<uint64_t> RandomPermutation(RandomChoices& choices, uint64_t size, uint64_t count, Budget& budget);

}  // namespace paddock
