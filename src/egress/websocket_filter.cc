#include "egress/websocket_filter.h"

#include <algorithm>

#include "base/random.h"

namespace paddock::egress {
namespace {

constexpr uint8_t kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPong = 10;
constexpr size_t kMostControl = 125;
constexpr size_t kPiece = 64 << 10;   // a message that is shorter goes on in as many frames as it came

bool IsControl(uint8_t opcode) { return opcode >= kClose; }
constexpr std::string_view kHeadersOnly = "put into header fields only; with websocket = true at its host, also into messages of a WebSocket";

// A client's frames are masked, so that nobody can make them look like something else on the way.
std::string Frame(uint8_t opcode, bool is_final, std::string_view payload, bool is_masked) {
  const auto mark = static_cast<uint8_t>(is_masked ? 0x80 : 0);
  std::string frame(1, static_cast<char>((is_final ? 0x80 : 0) | opcode));
  if (payload.size() < 126) {
    frame += static_cast<char>(mark | payload.size());
  } else {
    const size_t bytes = payload.size() < 65536 ? 2 : 8;
    frame += static_cast<char>(mark | (bytes == 2 ? 126 : 127));
    for (size_t i = bytes; i-- > 0;) frame += static_cast<char>(payload.size() >> (8 * i) & 0xff);
  }
  if (!is_masked) return frame.append(payload);
  uint8_t mask[4];
  FillRandom(mask);
  frame.append(reinterpret_cast<const char*>(mask), sizeof mask);
  for (size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(static_cast<uint8_t>(payload[i]) ^ mask[i & 3]);
  return frame;
}

Error Bad(const char* why) { return Error(Code::kInvalid, std::string("WebSocket: ") + why); }

}  // namespace

Result<bool> WebSocketFrames::ReadHead() {
  const auto byte = [this](size_t i) { return static_cast<uint8_t>(head_[i]); };
  if (head_.size() < 2) return false;
  const uint8_t length = byte(1) & 0x7f;
  const bool is_masked = (byte(1) & 0x80) != 0;
  const size_t length_bytes = length == 127 ? 8 : length == 126 ? 2 : 0;
  const size_t size = 2 + length_bytes + (is_masked ? 4 : 0);
  if ((byte(0) & 0x70) != 0) return Bad("reserved bits: an extension that was not agreed on");
  if (is_masked != (from_ == From::kClient)) return Bad(is_masked ? "a server's frame is masked" : "a client's frame is not masked");
  opcode_ = byte(0) & 0x0f;
  is_final_ = (byte(0) & 0x80) != 0;
  if (opcode_ > kPong || (opcode_ > kBinary && opcode_ < kClose)) return Bad("an unknown kind of frame");
  if (IsControl(opcode_) && (!is_final_ || length > kMostControl)) return Bad("a control frame in fragments or too long");
  if (!IsControl(opcode_) && is_in_message_ != (opcode_ == kContinuation)) return Bad("a fragment out of order");
  if (head_.size() < size) return false;
  left_ = length_bytes == 0 ? length : 0;
  for (size_t i = 0; i < length_bytes; ++i) left_ = left_ << 8 | byte(2 + i);
  if (left_ >> 62 != 0 || (length_bytes == 8 && left_ < 65536) || (length_bytes == 2 && left_ < 126)) return Bad("a length that is none");
  for (size_t i = 0; i < 4; ++i) mask_[i] = is_masked ? byte(size - 4 + i) : 0;
  mask_at_ = 0;
  if (!IsControl(opcode_)) is_in_message_ = !is_final_;
  return true;
}

Result<std::vector<WebSocketFrames::Part>> WebSocketFrames::Feed(std::string_view piece) {
  std::vector<Part> parts;
  while (true) {
    bool begins = false;
    if (!is_in_payload_) {
      PADDOCK_ASSIGN(const bool is_whole, ReadHead());
      if (!is_whole) {
        if (piece.empty()) return parts;
        head_ += piece.front();
        piece.remove_prefix(1);
        continue;
      }
      head_.clear();
      is_in_payload_ = begins = true;
    } else if (piece.empty()) {
      return parts;
    }
    const auto count = static_cast<size_t>(std::min<uint64_t>(left_, piece.size()));
    if (count == 0 && left_ > 0 && !begins) return parts;
    Part part{std::string(piece.substr(0, count)), opcode_, begins, left_ == count, is_final_};
    for (char& c : part.payload) c = static_cast<char>(static_cast<uint8_t>(c) ^ mask_[mask_at_++ & 3]);
    piece.remove_prefix(count);
    left_ -= count;
    is_in_payload_ = left_ > 0;
    parts.push_back(std::move(part));
  }
}

PlaceholderFilter::PlaceholderFilter(const std::vector<std::pair<std::string, std::string>>& placeholders, MessageEditor edit)
    : placeholders_(placeholders), edit_(std::move(edit)) {
  for (const auto& [name, placeholder] : placeholders_) longest_ = std::max(longest_, placeholder.size());
}

Status PlaceholderFilter::Search(std::string_view text, std::string_view where) {
  const std::string seen = message_end_ + std::string(text);
  for (const auto& [name, placeholder] : placeholders_) {
    if (seen.find(placeholder) != std::string::npos) return Error(Code::kAccess, "secret " + name + " is " + std::string(where));
  }
  message_end_ = seen.substr(seen.size() - std::min(seen.size(), longest_ > 0 ? longest_ - 1 : 0));
  return {};
}

Status PlaceholderFilter::Hold(const WebSocketFrames::Part& part, std::string* out) {
  const bool is_last = part.ends && part.is_final;
  std::string_view payload = part.payload;
  const bool was_long = is_long_;
  if (!is_long_) {
    message_ += part.payload;
    if (message_.size() <= kMostMessage) {
      if (!is_last) return {};
      PADDOCK_TRY(edit_(message_));
      *out += Frame(opcode_, true, message_, true);
      message_ = std::string();   // with its memory
      return {};
    }
    is_long_ = true;
    payload = message_;
  }
  PADDOCK_TRY(Search(payload, "not replaced in a WebSocket message of more than " + std::to_string(kMostMessage) + " bytes"));
  if (!payload.empty() || is_last) *out += Frame(was_long ? kContinuation : opcode_, is_last, payload, true);
  message_ = std::string();
  return {};
}

Result<std::string> PlaceholderFilter::Feed(std::string_view piece) {
  PADDOCK_ASSIGN(const auto parts, frames_.Feed(piece));
  std::string out;
  for (const WebSocketFrames::Part& part : parts) {
    if (IsControl(part.opcode)) {
      // It stands for itself, in the middle of a message.
      control_ += part.payload;
      if (!part.ends) continue;
      for (const auto& [name, placeholder] : placeholders_) {
        if (control_.find(placeholder) != std::string::npos) return Error(Code::kAccess, "secret " + name + " is not put into control frames of a WebSocket");
      }
      if (edit_) out += Frame(part.opcode, true, control_, true);
      control_.clear();
      continue;
    }
    if (part.begins && part.opcode != kContinuation) {
      message_end_.clear();
      opcode_ = part.opcode;
      is_long_ = false;
    }
    if (edit_) PADDOCK_TRY(Hold(part, &out));
    else PADDOCK_TRY(Search(part.payload, kHeadersOnly));
  }
  return edit_ ? out : std::string(piece);
}

MessageScrubber::MessageScrubber(const std::vector<Replacement>& replacements) : replacements_(replacements) {}

Result<std::string> MessageScrubber::Feed(std::string_view piece) {
  PADDOCK_ASSIGN(const auto parts, frames_.Feed(piece));
  std::string out;
  for (const WebSocketFrames::Part& part : parts) {
    if (IsControl(part.opcode)) {
      control_ += part.payload;
      if (!part.ends) continue;
      Scrubber scrubber(replacements_);
      std::string payload = scrubber.Feed(control_);
      payload += scrubber.Finish();
      control_.clear();
      out += Frame(part.opcode, true, std::string_view(payload).substr(0, kMostControl), false);
      continue;
    }
    if (part.begins && part.opcode != kContinuation) {
      message_ = std::make_unique<Scrubber>(replacements_);
      message_opcode_ = part.opcode;
      has_begun_ = false;
    }
    pending_ += message_->Feed(part.payload);
    const bool is_last = part.ends && part.is_final;
    if (is_last) pending_ += message_->Finish();
    if (!is_last && pending_.size() < kPiece) continue;
    out += Frame(has_begun_ ? kContinuation : message_opcode_, is_last, pending_, false);
    has_begun_ = true;
    pending_.clear();
  }
  return out;
}

}  // namespace paddock::egress
