// Chaining: a CONNECT through the HTTP proxy that the policy names. The proxy resolves the name, so the address check
// cannot hold there; docs/egress.md says so.
#pragma once

#include "egress/stream.h"
#include "policy/host_name.h"

namespace paddock::egress {

struct UpstreamProxy {
  policy::Host host;
  uint16_t port = 0;
  std::string authorization;   // value of Proxy-Authorization, or empty
};

// Reads http://[user:password@]host[:port][/]; user and password may be percent-encoded. Errors: kInvalid.
Result<UpstreamProxy> ParseUpstreamProxy(std::string_view url);

// Asks the connected proxy for `target` ("host:port"). Afterwards the stream is the target's. Errors: the proxy's answer as text.
Status AskUpstreamProxy(Stream& stream, const UpstreamProxy& proxy, const std::string& target, Deadline deadline);

}  // namespace paddock::egress
