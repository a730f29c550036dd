// The HTTP client of virtual sandboxes: libcurl without a socket, a resolver or a file of its own.
#pragma once

#include <memory>

#include "drivers/virtual/network_door.h"
#include "io/poll_waiter.h"
#include "proc/kernel.h"
#include "proc/network.h"

namespace paddock::sandbox {

// All outlive the client. Errors: kUnavailable without libcurl.
Result<std::unique_ptr<proc::HttpClient>> MakeHttpClient(NetworkDoor& door, proc::Kernel& kernel, io::PollWaiter& waiter);

}  // namespace paddock::sandbox
