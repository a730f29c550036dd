// Encodings of characters by name: what iconv reads and writes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace paddock {

struct SingleByteTable {
  const char* name;
  std::array<uint16_t, 128> upper;
};
std::span<const SingleByteTable> SingleByteTables();

class CharEncoding {
 public:
  enum class Kind { kUtf8, kUtf16, kUtf16Little, kUtf16Big, kUtf32, kUtf32Little, kUtf32Big, kAscii, kLatin1, kTable };

  // By the names that the C library knows, in any case. Nothing for an unknown one.
  static std::optional<CharEncoding> Find(std::string_view name);
  Kind kind() const { return kind_; }

  struct Decoded {
    enum class State { kChar, kInvalid, kIncomplete } state;
    char32_t code = 0;
    size_t length = 0;   // bytes taken, also of what is invalid
  };
  // The character at the start of `bytes`, which is not empty. Byte order marks are characters here.
  Decoded Decode(std::string_view bytes) const;
  // False when the encoding has no such character.
  bool Encode(char32_t code, std::string& out) const;

  // The same with the order of bytes settled: for UTF-16 and UTF-32 by the mark at the start (which is counted in `mark`), else little.
  CharEncoding Settled(std::string_view start, size_t* mark) const;

 private:
  explicit CharEncoding(Kind kind, const SingleByteTable* table = nullptr) : kind_(kind), table_(table) {}
  Kind kind_;
  const SingleByteTable* table_;
};

// What stands for a character in an encoding that lacks it ("EUR" for a euro sign); empty when nothing does.
std::string Transliterate(char32_t code);

// All names, one set a line: for iconv -l.
std::string CharEncodingNames();

}  // namespace paddock
