#include "net/web_socket_frame.h"

#include <algorithm>

#include "text/base64.h"
#include "text/digest.h"
#include "text/utf8.h"

namespace paddock::net {
namespace {

constexpr uint8_t kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10;
constexpr size_t kMostControlBytes = 125;

Error Bad(std::string text) { return Error(Code::kInvalid, "WebSocket: " + std::move(text)); }

// Codes that may be on the wire (§7.4).
bool IsSendable(uint16_t code) {
  return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) || (code >= 3000 && code <= 4999);
}

uint8_t OpcodeOf(WebSocketItemKind kind) {
  switch (kind) {
    case WebSocketItemKind::kText: return kText;
    case WebSocketItemKind::kBinary: return kBinary;
    case WebSocketItemKind::kPing: return kPing;
    case WebSocketItemKind::kPong: return kPong;
    case WebSocketItemKind::kClose: break;
  }
  return kClose;
}

}  // namespace

uint16_t CloseCodeOf(const Error& reader_error) {
  switch (reader_error.code) {
    case Code::kIllegalSequence: return kCloseNotUtf8;
    case Code::kLimit: return 1009;
    default: return kCloseProtocolError;
  }
}

size_t WebSocketReader::HeadSize() const {
  if (head_.size() < 2) return 2;
  const int length = head_[1] & 0x7f;
  return 2 + (length == 126 ? 2u : length == 127 ? 8u : 0u) + ((head_[1] & 0x80) != 0 ? 4u : 0u);
}

Status WebSocketReader::BeginFrame() {
  const auto byte = [this](size_t at) { return static_cast<uint8_t>(head_[at]); };
  is_final_ = (byte(0) & 0x80) != 0;
  opcode_ = byte(0) & 0x0f;
  is_control_ = opcode_ >= 8;
  if ((byte(0) & 0x70) != 0) return Bad("reserved bits without an extension");
  const bool is_masked = (byte(1) & 0x80) != 0;
  if (is_masked != expects_mask_) return Bad(expects_mask_ ? "frame without a mask" : "frame with a mask");

  const uint8_t short_length = byte(1) & 0x7f;
  size_t at = 2;
  left_ = short_length;
  if (short_length >= 126) {
    const size_t bytes = short_length == 126 ? 2 : 8;
    left_ = 0;
    for (size_t i = 0; i < bytes; ++i) left_ = left_ << 8 | byte(at++);
    if (left_ >> 63 != 0 || left_ < (bytes == 2 ? 126u : 65536u)) return Bad("length in the wrong form");
  }
  for (size_t i = 0; is_masked && i < 4; ++i) mask_[i] = byte(at++);
  mask_at_ = 0;

  if (is_control_) {
    if (opcode_ > kPong) return Bad("unknown opcode");
    if (!is_final_ || left_ > kMostControlBytes) return Bad("control frame that is long or in parts");
    control_.clear();
  } else {
    if (opcode_ > kBinary) return Bad("unknown opcode");
    if ((opcode_ == kContinuation) != (message_opcode_ != 0)) return Bad("parts of messages out of order");
    if (opcode_ != kContinuation) message_opcode_ = opcode_;
    if (left_ > message_bytes_ - message_.size()) {
      return Error(Code::kLimit, "WebSocket: message longer than " + std::to_string(message_bytes_) + " bytes");
    }
  }
  is_in_payload_ = true;
  return {};
}

Result<std::optional<WebSocketItem>> WebSocketReader::CloseItem() {
  WebSocketItem item{WebSocketItemKind::kClose, {}, kCloseNone};
  if (control_.size() == 1) return Bad("close frame of one byte");
  if (control_.size() >= 2) {
    item.code = static_cast<uint16_t>(static_cast<uint8_t>(control_[0]) << 8 | static_cast<uint8_t>(control_[1]));
    if (!IsSendable(item.code)) return Bad("close code " + std::to_string(item.code));
    item.payload = control_.substr(2);
    if (!IsValidUtf8(item.payload)) return Error(Code::kIllegalSequence, "WebSocket: reason that is not UTF-8");
  }
  return std::optional<WebSocketItem>(std::move(item));
}

Result<std::optional<WebSocketItem>> WebSocketReader::EndFrame() {
  head_.clear();
  is_in_payload_ = false;
  if (is_control_) {
    if (opcode_ == kClose) return CloseItem();
    return std::optional<WebSocketItem>(
        {opcode_ == kPing ? WebSocketItemKind::kPing : WebSocketItemKind::kPong, std::exchange(control_, {}), 0});
  }
  if (!is_final_) return std::optional<WebSocketItem>();
  const bool is_text = std::exchange(message_opcode_, uint8_t{0}) == kText;
  if (is_text && !IsValidUtf8(message_)) return Error(Code::kIllegalSequence, "WebSocket: text that is not UTF-8");
  return std::optional<WebSocketItem>(
      {is_text ? WebSocketItemKind::kText : WebSocketItemKind::kBinary, std::exchange(message_, {}), 0});
}

Result<std::optional<WebSocketItem>> WebSocketReader::Next(std::string_view* bytes) {
  for (;;) {
    if (!is_in_payload_) {
      while (head_.size() < HeadSize()) {
        if (bytes->empty()) return std::optional<WebSocketItem>();
        head_ += bytes->front();
        bytes->remove_prefix(1);
      }
      PADDOCK_TRY(BeginFrame());
    }
    const size_t count = static_cast<size_t>(std::min<uint64_t>(left_, bytes->size()));
    std::string& payload = is_control_ ? control_ : message_;
    const size_t before = payload.size();
    payload.append(bytes->substr(0, count));
    bytes->remove_prefix(count);
    left_ -= count;
    for (size_t i = before; expects_mask_ && i < payload.size(); ++i) {
      payload[i] = static_cast<char>(static_cast<uint8_t>(payload[i]) ^ mask_[mask_at_++ & 3]);
    }
    if (left_ > 0) return std::optional<WebSocketItem>();
    auto item = EndFrame();
    if (!item || *item) return item;
  }
}

void AppendWebSocketFrame(std::string* out, WebSocketItemKind kind, std::string_view payload,
                          const std::optional<std::array<uint8_t, 4>>& mask) {
  out->reserve(out->size() + payload.size() + 14);
  *out += static_cast<char>(0x80 | OpcodeOf(kind));
  const uint8_t mask_bit = mask ? 0x80 : 0;
  const size_t size = payload.size();
  const int bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
  *out += static_cast<char>(mask_bit | (bytes == 0 ? size : bytes == 2 ? 126u : 127u));
  for (int i = bytes - 1; i >= 0; --i) *out += static_cast<char>(static_cast<uint64_t>(size) >> (8 * i) & 0xff);
  if (!mask) {
    out->append(payload);
    return;
  }
  for (const uint8_t byte : *mask) *out += static_cast<char>(byte);
  for (size_t i = 0; i < size; ++i) *out += static_cast<char>(static_cast<uint8_t>(payload[i]) ^ (*mask)[i & 3]);
}

std::string ClosePayload(uint16_t code, std::string_view reason) {
  size_t size = std::min<size_t>(reason.size(), kMostControlBytes - 2);
  while (size > 0 && size < reason.size() && (static_cast<uint8_t>(reason[size]) & 0xc0) == 0x80) --size;
  std::string payload;
  payload += static_cast<char>(code >> 8);
  payload += static_cast<char>(code & 0xff);
  return payload.append(reason.substr(0, size));
}

std::string WebSocketAccept(std::string_view key) {
  return EncodeBase64(DigestOf(DigestAlgorithm::kSha1, std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

}  // namespace paddock::net
