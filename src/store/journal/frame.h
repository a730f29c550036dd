// Frames: the pieces of a journal file, each with its length, number and checksums.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace paddock::store {

inline constexpr std::string_view kJournalMagic = "pdkjrnl\1";

struct Frame {
  static constexpr size_t kHeaderBytes = 24;
  using Header = std::array<char, kHeaderBytes>;

  uint64_t sequence = 0;   // 0: the start, with the last number before it and the name of the base
  uint64_t length = 0;     // of the payload, in bytes
  uint32_t checksum = 0;   // CRC-32C of the payload

  static Frame Of(uint64_t sequence, std::initializer_list<std::string_view> payload);
  Header Pack() const;
  // False if the bytes are no header.
  static bool Unpack(const Header& bytes, Frame* frame);
};

}  // namespace paddock::store
