#include "guest/client/data_stream.h"

#include <algorithm>
#include <cstring>

#include "guest/client/failure.h"

namespace paddock::guest {
namespace {

Error Violation(const char* text) { return Error(Code::kInvalid, std::string("guest protocol: ") + text); }

}  // namespace

Status DataStream::Receive(const Frame& frame, Connection::Lock&) {
  PADDOCK_TRY(TakeIn(frame));
  if (on_change) on_change();
  return {};
}

Status DataStream::TakeIn(const Frame& frame) {
  if (reply || failure) return Violation("message behind the end of a stream");
  switch (frame.header.type) {
    case FrameType::kData:
      if (frame.header.flags != kChannelIn || has_ended || frame.payload.empty()) return Violation("data out of place");
      PADDOCK_TRY(window_.Receive(static_cast<uint32_t>(frame.payload.size())));
      received.append(frame.payload);
      return {};
    case FrameType::kEnd:
      if (frame.header.flags != kChannelIn || has_ended) return Violation("end out of place");
      has_ended = true;
      return {};
    case FrameType::kWindow: {
      PADDOCK_ASSIGN(const uint32_t bytes, DecodeU32(frame.payload));
      if (frame.header.flags != kChannelIn) return Violation("no such channel");
      return credit_.Add(bytes);
    }
    case FrameType::kOpened:
      if (opened) return Violation("stream opened twice");
      opened = std::string(frame.payload);
      return {};
    case FrameType::kReply:
      reply = std::string(frame.payload);
      return {};
    case FrameType::kError: {
      PADDOCK_ASSIGN(failure, DecodeFailure(frame.payload));
      return {};
    }
    default:
      return Violation("not a message of this stream");
  }
}

std::string DataStream::Take() {
  std::string taken = std::move(received);
  received.clear();
  Grant(taken.size());
  return taken;
}

size_t DataStream::Take(std::span<char> buffer) {
  const size_t count = std::min(buffer.size(), received.size());
  std::memcpy(buffer.data(), received.data(), count);
  received.erase(0, count);
  Grant(count);
  return count;
}

void DataStream::Grant(size_t bytes) {
  const uint32_t grant = window_.Consume(static_cast<uint32_t>(bytes));
  if (grant > 0 && !reply && !failure && !has_ended) connection_.Send(number, FrameType::kWindow, kChannelIn, EncodeU32(grant));
}

Status DataStream::Wait(Connection::Lock& lock, Deadline deadline, std::string_view what, const std::function<bool()>& is_true) {
  PADDOCK_TRY(connection_.Wait(lock, deadline, [&] { return is_true() || reply || failure; }));
  if (!is_true() && failure) return ErrorOf(*failure, what);
  return {};
}

Status DataStream::Write(Connection::Lock& lock, std::string_view bytes, Deadline deadline, std::string_view what) {
  while (!bytes.empty()) {
    PADDOCK_TRY(Wait(lock, deadline, what, [this] { return Room() > 0 && !failure; }));
    if (reply) return Violation("answer before the end of what was sent");
    const std::string_view piece = bytes.substr(0, Room());
    SendNow(piece);
    bytes.remove_prefix(piece.size());
  }
  return {};
}

size_t DataStream::Room() const { return connection_.IsCrowded() ? 0 : std::min<size_t>(credit_.available(), kMaxPayloadBytes); }

void DataStream::SendNow(std::string_view bytes) {
  credit_.Use(static_cast<uint32_t>(bytes.size()));
  connection_.Send(number, FrameType::kData, kChannelIn, bytes);
}

void DataStream::Drop() {
  if (!reply && !failure) connection_.Send(number, FrameType::kReset);
  connection_.Forget(number);
}

}  // namespace paddock::guest
