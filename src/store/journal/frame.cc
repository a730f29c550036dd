#include "store/journal/frame.h"

#include <bit>
#include <cstring>

#include "base/crc32c.h"

namespace paddock::store {

static_assert(std::endian::native == std::endian::little);

Frame Frame::Of(uint64_t sequence, std::initializer_list<std::string_view> payload) {
  Frame frame{.sequence = sequence};
  for (const std::string_view part : payload) {
    frame.length += part.size();
    frame.checksum = Crc32c(part, frame.checksum);
  }
  return frame;
}

Frame::Header Frame::Pack() const {
  Header bytes;
  std::memcpy(bytes.data() + 4, &checksum, 4);
  std::memcpy(bytes.data() + 8, &sequence, 8);
  std::memcpy(bytes.data() + 16, &length, 8);
  const uint32_t own = Crc32c(std::string_view(bytes.data() + 4, kHeaderBytes - 4));
  std::memcpy(bytes.data(), &own, 4);
  return bytes;
}

bool Frame::Unpack(const Header& bytes, Frame* frame) {
  uint32_t own;
  std::memcpy(&own, bytes.data(), 4);
  std::memcpy(&frame->checksum, bytes.data() + 4, 4);
  std::memcpy(&frame->sequence, bytes.data() + 8, 8);
  std::memcpy(&frame->length, bytes.data() + 16, 8);
  return own == Crc32c(std::string_view(bytes.data() + 4, kHeaderBytes - 4));
}

}  // namespace paddock::store
