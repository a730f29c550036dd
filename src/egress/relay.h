// Relay: carries bytes both ways between two streams until both have ended. What one end does not take the other does not
// send (nothing is stored beyond one piece); an end in one direction is passed on and the other direction lives.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "egress/stream.h"

namespace paddock::egress {

// Starts with what the inputs hold already. Returns when both directions have ended, one has failed, or `idle` has passed
// without a byte. The streams are aborted unless both ends were orderly. `admit_client` is asked once, before the
// client's first byte is passed on, and may wait for it in `client`.
// What is passed on for each piece that comes; an error ends the relay.
using RelayFilter = std::function<Result<std::string>(std::string_view piece)>;

void Relay(Reactor& reactor, Input& client, Input& upstream, Nanoseconds idle, const std::function<bool()>& admit_client = {});
// The same through filters: `up` of what the client sends, `down` of what it gets.
void RelayFiltered(Reactor& reactor, Input& client, Input& upstream, Nanoseconds idle, const RelayFilter& up, const RelayFilter& down);

}  // namespace paddock::egress
