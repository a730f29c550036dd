// SM3, the hash of GB/T 32905-2016: 256 bits over blocks of 64 bytes. Here because no library has it
// apart from all of libcrypto.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace paddock {

class Sm3 {
 public:
  static constexpr size_t kSize = 32;
  void Update(std::string_view bytes);
  // The digest as bytes. Called once, last.
  std::string Finish();

 private:
  void Compress(const char* block);

  std::array<uint32_t, 8> state_ = {0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
                                    0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e};
  std::string pending_;   // less than a block
  uint64_t total_ = 0;    // bytes
};

}  // namespace paddock
