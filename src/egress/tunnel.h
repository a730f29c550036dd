// A client that asked for a connection (CONNECT, SOCKS, a captured connection): judged by its destination first, then by
// the first bytes that it sends.
//
// TLS must carry the destination's name as its server name; where the rules or a secret ask for it, it is opened and holds
// HTTP. HTTP is judged request by request. Anything else passes only
// where the rules allow the port whatever it carries, and never on port 80.
#pragma once

#include <functional>

#include "egress/gate.h"
#include "egress/services.h"

namespace paddock::egress {

// How the asking protocol answers; called at most once, one of the two.
struct TunnelReply {
  std::function<Status()> grant;
  std::function<void(const Refusal&)> refuse;
};

// Serves it to its end. `client` reads `socket`.
void ServeTunnel(const Services& services, Socket& socket, Input& client, Destination to, const TunnelReply& reply);

}  // namespace paddock::egress
