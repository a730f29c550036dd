// IP addresses and blocks of them (CIDR), as values. Only canonical spellings are read: four decimal numbers without
// leading zeros, or RFC 4291 text. What programs elsewhere also take for an address (0x7f.1, 2130706433, 0177.0.0.1) is
// not one here; host_name.h refuses it as a name as well.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace paddock::policy {

struct IpAddress {
  bool is_v6 = false;
  std::array<uint8_t, 16> bytes{};   // network order; IPv4 uses the first four and leaves the rest 0

  static std::optional<IpAddress> Parse(std::string_view text);
  static IpAddress V4(uint8_t a, uint8_t b, uint8_t c, uint8_t d);

  // "192.0.2.1", "2001:db8::1" (RFC 5952; without brackets).
  std::string Text() const;

  auto operator<=>(const IpAddress&) const = default;
};

struct Cidr {
  IpAddress base;   // bits behind the prefix are 0
  int prefix = 0;   // 0 … 32 or 128

  // "10.0.0.0/8", or an address alone for a block of one. Nothing when bits behind the prefix are set.
  static std::optional<Cidr> Parse(std::string_view text);
  bool Contains(const IpAddress& address) const;
  bool IsSingle() const { return prefix == (base.is_v6 ? 128 : 32); }
};

}  // namespace paddock::policy
