// Exchange: one request and its answer, on the thread of a server's worker. Everything blocks, with the server's time limits.
//
// A handler reads the body or not, and answers once: Respond(), or StartResponse(), Write() … Finish(), or it turns the exchange
// into an EventStream or a WebSocket, which lives on after the handler. Without an answer the client gets a 500. A streamed
// answer that was not finished is cut, so that the client sees that it is incomplete.
//
// Threads: the handler's only, but for the streams that it makes and the function given to OnClientGone().
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/push.h"
#include "net/request.h"

namespace paddock::net {

struct BodyLimit {
  uint64_t bytes = 1 << 20;
  std::chrono::milliseconds idle{30'000};   // the longest wait for the next bytes
  uint64_t bytes_per_second = 0;            // the least average after the first 10 s; 0 allows a body that is typed by hand
};

class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const Request& request() const = 0;

  // --- the body ---
  // Counts from the body's beginning. Without a call: BodyLimit's own values.
  virtual void SetBodyLimit(const BodyLimit& limit) = 0;
  // Reads some bytes; 0 is the end of a complete body. Asks a client that waits for it to go on (100-continue).
  // Errors: kLimit (also at once, when the announced length is above the limit), kTimedOut, kInvalid (a bad chunk), kBrokenPipe
  // (the client went away). After one the connection is closed behind the answer; StatusOf() is the status that fits.
  virtual Result<size_t> ReadBody(std::span<char> to) = 0;
  // The whole of it. The limit becomes `most` bytes; errors as ReadBody().
  Result<std::string> ReadWholeBody(uint64_t most);

  // --- the answer ---
  // Sends a whole answer; never waits for the client. The headers must not have Content-Length, Transfer-Encoding, Connection or
  // Date, which the server sets. HEAD is answered with the length and without the body.
  // Errors: kInvalid for headers or a status that cannot be sent (the client gets a 500), or after an answer; kBrokenPipe.
  virtual Status Respond(int status, const Headers& headers, std::string body) = 0;
  // Begins an answer in pieces: with `length` its exact size, without one in chunks.
  virtual Status StartResponse(int status, const Headers& headers, std::optional<uint64_t> length = std::nullopt) = 0;
  // Waits until the system took the bytes. Errors: kBrokenPipe (the client is gone), kTimedOut (it did not read for the write
  // time limit), kInvalid (more than `length`). After one, further calls fail the same way.
  virtual Status Write(std::string_view bytes) = 0;
  virtual Status Finish() = 0;
  virtual bool has_answered() const = 0;
  // No further request on this connection; what Respond() sends says so.
  virtual void CloseAfter() = 0;

  // --- the client ---
  // True when the client closed its end, or the connection is broken, or the server is being stopped by force. Any state; looks,
  // never waits.
  virtual bool IsClientGone() = 0;
  // Has `function` called once, from another thread, when that happens during the handler; at once when it has happened. Never
  // called after the handler has returned: a handler that returns waits for a running call, so the function must not wait for the
  // handler.
  virtual void OnClientGone(std::function<void()> function) = 0;

  // --- streams that outlive the handler ---
  // Answers 200 with text/event-stream. `headers` are sent too. Errors: kBrokenPipe, kInvalid as Respond().
  virtual Result<std::shared_ptr<EventStream>> StartEventStream(EventStreamOptions options, const Headers& headers = {}) = 0;
  // Checks the handshake (RFC 6455 §4.2) and answers 101. Errors: kInvalid when the request is no handshake; nothing is sent
  // then, and the handler answers (400, or 426 with `Upgrade: websocket`).
  virtual Result<std::shared_ptr<WebSocket>> AcceptWebSocket(WebSocketOptions options, const Headers& headers = {}) = 0;
};

// The status that tells a client what was wrong with its body: 413, 408, 400.
int StatusOf(const Error& body_error);

using Handler = std::function<void(Exchange&)>;

}  // namespace paddock::net
