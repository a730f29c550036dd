// Connections: to servers inside, and from programs inside to servers of the client's.
#pragma once

#include <functional>
#include <memory>

#include "guest/agent/stream.h"
#include "guest/protocol/port_messages.h"

namespace paddock::guest {

// Each answers with an error and gives null when it cannot even begin.
std::unique_ptr<Stream> DialStream(const StreamPlace& place, const DialRequest& request);

// Called with every connection that a listener takes. False when there is no room for it now.
using AcceptHandler = std::function<bool(Descriptor connection, std::string peer)>;
std::unique_ptr<Stream> ListenStream(const StreamPlace& place, const ListenRequest& request, AcceptHandler handler);
// The stream of a connection that stands already.
std::unique_ptr<Stream> ConnectionStream(const StreamPlace& place, Descriptor connection);

}  // namespace paddock::guest
