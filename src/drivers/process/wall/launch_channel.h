// LaunchChannel: what the driver and a wall that is being built tell each other, over a socket of their own: the plan and
// its sources in; out come the wall's process, its listening sockets, warnings, and that it stands or why not. It is closed
// before any code of the sandbox runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace paddock::process_wall {

struct LaunchMessage {
  enum class Kind : uint8_t {
    kProcess,    // number: pid on the host; descriptor: its pidfd
    kListener,   // number: index in plan.listeners; descriptor: the socket
    kDenials,    // descriptor: a pipe from which paths of sockets come that were refused, each with a NUL behind it
    kWarning,    // text: what this host could not give, though the wall stands
    kFailed,     // text: why there is no wall
    kReady,      // the wall stands; the guest protocol follows on the control socket
  };
  Kind kind = Kind::kFailed;
  int64_t number = 0;
  std::string text;
  int descriptor = -1;   // the receiver's to close
};

// Errors of all: the socket's; kBrokenPipe when the other end is gone, kTimedOut when it does not read for the socket's time.

// Sends one message; a text is cut at 3,000 bytes.
Status SendLaunchMessage(int socket, LaunchMessage::Kind kind, int64_t number = 0, std::string_view text = {},
                         int descriptor = -1);
// Waits up to `timeout_ms` for the next one. What was sent before the other end went is received first. Errors: kTimedOut, too.
Result<LaunchMessage> ReceiveLaunchMessage(int socket, int timeout_ms);

// Bytes of any number, as a length and pieces.
Status SendBytes(int socket, std::string_view bytes);
Result<std::string> ReceiveBytes(int socket);
// Descriptors of any number; the receiver has to know how many.
Status SendDescriptors(int socket, const std::vector<int>& descriptors);
Result<std::vector<Descriptor>> ReceiveDescriptors(int socket, size_t count);

}  // namespace paddock::process_wall
