// Host names as rules and clients write them, in one canonical form: what cannot be compared safely is refused, never cleaned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/ip_address.h"

namespace paddock::policy {

// A destination: a name or a literal address.
struct Host {
  std::string text;                    // lower case, without a trailing dot or brackets
  std::optional<IpAddress> address;    // set when the host is a literal

  bool operator==(const Host&) const = default;
};

// Reads "Example.ORG.", "192.0.2.1", "2001:db8::1", "[2001:db8::1]". Errors (kInvalid, text says why): a byte outside
// letters, digits, '-', '_' and '.' (other alphabets are written in their xn-- form), empty or over-long labels, zone
// indices, and everything that some program would take for an address although it is not spelt canonically.
Result<Host> ParseHost(std::string_view text);

struct HostPort {
  Host host;
  uint16_t port = 0;   // 1 … 65535
};

// "host:port", "[v6]:port"; without a port `default_port`, when that is not 0.
Result<HostPort> ParseHostPort(std::string_view text, uint16_t default_port);

// "example.org:443", "[2001:db8::1]:443".
std::string HostPortText(const Host& host, uint16_t port);

}  // namespace paddock::policy
