// Requests with one reply.
#pragma once

#include <string>
#include <string_view>

#include "guest/client/connection.h"

namespace paddock::guest {

// Sends the request and waits for the payload of its kReply. The agent's failure becomes an error about `what`.
Result<std::string> Ask(Connection& connection, FrameType type, std::string_view request, std::string_view what, Deadline deadline);

}  // namespace paddock::guest
