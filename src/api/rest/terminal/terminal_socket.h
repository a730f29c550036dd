// TerminalSocket: the WebSocket of a terminal: output as binary frames, what else there is to say as JSON in text frames.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "api/rest/operation.h"
#include "net/push.h"

namespace paddock::api {

// Any thread.
class TerminalSocket {
 public:
  static constexpr size_t kPieceBytes = 64 << 10;

  // Once, with the socket that calls OnDrained() and OnClosed().
  void Open(std::shared_ptr<net::WebSocket> socket);
  // Waits while the client takes nothing: whoever writes more than is read is held up. Nothing once the client is gone.
  void Show(std::string_view bytes);
  // As Show(), but never waits: a client that has no room even for this is sent away.
  void Echo(std::string_view bytes);
  // As Show(), but takes nothing where there is no room: false.
  bool Offer(std::string_view bytes);
  void Tell(const json::object& message);
  void Close(uint16_t code, std::string_view reason);

  void OnDrained();
  void OnClosed();
  bool is_closed() const;

 private:
  std::shared_ptr<net::WebSocket> Socket() const;   // null: closed

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<net::WebSocket> socket_;
  uint64_t drained_ = 0;   // how often there was room again
  bool is_closed_ = false;
};

// A text frame of the client's: what it asks for. Errors: kInvalid, in words.
struct ResizeShape {
  int64_t columns = 80, rows = 24;
};
std::span<const Field> FieldsOf(const ResizeShape*);
struct TerminalRequest {
  std::optional<ResizeShape> resize;
  std::optional<int64_t> signal;
  std::optional<bool> close_input;
};
Result<TerminalRequest> ReadTerminalRequest(std::string_view text);

// {"exit": …} about a process that has ended, and the goodbye behind it.
void TellExit(TerminalSocket& socket, const registry::ProcessInfo& info);

}  // namespace paddock::api
