#include "net/web_socket.h"

#include "text/base64.h"
#include "text/utf8.h"

namespace paddock::net {
namespace {

constexpr int kBeatsUntilDead = 3;

class Handle final : public WebSocket {
 public:
  explicit Handle(std::shared_ptr<WebSocketPush> push) : push_(std::move(push)) {}
  ~Handle() override { push_->Finish(kCloseNormal, ""); }
  Status SendText(std::string_view text) override {
    if (!IsValidUtf8(text)) return Error(Code::kInvalid, "text for a WebSocket must be UTF-8");
    return push_->Send(WebSocketItemKind::kText, text);
  }
  Status SendBinary(std::string_view bytes) override { return push_->Send(WebSocketItemKind::kBinary, bytes); }
  void Close(uint16_t code, std::string_view reason) override { push_->Finish(code, reason); }
  bool is_closed() const override { return push_->is_closed(); }
  size_t queued_bytes() const override { return push_->queued_bytes(); }

 private:
  const std::shared_ptr<WebSocketPush> push_;
};

Error Bad(std::string text) { return Error(Code::kInvalid, "no WebSocket handshake: " + std::move(text)); }

std::string Frame(WebSocketItemKind kind, std::string_view payload) {
  std::string frame;
  AppendWebSocketFrame(&frame, kind, payload);
  return frame;
}

}  // namespace

Result<Headers> AnswerHandshake(const Request& request, const std::string& subprotocol) {
  if (request.method != "GET" || request.minor_version != 1) return Bad("not a GET of HTTP/1.1");
  if (!HasToken(request.headers, "upgrade", "websocket")) return Bad("no Upgrade: websocket");
  if (!HasToken(request.headers, "connection", "upgrade")) return Bad("no Connection: Upgrade");
  if (request.body_length != uint64_t{0}) return Bad("a body");
  const std::string* version = request.Header("sec-websocket-version");
  if (version == nullptr || *version != "13") return Bad("Sec-WebSocket-Version is not 13");
  const std::string* key = request.Header("sec-websocket-key");
  if (key == nullptr || request.CountHeader("sec-websocket-key") != 1) return Bad("not exactly one Sec-WebSocket-Key");
  const auto nonce = DecodeBase64(*key);
  if (!nonce || nonce->size() != 16) return Bad("Sec-WebSocket-Key is not 16 bytes in Base64");
  Headers answer = {{"Upgrade", "websocket"}, {"Sec-WebSocket-Accept", WebSocketAccept(*key)}};
  if (!subprotocol.empty() && HasToken(request.headers, "sec-websocket-protocol", subprotocol)) {
    answer.push_back({"Sec-WebSocket-Protocol", subprotocol});
  }
  return answer;
}

WebSocketPush::WebSocketPush(ServerCore& core, uint64_t id, WebSocketOptions options)
    : PushStream(core, id, {options.queue_bytes, options.heartbeat}),
      options_(std::move(options)),
      reader_(true, options_.message_bytes),
      heard_(Now()),
      pinged_(Now()) {}

Status WebSocketPush::Send(WebSocketItemKind kind, std::string_view payload) {
  const std::string frame = Frame(kind, payload);
  Lock lock(mutex_);
  return Enqueue(frame, lock);
}

void WebSocketPush::Finish(uint16_t code, std::string_view reason) {
  Lock lock(mutex_);
  if (!is_open(lock)) return;
  (void)Enqueue(Frame(WebSocketItemKind::kClose, ClosePayload(code, reason)), lock);   // with a full queue the client sees 1006
  FinishAfterQueue(lock);
}

bool WebSocketPush::OnBytes(std::string_view bytes) {
  heard_.store(Now());
  while (!bytes.empty() && !is_over_) {
    auto item = reader_.Next(&bytes);
    if (!item) {
      is_over_ = true;   // the rest is read and thrown away, so that the client can read why
      code_ = CloseCodeOf(item.error());
      reason_ = item.error().Text();
      Finish(code_, reason_);
      return true;
    }
    if (!*item) return true;
    if (!OnItem(std::move(**item))) return false;
  }
  return true;
}

bool WebSocketPush::OnItem(WebSocketItem item) {
  switch (item.kind) {
    case WebSocketItemKind::kText:
    case WebSocketItemKind::kBinary:
      if (is_closed() || !options_.on_message) return true;
      Cover();
      options_.on_message(item.kind == WebSocketItemKind::kText, item.payload);
      return true;
    case WebSocketItemKind::kPing: {
      Lock lock(mutex_);
      (void)Enqueue(Frame(WebSocketItemKind::kPong, item.payload),
                    lock);  // one that does not fit is for a client that does not read
      return true;
    }
    case WebSocketItemKind::kPong: return true;
    case WebSocketItemKind::kClose: break;
  }
  is_over_ = true;
  code_ = item.code;
  reason_ = item.payload;
  Finish(item.code == kCloseNone ? kCloseNormal : item.code, "");
  return queued_bytes() > 0;   // the server ends the connection first (§7.1.1), once its close frame is out
}

bool WebSocketPush::IsHeartbeatDue(Time now, const Lock&) const {
  return heartbeat().count() != 0 && now - std::max(heard_.load(), pinged_) >= heartbeat();
}

void WebSocketPush::SendHeartbeat(Lock& lock) {
  pinged_ = Now();
  if (asked_ <= heard_.load()) asked_ = pinged_;
  (void)Enqueue(Frame(WebSocketItemKind::kPing, ""), lock);
}

bool WebSocketPush::IsDead(Time now) const {
  // A client that is busy with what it is sent has not been asked: pings go out when nothing waits.
  return heartbeat().count() != 0 && asked_ > heard_.load() && now - asked_ >= (kBeatsUntilDead - 1) * heartbeat();
}

void WebSocketPush::OnDrained() {
  if (!options_.on_drained) return;
  Cover();
  options_.on_drained();
}

void WebSocketPush::OnClosed() {
  WebSocketOptions last = std::exchange(options_, {});
  if (!last.on_closed) return;
  Cover();
  last.on_closed(code_, reason_);
}

std::shared_ptr<WebSocket> HandleOf(std::shared_ptr<WebSocketPush> push) { return std::make_shared<Handle>(std::move(push)); }

}  // namespace paddock::net
