// Stream: one conversation of the connection, from the request that opened it to its last frame.
#pragma once

#include "guest/protocol/frame.h"

namespace paddock::guest {

class Stream {
 public:
  virtual ~Stream() = default;
  // A data or window frame, or a message that this kind of stream may get. An error is a violation of the protocol: the
  // connection ends.
  virtual Status Receive(const Frame& frame) = 0;
  // The client has done with the stream, or the connection ends; the session forgets the stream behind this call.
  virtual void Reset() = 0;
};

}  // namespace paddock::guest
