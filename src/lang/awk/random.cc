#include "lang/awk/random.h"

namespace paddock::awk {

void Random::Seed(uint32_t seed) {
  // Park and Miller's generator fills the state; Schrage's way keeps the product within 32 bits.
  auto word = static_cast<int32_t>(seed);
  state_[0] = seed;
  for (size_t i = 1; i < kDegree; ++i) {
    if (word == 0) word = 123459876;
    const int32_t high = word / 127773;
    const int32_t low = word % 127773;
    word = 16807 * low - 2836 * high;
    if (word < 0) word += 2147483647;
    state_[i] = static_cast<uint32_t>(word);
  }
  front_ = kSeparation;
  rear_ = 0;
  for (uint32_t& entry : table_) entry = NextRaw();
  last_ = NextRaw();
  for (size_t i = 0; i < 10 * kDegree; ++i) NextShuffled();
}

uint32_t Random::NextRaw() {
  state_[front_] += state_[rear_];
  const uint32_t bits = state_[front_] >> 1;
  front_ = (front_ + 1) % kDegree;
  rear_ = (rear_ + 1) % kDegree;
  return bits;
}

uint32_t Random::NextShuffled() {
  uint32_t& entry = table_[last_ % kTable];
  last_ = entry;
  entry = NextRaw();
  return last_;
}

double Random::Next() {
  constexpr double kDivisor = 2147483648.0;
  double number = 0;
  do {
    const double first = NextShuffled();
    const double second = NextShuffled();
    number = 0.5 + (first / kDivisor + second) / kDivisor;
    number -= 0.5;
  } while (number >= 1.0);
  return number;
}

}  // namespace paddock::awk
