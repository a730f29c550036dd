// Frames of WebSockets (RFC 6455 §5): out of bytes, and into them. No extensions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/push.h"

namespace paddock::net {

enum class WebSocketItemKind { kText, kBinary, kPing, kPong, kClose };

// A whole message or a control frame.
struct WebSocketItem {
  WebSocketItemKind kind = WebSocketItemKind::kBinary;
  std::string payload;   // of kClose: the reason
  uint16_t code = 0;     // of kClose; kCloseNone without one
};

constexpr uint16_t kCloseProtocolError = 1002, kCloseNotUtf8 = 1007;
// The close code that an error of the reader stands for.
uint16_t CloseCodeOf(const Error& reader_error);

class WebSocketReader {
 public:
  // `expects_mask`: frames of clients are masked, those of servers are not.
  WebSocketReader(bool expects_mask, size_t message_bytes) : expects_mask_(expects_mask), message_bytes_(message_bytes) {}

  // Takes bytes off `bytes` up to the end of the next item; nothing when it is not complete, and all bytes are taken.
  // Memory grows with what came, not with what was announced. Errors: kInvalid (protocol), kIllegalSequence (text that is not
  // UTF-8), kLimit (message too long); the stream is of no use after one.
  Result<std::optional<WebSocketItem>> Next(std::string_view* bytes);

 private:
  Status BeginFrame();
  Result<std::optional<WebSocketItem>> EndFrame();
  Result<std::optional<WebSocketItem>> CloseItem();
  size_t HeadSize() const;

  const bool expects_mask_;
  const size_t message_bytes_;
  std::string head_;                 // of the frame, as far as it came
  bool is_in_payload_ = false, is_final_ = false, is_control_ = false;
  uint8_t opcode_ = 0;
  uint64_t left_ = 0;                // of the payload
  std::array<uint8_t, 4> mask_{};
  size_t mask_at_ = 0;
  std::string control_;              // payload of a control frame
  std::string message_;              // payload of the message so far
  uint8_t message_opcode_ = 0;       // of its first frame; 0 when there is none
};

// Appends one frame. With `mask` (of a client) the payload is masked with it.
void AppendWebSocketFrame(std::string* out, WebSocketItemKind kind, std::string_view payload,
                          const std::optional<std::array<uint8_t, 4>>& mask = std::nullopt);
// The payload of a close frame. `reason` is cut to 123 bytes, between characters.
std::string ClosePayload(uint16_t code, std::string_view reason);
// The answer to a handshake's key (§4.2.2).
std::string WebSocketAccept(std::string_view key);

}  // namespace paddock::net
