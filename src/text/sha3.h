// SHA-3 of FIPS 202: the fixed-length digests of Keccak, streamed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace paddock {

class Sha3 {
 public:
  // `bits`: 224, 256, 384 or 512.
  explicit Sha3(int bits) : size_(static_cast<size_t>(bits) / 8), rate_(200 - 2 * size_) {}
  void Update(std::string_view bytes);
  // The digest as bytes. Called once, last.
  std::string Finish();

 private:
  void Absorb(unsigned char byte);
  void Permute();

  const size_t size_, rate_;
  std::array<uint64_t, 25> lanes_{};
  size_t at_ = 0;   // in the block of `rate_` bytes
};

}  // namespace paddock
