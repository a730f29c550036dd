// Requests with one reply.
#pragma once

#include <string>
#include <string_view>

#include "guest/client/connection.h"

namespace paddock::guest {

// Sends the request and waits for the payload of its kReply. The agent's failure becomes an error about `what`.
Result<std::string> Ask(Connection& connection, FrameType type, std::string_view request, std::string_view what, Deadline deadline);

// Waits for the agent's greeting. kUnavailable unless both ends speak this version or a later one.
Status RequireVersion(Connection& connection, Connection::Lock& lock, uint16_t version, Deadline deadline);

// kInvalid unless the agent would take this request, which it decodes with `kDecode`: what it would not take ends the
// connection, and with it everything inside.
template <auto kDecode>
Status CheckRequest(std::string_view request, std::string_view what) {
  if (kDecode(request)) return {};
  return Error(Code::kInvalid, std::string(what) + ": a path, name or value is empty, too long, or holds a NUL");
}

}  // namespace paddock::guest
