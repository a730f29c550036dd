// Packed: numbers and byte strings one after the other, for what is kept in files.
//
// Numbers are little-endian base 128, seven bits a byte, in their shortest form only, so that equal values have equal
// bytes. Signed ones are zigzag. Byte strings follow their length. Nothing says what is what: both sides know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace paddock {

class PackedWriter {
 public:
  explicit PackedWriter(std::string& out) : out_(out) {}

  void Number(uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  void Signed(int64_t value) { Number((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }
  void Bool(bool value) { out_.push_back(value ? '\1' : '\0'); }
  void Bytes(std::string_view bytes) {
    Number(bytes.size());
    out_.append(bytes);
  }

 private:
  std::string& out_;
};

// Reads hostile bytes: after the first thing that cannot be, everything reads as zero or empty and ok() is false.
// Byte strings are views into what is read.
class PackedReader {
 public:
  explicit PackedReader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return !has_failed_; }
  bool at_end() const { return rest_.empty(); }
  // True when all was read and nothing was wrong.
  bool IsDone() const { return ok() && at_end(); }
  void Fail() {
    has_failed_ = true;
    rest_ = {};
  }

  uint64_t Number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      const bool is_last = byte < 0x80;
      if (shift == 63 && byte > 1) break;          // more than 64 bits
      if (is_last && byte == 0 && shift > 0) break;   // not the shortest form
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (is_last) return value;
    }
    Fail();
    return 0;
  }
  // At most `max`, or it fails.
  uint64_t Number(uint64_t max) {
    const uint64_t value = Number();
    if (value <= max) return value;
    Fail();
    return 0;
  }
  int64_t Signed() {
    const uint64_t value = Number();
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  bool Bool() { return Number(1) != 0; }
  // How many things follow that take at least `bytes_each` each.
  size_t Count(size_t bytes_each = 1) {
    const uint64_t count = Number();
    if (count <= rest_.size() / bytes_each) return static_cast<size_t>(count);
    Fail();
    return 0;
  }
  std::string_view Bytes() {
    const size_t count = Count();
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  std::string String() { return std::string(Bytes()); }

 private:
  std::string_view rest_;
  bool has_failed_ = false;
};

}  // namespace paddock
