// ZygoteRequest: what a driver asks of its zygote (zygote.h), one message of a seqpacket socket each. Nothing is answered
// on that socket; a wall has its own (launch_channel.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "drivers/process/wall/launcher.h"
#include "drivers/process/wall/wiped_pages.h"

namespace paddock::process_wall {

struct ZygoteRequest {
  enum class Kind : uint8_t {
    kReserve,   // a wall may get these cgroups (text: directories, each with a NUL behind it), which go with it
    kLaunch,    // descriptors: launch socket, control socket, and the v2 group to be born in, if has_group
    kRelease,   // the wall has ended and its cgroups are gone
  };
  Kind kind = Kind::kReserve;
  bool has_group = false;
  uint64_t wall = 0;   // the driver's number for it
  WallOrder order;
};

inline constexpr size_t kMostRequestText = 32 << 10;

// Errors: kArgumentsTooLong, the socket's.
Status SendRequest(int zygote, const ZygoteRequest& request, std::string_view text, const std::vector<int>& descriptors);

struct ReceivedRequest {
  ZygoteRequest request;
  std::string_view text;                 // in the buffer
  std::vector<Descriptor> descriptors;   // fewer than were sent when this process has no numbers left for them
  bool is_end = false;                   // the driver is gone, or what came is no request
};

// Waits for the next one. `buffer` takes the text: kMostRequestText bytes.
ReceivedRequest ReceiveRequest(int socket, const WipedPages& buffer);

}  // namespace paddock::process_wall
