#include "git/packet.h"

#include <algorithm>
#include <optional>

namespace paddock::git {
namespace {

constexpr size_t kHead = 4;
constexpr char kDigits[] = "0123456789abcdef";

// The length that four hexadecimal digits say.
std::optional<size_t> LengthOf(std::string_view head) {
  size_t length = 0;
  for (const char c : head) {
    const bool is_digit = c >= '0' && c <= '9', is_small = c >= 'a' && c <= 'f', is_large = c >= 'A' && c <= 'F';
    if (!is_digit && !is_small && !is_large) return std::nullopt;
    length = length * 16 + static_cast<size_t>(is_digit ? c - '0' : (is_small ? c - 'a' : c - 'A') + 10);
  }
  return length;
}

}  // namespace

std::string Packet(std::string_view content) {
  const size_t length = content.size() + kHead;
  std::string packet;
  for (int shift = 12; shift >= 0; shift -= 4) packet.push_back(kDigits[length >> shift & 15]);
  packet += content;
  return packet;
}

Status PacketReader::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    // What is held is a head at first, then a head and some of what it announces.
    size_t wanted = kHead;
    if (held_.size() >= kHead) wanted = *LengthOf(std::string_view(held_).substr(0, kHead));
    const size_t taken = std::min(wanted - held_.size(), bytes.size());
    held_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (held_.size() < wanted) return {};
    if (wanted == kHead) {
      const auto length = LengthOf(held_);
      // 1 to 3 are marks of protocol version 2, which nobody asked for.
      if (!length || (*length > 0 && *length < kHead) || *length > kMostPacket + kHead) return Error(Code::kCorrupt, "protocol error: bad line length character: " + (length ? held_ : std::string("?")));
      if (*length > kHead) continue;
    }
    const std::string packet = std::move(held_);
    held_.clear();
    PADDOCK_TRY(handler_(std::string_view(packet).substr(kHead), packet == kFlushPacket));
  }
  return {};
}

}  // namespace paddock::git
