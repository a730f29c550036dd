// The binary encoding of message fields: little-endian integers, byte strings with a 32-bit length, lists with a 32-bit
// count. Decoding is bounded and keeps going after a failure with empty values: ask ok() or Finish() at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::guest {

// Writes fields one behind the other.
class WireWriter {
 public:
  void U8(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void U16(uint16_t value) { Integer(value, 2); }
  void U32(uint32_t value) { Integer(value, 4); }
  void U64(uint64_t value) { Integer(value, 8); }
  void I32(int32_t value) { U32(static_cast<uint32_t>(value)); }
  void I64(int64_t value) { U64(static_cast<uint64_t>(value)); }
  void Bool(bool value) { U8(value ? 1 : 0); }
  void String(std::string_view value);
  void Strings(const std::vector<std::string>& values);
  std::string Take() { return std::move(bytes_); }

 private:
  void Integer(uint64_t value, int bytes);

  std::string bytes_;
};

// Reads fields out of `bytes`, which must outlive the reader. No read allocates more than the bytes that are there.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  uint8_t U8() { return static_cast<uint8_t>(Integer(1)); }
  uint16_t U16() { return static_cast<uint16_t>(Integer(2)); }
  uint32_t U32() { return static_cast<uint32_t>(Integer(4)); }
  uint64_t U64() { return Integer(8); }
  int32_t I32() { return static_cast<int32_t>(U32()); }
  int64_t I64() { return static_cast<int64_t>(U64()); }
  // Anything but 0 and 1 is a failure.
  bool Bool();
  // A string longer than `max_bytes` is a failure. The view points into the reader's bytes.
  std::string_view String(size_t max_bytes);
  // As String(), and a NUL in it is a failure: for what becomes a C string (paths, arguments).
  std::string Text(size_t max_bytes);
  // A list of at most `max_count` texts.
  std::vector<std::string> Texts(size_t max_count, size_t max_bytes);
  // A count of items of which each takes at least `min_item_bytes`: fails unless that many can follow.
  uint32_t Count(size_t max_count, size_t min_item_bytes);

  bool ok() const { return ok_; }
  bool AtEnd() const { return rest_.empty(); }
  void Fail() { ok_ = false; rest_ = {}; }
  // kInvalid "malformed NAME" unless every read was good and nothing is left.
  Status Finish(std::string_view name) const;

 private:
  uint64_t Integer(size_t bytes);

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace paddock::guest
