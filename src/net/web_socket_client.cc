#include "net/web_socket_client.h"

#include "base/random.h"
#include "text/base64.h"

namespace paddock::net {
namespace {

constexpr size_t kMostReason = 4096;

}  // namespace

Result<std::unique_ptr<WebSocketClient>> WebSocketClient::Open(ClientOptions options, const std::string& target, Headers headers,
                                                               size_t message_bytes) {
  std::array<uint8_t, 16> nonce;
  FillRandom(nonce);
  const std::string key = EncodeBase64({reinterpret_cast<const char*>(nonce.data()), nonce.size()});
  ClientRequest request;
  request.target = target;
  request.headers = {
      {"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Key", key}, {"Sec-WebSocket-Version", "13"}};
  request.headers.insert(request.headers.end(), headers.begin(), headers.end());
  Client client(std::move(options));
  PADDOCK_ASSIGN(const auto response, client.Send(request));
  if (response->status() != 101) {
    char reason[kMostReason];
    const auto size = response->Read(reason);
    return Error(Code::kInvalid, "no WebSocket: status " + std::to_string(response->status()) +
                                     (size && *size > 0 ? ": " + std::string(reason, *size) : std::string()));
  }
  const std::string* accept = response->Header("sec-websocket-accept");
  if (accept == nullptr || *accept != WebSocketAccept(key) || !HasToken(response->headers(), "upgrade", "websocket") ||
      !HasToken(response->headers(), "connection", "upgrade") || response->Header("sec-websocket-extensions") != nullptr) {
    return Error(Code::kInvalid, "no WebSocket: the handshake is answered wrongly");
  }
  const std::string* subprotocol = response->Header("sec-websocket-protocol");
  if (subprotocol != nullptr && !HasToken(headers, "sec-websocket-protocol", *subprotocol)) {
    return Error(Code::kInvalid, "no WebSocket: a subprotocol that was not offered");
  }
  std::string chosen = subprotocol == nullptr ? std::string() : *subprotocol;
  PADDOCK_ASSIGN(auto stream, response->TakeStream());
  return std::unique_ptr<WebSocketClient>(
      new WebSocketClient(std::move(stream), message_bytes, std::move(chosen)));  // allow(raw-new): the constructor is private
}

WebSocketClient::~WebSocketClient() { (void)Close(kCloseGoingAway); }

Status WebSocketClient::Send(WebSocketItemKind kind, std::string_view payload) {
  std::array<uint8_t, 4> mask;
  FillRandom(mask);
  std::string frame;
  AppendWebSocketFrame(&frame, kind, payload, mask);
  const std::lock_guard lock(send_mutex_);
  if (has_closed_) return Error(Code::kBrokenPipe, "the WebSocket is closed");
  has_closed_ = kind == WebSocketItemKind::kClose;
  return stream_->Write(frame);
}

Status WebSocketClient::Close(uint16_t code, std::string_view reason) {
  const Status sent = Send(WebSocketItemKind::kClose, ClosePayload(code, reason));
  return sent || sent.error().code == Code::kBrokenPipe ? Status() : sent;
}

Result<std::optional<WebSocketMessage>> WebSocketClient::Receive() {
  for (;;) {
    std::string_view bytes = std::string_view(received_).substr(used_);
    auto item = reader_.Next(&bytes);
    used_ = received_.size() - bytes.size();
    if (!item) {
      (void)Close(CloseCodeOf(item.error()), item.error().Text());
      stream_->Cut();
      return item.error();
    }
    if (!*item) {
      received_.resize(32 << 10);
      used_ = 0;
      auto count = stream_->Read(received_);
      received_.resize(count ? *count : 0);
      if (!count) return count.error();
      if (*count == 0) return Error(Code::kBrokenPipe, "the server went away without a close frame");
      continue;
    }
    switch ((*item)->kind) {
      case WebSocketItemKind::kText:
      case WebSocketItemKind::kBinary:
        return std::optional<WebSocketMessage>({(*item)->kind == WebSocketItemKind::kText, std::move((*item)->payload)});
      case WebSocketItemKind::kPing: (void)Send(WebSocketItemKind::kPong, (*item)->payload); break;
      case WebSocketItemKind::kPong: break;
      case WebSocketItemKind::kClose:
        close_code_ = (*item)->code;
        close_reason_ = std::move((*item)->payload);
        (void)Close(close_code_ == kCloseNone ? kCloseNormal : close_code_);
        return std::optional<WebSocketMessage>();
    }
  }
}

}  // namespace paddock::net
