// Stream: one conversation of the connection, from the request that opened it to its last frame.
#pragma once

#include <vector>

#include "guest/agent/event_loop.h"
#include "guest/agent/outbox.h"
#include "guest/protocol/flow.h"

namespace paddock::guest {

class Stream {
 public:
  virtual ~Stream() = default;
  // A data or window frame, or a message that this kind of stream may get. An error is a violation of the protocol: the
  // connection ends.
  virtual Status Receive(const Frame& frame) = 0;
  // The client has done with the stream; the session forgets it behind this call.
  virtual void Reset() {}
};

// Where a stream lives.
struct StreamPlace {
  EventLoop& loop;
  Outbox& outbox;
  std::vector<uint32_t>& finished;   // numbers of streams that are over by themselves; the session forgets them
  uint32_t number;

  void Fail(int error_number, std::string_view text = {}) const {
    outbox.Error(number, error_number, Step::kNone, text);
    finished.push_back(number);
  }
  void Reply(std::string_view message = {}) const {
    outbox.Message(number, FrameType::kReply, message);
    finished.push_back(number);
  }
};

// A stream that sends data as the client grants it: answers window frames, and asks for data when there is credit.
class SendingStream : public Stream, protected Outbox::Source {
 public:
  explicit SendingStream(const StreamPlace& place) : place_(place) {}
  ~SendingStream() override { place_.outbox.Unschedule(*this); }

  Status Receive(const Frame& frame) override {
    if (frame.header.type != FrameType::kWindow || frame.header.flags != kChannelIn) {
      return Error(Code::kInvalid, "guest protocol: not a message to this stream");
    }
    PADDOCK_ASSIGN(const uint32_t bytes, DecodeU32(frame.payload));
    PADDOCK_TRY(credit_.Add(bytes));
    place_.outbox.Schedule(*this);
    return {};
  }

 protected:
  // How much may go into the next data frame.
  size_t Room() const { return std::min<size_t>(credit_.available(), kMaxPayloadBytes); }
  void SendData(std::string_view bytes) {
    credit_.Use(static_cast<uint32_t>(bytes.size()));
    place_.outbox.Frame(place_.number, FrameType::kData, kChannelIn, bytes);
  }

  const StreamPlace place_;
  SendCredit credit_;
};

}  // namespace paddock::guest
