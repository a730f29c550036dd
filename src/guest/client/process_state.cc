#include "guest/client/process_state.h"

#include <cstring>

namespace paddock::guest {
namespace {

Error Violation(const char* text) { return Error(Code::kInvalid, std::string("guest protocol: ") + text); }

Result<Channel> ChannelOf(uint16_t flags) {
  if (flags == kChannelOut) return Channel::kOut;
  if (flags == kChannelError) return Channel::kError;
  return Violation("no such channel");
}

}  // namespace

GuestProcess::State::State(Connection& owner, std::string program, ProcessHandlers user_handlers, uint32_t output_window)
    : connection(owner), name(std::move(program)), handlers(std::move(user_handlers)) {
  for (Output& output : outputs_) output.window = ReceiveWindow(output_window);
}

Status GuestProcess::State::Receive(const Frame& frame, Connection::Lock& lock) {
  if (!started && frame.header.type != FrameType::kStarted && frame.header.type != FrameType::kError) {
    return Violation("message of a process that has not started");
  }
  switch (frame.header.type) {
    case FrameType::kStarted:
      return ReceiveStarted(frame.payload);
    case FrameType::kError: {
      if (started) return Violation("failure of a process that has started");
      PADDOCK_ASSIGN(failure, DecodeFailure(frame.payload));
      return {};
    }
    case FrameType::kOutput:
      return ReceiveOutput(frame, lock);
    case FrameType::kEnd: {
      PADDOCK_ASSIGN(const Channel channel, ChannelOf(frame.header.flags));
      if (output(channel).has_ended) return Violation("second end of output");
      output(channel).has_ended = true;
      Call(lock, handlers.on_end, channel);
      return {};
    }
    case FrameType::kExited:
      return ReceiveExited(frame.payload, lock);
    case FrameType::kWindow: {
      PADDOCK_ASSIGN(const uint32_t bytes, DecodeU32(frame.payload));
      if (frame.header.flags != kChannelIn) return Violation("no such channel");
      return input_credit.Add(bytes);
    }
    case FrameType::kInputClosed:
      input_is_closed = true;
      return {};
    case FrameType::kTreeKilled: {
      PADDOCK_ASSIGN(const uint32_t left, DecodeU32(frame.payload));
      // Unasked when nobody is left behind the program.
      if (!tree_kill_is_under_way && (!exit || left != 0)) return Violation("answer without a question");
      if (!tree_kill_is_under_way) tree_has_ended = true;
      tree_kill_left = left;
      return {};
    }
    case FrameType::kReset:
      was_taken_over = true;
      return {};
    default:
      return Violation("not a message of a process");
  }
}

Status GuestProcess::State::ReceiveStarted(std::string_view payload) {
  if (started) return Violation("process started twice");
  PADDOCK_ASSIGN(const Started message, DecodeStarted(payload));
  if (message.process == 0 || message.pid <= 0) return Violation("malformed started message");
  if (is_attached) {
    input_credit = SendCredit(message.input_window);
    has_input = message.input_window > 0;
  }
  outputs_[0].first = outputs_[0].next = message.out_offset;
  outputs_[1].first = outputs_[1].next = message.error_offset;
  started = message;
  return {};
}

Status GuestProcess::State::ReceiveOutput(const Frame& frame, Connection::Lock& lock) {
  PADDOCK_ASSIGN(const Channel channel, ChannelOf(frame.header.flags));
  Output& out = output(channel);
  if (frame.payload.size() <= 8) return Violation("output without bytes");
  PADDOCK_ASSIGN(const uint64_t offset, DecodeU64(frame.payload.substr(0, 8)));
  const std::string_view bytes = frame.payload.substr(8);
  if (out.has_ended || offset != out.next || bytes.size() > ~uint64_t{0} - offset) return Violation("output out of order");
  PADDOCK_TRY(out.window.Receive(static_cast<uint32_t>(bytes.size())));
  out.next += bytes.size();
  if (!handlers.on_output) {
    out.buffered.append(bytes);
    return {};
  }
  Call(lock, handlers.on_output, channel, offset, bytes);
  if (!handlers.grants_later) Consume(channel, bytes.size());
  return {};
}

void GuestProcess::State::Consume(Channel channel, size_t bytes) {
  Output& out = output(channel);
  const uint32_t grant = out.window.Consume(static_cast<uint32_t>(bytes));
  if (grant == 0 || out.has_ended) return;
  connection.Send(stream, FrameType::kWindow, channel == Channel::kOut ? kChannelOut : kChannelError, EncodeU32(grant));
}

Status GuestProcess::State::ReceiveExited(std::string_view payload, Connection::Lock& lock) {
  if (exit) return Violation("process ended twice");
  PADDOCK_ASSIGN(const Exited message, DecodeExited(payload));
  ExitStatus status;
  (message.by_signal ? status.signal : status.code) = message.code;
  status.dumped_core = message.dumped_core;
  status.usage = message.usage;
  exit = status;
  Call(lock, handlers.on_exit, status);
  return {};
}

}  // namespace paddock::guest
