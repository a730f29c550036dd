// What a client of each kind of listener is met with.
#pragma once

#include "egress/tunnel.h"

namespace paddock::egress {

// The mixed port: HTTP, CONNECT, SOCKS5 or SOCKS4a by the first byte.
void ServeProxyClient(const Services& services, Socket& socket, AddressFamily family = AddressFamily::kAny);
// A captured connection. `to`: where the client wanted to go.
void ServeTransparentClient(const Services& services, Socket& socket, const Endpoint& to);
// A port of the host's loopback.
void ServeHostPortClient(const Services& services, Socket& socket, uint16_t port);

}  // namespace paddock::egress
