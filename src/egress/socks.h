// SOCKS5 (RFC 1928) and SOCKS4, SOCKS4a, as a server reads and answers them. Only CONNECT, only without authentication.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/host_name.h"

namespace paddock::egress {

struct SocksRequest {
  int version = 5;
  policy::Host host;
  uint16_t port = 0;
};

enum class SocksReply { kGranted, kFailure, kNotAllowed, kUnreachable, kBadCommand, kBadAddress };

// A message that cannot be served: what to answer before closing, and why.
struct SocksProblem {
  SocksReply reply = SocksReply::kFailure;
  std::string reason;
};

// Each reads one message at the start of `bytes` and sets `size` to its length, 0 when it is not complete yet.
// The first of SOCKS5: does the client offer to go without authentication?
Result<bool> ParseSocks5Greeting(std::string_view bytes, size_t* size);
// The second of SOCKS5, or the only one of SOCKS4, by the first byte. On a problem that can be answered sets `problem`.
Result<std::optional<SocksRequest>> ParseSocksRequest(std::string_view bytes, size_t* size, SocksProblem* problem);

// The answer to a request of that version.
std::string SocksAnswer(int version, SocksReply reply);

}  // namespace paddock::egress
