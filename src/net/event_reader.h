// Server-sent events at the client (HTML Living Standard §9.2.6).
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "net/client.h"
#include "net/push.h"

namespace paddock::net {

// The format alone.
class EventParser {
 public:
  explicit EventParser(size_t event_bytes) : event_bytes_(event_bytes) {}
  // Takes the next bytes of the stream; whole events go to events(). Errors: kLimit for a line or an event above the bound.
  Status Feed(std::string_view bytes);
  // An event's id is the last one that came, with this event or before it.
  std::deque<Event>& events() { return events_; }
  // What the server asked for, in milliseconds.
  std::optional<uint64_t> retry_ms() const { return retry_ms_; }

 private:
  Status EndLine();
  void Dispatch();

  const size_t event_bytes_;
  std::string line_;
  bool was_return_ = false, is_first_line_ = true, has_data_ = false;
  std::string id_, name_, data_;
  std::optional<uint64_t> retry_ms_;
  std::deque<Event> events_;
};

class EventReader {
 public:
  // Errors: kInvalid when the answer is not a 200 with text/event-stream; then read the response for the reason.
  static Status Check(const Response& response);
  explicit EventReader(std::unique_ptr<Response> response, size_t event_bytes = 16 << 20)
      : response_(std::move(response)), parser_(event_bytes) {}

  // The next event; nothing at the end of the stream. Heartbeats keep it waiting. Errors: those of Response::Read(), kLimit.
  Result<std::optional<Event>> Next();

 private:
  const std::unique_ptr<Response> response_;
  EventParser parser_;
};

}  // namespace paddock::net
