// Bytes of the store's encodings: little-endian numbers, minimal varints, counted strings. A reader
// checks every length against what is there and never throws; after the first failure everything it
// returns is empty and ok() is false.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "store/trees/object_id.h"

namespace paddock::trees {

class WireWriter {
 public:
  WireWriter() = default;
  // Goes on behind `text`.
  explicit WireWriter(std::string text) : out_(std::move(text)) {}
  void Byte(uint8_t value) { out_ += static_cast<char>(value); }
  void Fixed32(uint32_t value);
  void Fixed64(uint64_t value);
  void Varint(uint64_t value);
  // Zigzag: small negative numbers stay short.
  void Signed(int64_t value) {
    Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
  }
  void Bytes(std::string_view bytes) {
    Varint(bytes.size());
    out_ += bytes;
  }
  void Raw(std::string_view bytes) { out_ += bytes; }
  void Id(const ObjectId& id) { out_.append(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()); }
  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }
  void Clear() { out_.clear(); }
  size_t size() const { return out_.size(); }

 private:
  std::string out_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}
  uint8_t Byte();
  uint32_t Fixed32();
  uint64_t Fixed64();
  // Fails above `max` and on an encoding longer than needed.
  uint64_t Varint(uint64_t max = UINT64_MAX);
  int64_t Signed();
  std::string_view Bytes(size_t max);
  std::string_view Raw(size_t count);
  ObjectId Id();
  void Fail() {
    is_ok_ = false;
    rest_ = {};
  }
  bool ok() const { return is_ok_; }
  bool at_end() const { return rest_.empty(); }
  size_t remaining() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool is_ok_ = true;
};

}  // namespace paddock::trees
