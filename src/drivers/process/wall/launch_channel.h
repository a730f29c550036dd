// LaunchChannel: what the driver and a wall that is being built tell each other, over a socket of their own: the plan
// in; out come the wall's process, its listening sockets, warnings, and that it stands or why not. It is closed before
// any code of the sandbox runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::process_wall {

struct LaunchMessage {
  enum class Kind : uint8_t {
    kProcess,    // number: pid on the host; descriptor: its pidfd
    kListener,   // number: index in plan.listeners; descriptor: the socket
    kWarning,    // text: what this host could not give, though the wall stands
    kFailed,     // text: why there is no wall
    kReady,      // the wall stands; the guest protocol follows on the control socket
  };
  Kind kind = Kind::kFailed;
  int64_t number = 0;
  std::string text;
  int descriptor = -1;   // the receiver's to close
};

// Sends one message; a text is cut at 3,000 bytes. Errors: the socket's.
Status SendLaunchMessage(int socket, LaunchMessage::Kind kind, int64_t number = 0, std::string_view text = {},
                         int descriptor = -1);
// Waits up to `timeout_ms` for the next one. Errors: kTimedOut, kBrokenPipe when the other end is gone, the socket's.
Result<LaunchMessage> ReceiveLaunchMessage(int socket, int timeout_ms);

}  // namespace paddock::process_wall
