// RandomStream: the bytes of /dev/urandom, a ChaCha20 key stream. Source: RFC 8439.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace paddock::vfs {

class RandomStream {
 public:
  // Streams with different numbers are independent.
  RandomStream(const std::array<uint8_t, 32>& key, uint64_t number);
  void Fill(char* out, size_t size);

 private:
  void NextBlock();

  std::array<uint32_t, 16> state_;
  std::array<char, 64> block_;
  size_t used_ = 64;
};

}  // namespace paddock::vfs
