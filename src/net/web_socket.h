// The server's side of a WebSocket.
#pragma once

#include "net/push.h"
#include "net/push_stream.h"
#include "net/request.h"
#include "net/web_socket_frame.h"

namespace paddock::net {

// The headers that answer a handshake (§4.2.2). Errors: kInvalid for a request that is none.
Result<Headers> AnswerHandshake(const Request& request, const std::string& subprotocol);

class WebSocketPush final : public PushStream {
 public:
  WebSocketPush(ServerCore& core, uint64_t id, WebSocketOptions options);

  Status Send(WebSocketItemKind kind, std::string_view payload);
  void Finish(uint16_t code, std::string_view reason);
  void OnStopping() override { Finish(kCloseGoingAway, "the server stops"); }

 private:
  bool OnBytes(std::string_view bytes) override;
  bool OnItem(WebSocketItem item);
  bool IsHeartbeatDue(Time now, const Lock& lock) const override;
  void SendHeartbeat(Lock& lock) override;
  bool IsDead(Time now) const override;
  void OnDrained() override;
  void OnClosed() override;

  WebSocketOptions options_;         // its callbacks are the strand's
  WebSocketReader reader_;           // the strand's
  uint16_t code_ = kCloseAbnormal;   // the strand's: how it ended
  std::string reason_;
  bool is_over_ = false;             // a close frame or an error came
  std::atomic<Time> heard_;
  Time pinged_;                      // guarded by mutex_
  Time asked_{};                     // guarded by mutex_: when the first ping since it was heard went out
};

// What the handler gets; closes with its end.
std::shared_ptr<WebSocket> HandleOf(std::shared_ptr<WebSocketPush> push);

}  // namespace paddock::net
