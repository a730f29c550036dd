// Sockets that listen, are accepted, or connect.
#pragma once

#include <chrono>

#include "base/descriptor.h"
#include "net/address.h"
#include "net/request.h"

namespace paddock::net {

// Binds and listens; `address` gets the port that the system chose. A unix socket's file has exactly these permissions from its
// first moment; one that nobody listens on is replaced. Errors: the system's, with the address in the text.
Result<Descriptor> Listen(Address* address, unsigned unix_mode);
// One attempt. Errors: the system's (kAgain when nobody is there).
Result<Descriptor> Accept(int listener, Peer* peer);
// Connects to the first of the host's addresses that answers; the socket does not block afterwards. A name's look-up cannot be
// cancelled. Errors: the system's, kTimedOut, kCancelled (`cancel_fd` became readable), kUnavailable for an unknown name.
Result<Descriptor> Connect(const Address& address, std::chrono::milliseconds time, int cancel_fd = -1);

}  // namespace paddock::net
