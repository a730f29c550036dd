#include "store/trees/wire.h"

#include <cstring>

namespace paddock::trees {

void WireWriter::Fixed32(uint32_t value) {
  for (int i = 0; i < 4; ++i) Byte(static_cast<uint8_t>(value >> (8 * i)));
}

void WireWriter::Fixed64(uint64_t value) {
  for (int i = 0; i < 8; ++i) Byte(static_cast<uint8_t>(value >> (8 * i)));
}

void WireWriter::Varint(uint64_t value) {
  while (value >= 0x80) {
    Byte(static_cast<uint8_t>(value | 0x80));
    value >>= 7;
  }
  Byte(static_cast<uint8_t>(value));
}

std::string_view WireReader::Raw(size_t count) {
  if (count > rest_.size()) {
    Fail();
    return {};
  }
  const std::string_view bytes = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return bytes;
}

uint8_t WireReader::Byte() {
  const std::string_view bytes = Raw(1);
  return bytes.empty() ? uint8_t{0} : static_cast<uint8_t>(bytes[0]);
}

uint32_t WireReader::Fixed32() {
  const std::string_view bytes = Raw(4);
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

uint64_t WireReader::Fixed64() {
  const std::string_view bytes = Raw(8);
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

uint64_t WireReader::Varint(uint64_t max) {
  uint64_t value = 0;
  for (unsigned shift = 0; is_ok_; shift += 7) {
    const uint8_t byte = Byte();
    if (!is_ok_) return 0;
    const uint64_t bits = byte & 0x7f;
    if (shift > 63 || (shift == 63 && bits > 1) || (byte == 0 && shift > 0)) break;
    value |= bits << shift;
    if ((byte & 0x80) == 0) {
      if (value > max) break;
      return value;
    }
  }
  Fail();
  return 0;
}

int64_t WireReader::Signed() {
  const uint64_t value = Varint();
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

std::string_view WireReader::Bytes(size_t max) { return Raw(static_cast<size_t>(Varint(max))); }

ObjectId WireReader::Id() {
  ObjectId id;
  const std::string_view bytes = Raw(ObjectId::kSize);
  if (!bytes.empty()) std::memcpy(id.bytes.data(), bytes.data(), bytes.size());
  return id;
}

}  // namespace paddock::trees
