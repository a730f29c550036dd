#include "egress/name_table.h"

namespace paddock::egress {
namespace {

constexpr uint32_t kBase = 198u << 24 | 18u << 16;   // 198.18.0.0/15
constexpr uint32_t kFirst = 1u << 8;                 // the first addresses are left to whoever needs a fixed one

uint32_t NumberOf(const policy::IpAddress& address) {
  return static_cast<uint32_t>(address.bytes[0]) << 24 | static_cast<uint32_t>(address.bytes[1]) << 16 |
         static_cast<uint32_t>(address.bytes[2]) << 8 | address.bytes[3];
}

}  // namespace

bool NameTable::IsMapped(const policy::IpAddress& address) {
  return !address.is_v6 && (NumberOf(address) & 0xfffe0000u) == kBase;
}

std::optional<policy::IpAddress> NameTable::AddressOf(const std::string& name) {
  auto found = numbers_.find(name);
  if (found == numbers_.end()) {
    if (names_.size() >= kMost) return std::nullopt;
    found = numbers_.emplace(name, names_.size()).first;
    names_.push_back(name);
  }
  const uint32_t number = kBase + kFirst + static_cast<uint32_t>(found->second);
  return policy::IpAddress::V4(static_cast<uint8_t>(number >> 24), static_cast<uint8_t>(number >> 16),
                               static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number));
}

std::optional<std::string> NameTable::NameOf(const policy::IpAddress& address) const {
  if (!IsMapped(address)) return std::nullopt;
  const uint32_t offset = NumberOf(address) - kBase;
  if (offset < kFirst || offset - kFirst >= names_.size()) return std::nullopt;
  return names_[offset - kFirst];
}

}  // namespace paddock::egress
