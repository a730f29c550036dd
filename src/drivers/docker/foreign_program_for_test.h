// For tests: a program that no kernel of this architecture executes, to stand in the agent's place.
#pragma once

#include <cstdint>
#include <string>

namespace paddock::docker {

inline std::string ForeignProgram() {
  std::string bytes("\x7f" "ELF\x02\x01\x01", 7);
  bytes.resize(64 + 56);
  const auto put = [&](size_t at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
  };
  put(16, 2, 2);             // an executable
#ifdef __aarch64__
  put(18, 243, 2);           // for RISC-V
#else
  put(18, 183, 2);           // for AArch64
#endif
  put(20, 1, 4);
  put(24, 0x400078, 8);      // where it begins
  put(32, 64, 8);            // its one segment's header
  put(52, 64, 2);
  put(54, 56, 2);
  put(56, 1, 2);
  put(64, 1, 4);             // to be loaded, read and executed
  put(68, 5, 4);
  put(80, 0x400000, 8);
  put(88, 0x400000, 8);
  put(96, bytes.size(), 8);
  put(104, bytes.size(), 8);
  put(112, 0x1000, 8);
  return bytes;
}

}  // namespace paddock::docker
