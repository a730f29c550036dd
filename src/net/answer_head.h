// Heads of answers as they go out.
#pragma once

#include <string>

#include "net/request.h"

namespace paddock::net {

// How the body behind a head ends.
struct AnswerFraming {
  enum class Kind { kNone, kLength, kChunked, kUntilEnd } kind = Kind::kNone;
  uint64_t length = 0;
};
enum class ConnectionField { kNone, kClose, kKeepAlive, kUpgrade };

// Appends a head with Date. Errors: kInvalid for a status outside 200 … 599 (101 with kUpgrade), a name or value that cannot be
// sent, and fields that the server sets itself.
Status AppendAnswerHead(std::string* out, int status, const Headers& headers, AnswerFraming framing, ConnectionField connection);

}  // namespace paddock::net
