// Numbers as packs and the index have them: 32 bits, the highest byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace paddock::git {

// `at` + 4 is at most the size of `text`.
inline uint32_t Read32(std::string_view text, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(text[at + i]);
  return value;
}

inline void Append32(std::string& text, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(value >> shift & 0xff));
}

}  // namespace paddock::git
