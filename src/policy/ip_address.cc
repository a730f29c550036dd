#include "policy/ip_address.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstring>

namespace paddock::policy {

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  char buffer[INET6_ADDRSTRLEN + 1] = {};
  if (text.empty() || text.size() > INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return std::nullopt;
  std::memcpy(buffer, text.data(), text.size());
  IpAddress address;
  address.is_v6 = text.find(':') != std::string_view::npos;
  if (inet_pton(address.is_v6 ? AF_INET6 : AF_INET, buffer, address.bytes.data()) != 1) return std::nullopt;
  return address;
}

IpAddress IpAddress::V4(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
  IpAddress address;
  address.bytes = {a, b, c, d};
  return address;
}

std::string IpAddress::Text() const {
  char buffer[INET6_ADDRSTRLEN] = {};
  inet_ntop(is_v6 ? AF_INET6 : AF_INET, bytes.data(), buffer, sizeof buffer);
  return buffer;
}

std::optional<Cidr> Cidr::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  const auto base = IpAddress::Parse(text.substr(0, slash));
  if (!base) return std::nullopt;
  const int longest = base->is_v6 ? 128 : 32;
  Cidr block{*base, longest};
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), block.prefix);
    if (error != std::errc() || end != digits.data() + digits.size() || block.prefix < 0 || block.prefix > longest ||
        (digits.size() > 1 && digits[0] == '0')) {
      return std::nullopt;
    }
  }
  for (int bit = block.prefix; bit < longest; ++bit) {
    if (base->bytes[static_cast<size_t>(bit / 8)] & (0x80 >> (bit % 8))) return std::nullopt;
  }
  return block;
}

bool Cidr::Contains(const IpAddress& address) const {
  if (address.is_v6 != base.is_v6) return false;
  const size_t whole = static_cast<size_t>(prefix / 8);
  if (std::memcmp(address.bytes.data(), base.bytes.data(), whole) != 0) return false;
  const int rest = prefix % 8;
  if (rest == 0) return true;
  const int mask = 0xff00 >> rest & 0xff;
  return ((address.bytes[whole] ^ base.bytes[whole]) & mask) == 0;
}

}  // namespace paddock::policy
