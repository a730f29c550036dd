// The client's side of a WebSocket, blocking.
//
// Threads: one may receive while others send or close.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "net/client.h"
#include "net/push.h"
#include "net/web_socket_frame.h"

namespace paddock::net {

struct WebSocketMessage {
  bool is_text = false;
  std::string payload;
};

class WebSocketClient {
 public:
  // Connects and shakes hands. `headers` go along (Authorization, Sec-WebSocket-Protocol).
  // Errors: those of Client::Send(); kInvalid for a handshake that is answered wrongly, with the status and the beginning of the
  // body.
  static Result<std::unique_ptr<WebSocketClient>> Open(ClientOptions options, const std::string& target, Headers headers = {},
                                                       size_t message_bytes = 16 << 20);
  ~WebSocketClient();

  // The next message; nothing when the server closed in order (see close_code()). Answers pings meanwhile. Errors: kBrokenPipe
  // (no close frame came), kCancelled, kTimedOut, kInvalid, kIllegalSequence, kLimit; the server is told why.
  Result<std::optional<WebSocketMessage>> Receive();
  // Errors: kBrokenPipe, kTimedOut (the server took nothing for idle_time), kCancelled.
  Status SendText(std::string_view text) { return Send(WebSocketItemKind::kText, text); }
  Status SendBinary(std::string_view bytes) { return Send(WebSocketItemKind::kBinary, bytes); }
  // Says goodbye; Receive() then ends with the server's answer. Again: nothing.
  Status Close(uint16_t code = kCloseNormal, std::string_view reason = "");
  // For Receive(); 0, no limit, at first.
  void SetReceiveTime(std::chrono::milliseconds time) { stream_->SetReadTime(time); }

  // Of the receiving thread, after the end.
  uint16_t close_code() const { return close_code_; }
  const std::string& close_reason() const { return close_reason_; }
  // The subprotocol that the server chose, or empty.
  const std::string& subprotocol() const { return subprotocol_; }

 private:
  WebSocketClient(std::unique_ptr<ByteStream> stream, size_t message_bytes, std::string subprotocol)
      : stream_(std::move(stream)), reader_(false, message_bytes), subprotocol_(std::move(subprotocol)) {}
  Status Send(WebSocketItemKind kind, std::string_view payload);

  const std::unique_ptr<ByteStream> stream_;
  WebSocketReader reader_;
  std::string received_;
  size_t used_ = 0;              // of received_
  const std::string subprotocol_;
  uint16_t close_code_ = kCloseAbnormal;
  std::string close_reason_;
  std::mutex send_mutex_;        // frames do not mix
  bool has_closed_ = false;      // guarded by send_mutex_
};

}  // namespace paddock::net
