#include "guest/protocol/wire.h"

namespace paddock::guest {

void WireWriter::Integer(uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

void WireWriter::String(std::string_view value) {
  U32(static_cast<uint32_t>(value.size()));
  bytes_.append(value);
}

void WireWriter::Strings(const std::vector<std::string>& values) {
  U32(static_cast<uint32_t>(values.size()));
  for (const std::string& value : values) String(value);
}

uint64_t WireReader::Integer(size_t bytes) {
  if (rest_.size() < bytes) {
    Fail();
    return 0;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= static_cast<uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
  rest_.remove_prefix(bytes);
  return value;
}

bool WireReader::Bool() {
  const uint8_t value = U8();
  if (value > 1) Fail();
  return value == 1;
}

std::string_view WireReader::String(size_t max_bytes) {
  const uint32_t size = U32();
  if (!ok_ || size > max_bytes || size > rest_.size()) {
    Fail();
    return {};
  }
  const std::string_view value = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return value;
}

std::string WireReader::Text(size_t max_bytes) {
  const std::string_view value = String(max_bytes);
  if (value.find('\0') != std::string_view::npos) {
    Fail();
    return {};
  }
  return std::string(value);
}

uint32_t WireReader::Count(size_t max_count, size_t min_item_bytes) {
  const uint32_t count = U32();
  if (!ok_ || count > max_count || count > rest_.size() / min_item_bytes) {
    Fail();
    return 0;
  }
  return count;
}

std::vector<std::string> WireReader::Texts(size_t max_count, size_t max_bytes) {
  const uint32_t count = Count(max_count, 4);
  std::vector<std::string> values;
  for (uint32_t i = 0; i < count && ok_; ++i) values.push_back(Text(max_bytes));
  return values;
}

Status WireReader::Finish(std::string_view name) const {
  if (ok_ && rest_.empty()) return {};
  return Error(Code::kInvalid, "malformed " + std::string(name) + " message");
}

}  // namespace paddock::guest
