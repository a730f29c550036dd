#include "text/random_permutation.h"

#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/budget.h"

namespace paddock {

uint64_t RandomChoices::Below(uint64_t count) {
  const uint64_t wanted = count - 1;
  while (true) {
    while (most_ < wanted) {
      value_ = value_ << 8 | next_byte_();
      most_ = most_ << 8 | 0xFF;
    }
    if (most_ == wanted) {
      most_ = 0;
      return std::exchange(value_, 0);
    }
    // Only whole multiples of `count` are fair; the rest is kept for another try.
    const uint64_t surplus = most_ - wanted;
    const uint64_t unfair = surplus % count;
    const uint64_t chosen = value_ % count;
    if (value_ <= most_ - unfair) {
      value_ /= count;
      most_ = surplus / count;
      return chosen;
    }
    value_ = chosen;
    most_ = unfair - 1;
  }
}

std::vector<uint64_t> RandomPermutation(RandomChoices& choices, uint64_t size, uint64_t count, Budget& budget) {
  budget.WillAllocate(size * sizeof(uint64_t));
  std::vector<uint64_t> chosen;
  constexpr uint64_t kDense = 4;
  if (count / kDense <= size) {
    // Most numbers move: all of them are written down.
    budget.WillAllocate(count * sizeof(uint64_t));
    chosen.resize(count);
    std::iota(chosen.begin(), chosen.end(), uint64_t{0});
    for (uint64_t i = 0; i < size; ++i) {
      budget.Step();
      std::swap(chosen[i], chosen[i + choices.Below(count - i)]);
    }
    chosen.resize(size);
    return chosen;
  }
  chosen.reserve(size);
  // Only numbers that have moved are remembered.
  std::unordered_map<uint64_t, uint64_t> moved;
  for (uint64_t i = 0; i < size; ++i) {
    budget.Step();
    const uint64_t j = i + choices.Below(count - i);
    const auto at_i = moved.find(i);
    const uint64_t here = at_i == moved.end() ? i : at_i->second;
    if (j == i) {
      chosen.push_back(here);
      continue;
    }
    const auto at_j = moved.find(j);
    chosen.push_back(at_j == moved.end() ? j : at_j->second);
    moved[j] = here;
  }
  return chosen;
}

}  // namespace paddock
