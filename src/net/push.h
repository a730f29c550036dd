// Streams to a client that need no thread: server-sent events and WebSockets.
//
// Sending never waits: what the client does not take at once is queued, up to a bound. Above it Send() refuses and says so; the
// caller drops, waits for on_drained, or closes. Nothing is left out silently.
//
// Threads: every member may be called from any thread. Callbacks come from the server's threads, one at a time for a stream,
// first after the handler has returned, never after on_closed, which comes exactly once. They may call members of the stream. One
// that waits long holds a thread of the server. A stream that is dropped without Close() is closed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::net {

struct EventStreamOptions {
  size_t queue_bytes = 256 << 10;                  // the most that waits for the client
  std::chrono::milliseconds heartbeat{15'000};     // a comment when nothing was sent for so long; 0 never
  std::function<void()> on_closed;                 // by the client, by Close(), or by the server's stop
  std::function<void()> on_drained;                // after a refusal: at most half of the queue is left
};

struct Event {
  std::string id, name;    // of one line; empty ones are left out
  std::string data;        // any text; lines become several data fields
};

// An event on the wire (HTML Living Standard §9.2). Errors: kInvalid for a line break in id or name, or NUL in id.
Result<std::string> EncodeEvent(const Event& event);

class EventStream {
 public:
  virtual ~EventStream() = default;
  // Errors: kBrokenPipe when closed, kLimit when the queue has no room (nothing of the event is queued), kInvalid as
  // EncodeEvent().
  virtual Status Send(const Event& event) = 0;
  // The same for what EncodeEvent() made: encode once, send to many.
  virtual Status SendEncoded(std::string_view bytes) = 0;
  // Ends the stream after what is queued.
  virtual void Close() = 0;
  virtual bool is_closed() const = 0;
  virtual size_t queued_bytes() const = 0;
};

// Close codes of RFC 6455 §7.4.1 that an application sends.
constexpr uint16_t kCloseNormal = 1000, kCloseGoingAway = 1001, kClosePolicy = 1008, kCloseTooBig = 1009, kCloseInternal = 1011;
// Never on the wire: a close frame without a code; an end without a close frame.
constexpr uint16_t kCloseNone = 1005, kCloseAbnormal = 1006;

struct WebSocketOptions {
  size_t queue_bytes = 1 << 20;
  size_t message_bytes = 1 << 20;                  // the longest message from the client; a longer one closes with 1009
  std::chrono::milliseconds heartbeat{
      15'000};  // a ping when nothing came for so long; nothing for three times as long closes; 0 never
  std::string subprotocol;                         // sent back when the client offers it; when it does not, none is
  std::function<void(bool is_text, std::string_view message)> on_message;   // text is valid UTF-8
  std::function<void(uint16_t code, std::string_view reason)> on_closed;
  std::function<void()> on_drained;
};

class WebSocket {
 public:
  virtual ~WebSocket() = default;
  // Errors: kBrokenPipe when closed or closing, kLimit when the queue has no room, kInvalid for text that is not UTF-8.
  virtual Status SendText(std::string_view text) = 0;
  virtual Status SendBinary(std::string_view bytes) = 0;
  // Says goodbye after what is queued. `reason` is cut to 123 bytes.
  virtual void Close(uint16_t code = kCloseNormal, std::string_view reason = "") = 0;
  virtual bool is_closed() const = 0;
  virtual size_t queued_bytes() const = 0;
};

}  // namespace paddock::net
