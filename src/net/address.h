// Where a server listens and a client connects: TCP over IPv4 or IPv6, or a unix socket.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::net {

struct Address {
  bool is_unix = false;
  std::string host;     // of TCP: a name or a number, IPv6 without brackets; of unix: the path
  uint16_t port = 0;    // of TCP; 0 lets the system choose, for listening only

  friend bool operator==(const Address&, const Address&) = default;
};

// Reads "127.0.0.1:7420", "[::1]:0", "localhost:80" and "unix:/run/paddock.sock". Errors: kSyntax.
Result<Address> ParseAddress(std::string_view text);
// The same form back.
std::string FormatAddress(const Address& address);

// A host as it stands in a Host header or an authority, without its port and in lower case: "localhost", "[::1]".
// Errors: kInvalid for what is no host with an optional port.
Result<std::string> HostWithoutPort(std::string_view host);
// True for the names under which a browser on this machine reaches a server on this machine: localhost and names below it,
// 127.0.0.0/8 and [::1]. `host` as HostWithoutPort() gives it.
bool IsLoopbackHost(std::string_view host);

}  // namespace paddock::net
