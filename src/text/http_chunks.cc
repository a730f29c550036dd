#include "text/http_chunks.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace paddock {
namespace {

constexpr int kMostDigits = 15;
constexpr size_t kMostExtensionBytes = 4096;   // of one body
constexpr size_t kMostTrailerBytes = 16 << 10;

Error Bad(std::string_view text) { return Error(Code::kInvalid, "chunked body: " + std::string(text)); }

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Status ChunkDecoder::EndTrailerLine() {
  if (line_.empty()) {
    state_ = State::kDone;
    return {};
  }
  const size_t colon = line_.find(':');
  if (colon == std::string::npos || !IsHeaderName(std::string_view(line_).substr(0, colon)) ||
      !IsHeaderValue(std::string_view(line_).substr(colon + 1))) {
    return Bad("trailer that is no header line");
  }
  if (trailers_.size() >= kMostHeaders) return Error(Code::kLimit, "chunked body: more than 200 trailers");
  trailers_.push_back({line_.substr(0, colon), std::string(TrimHeaderSpace(std::string_view(line_).substr(colon + 1)))});
  line_.clear();
  return {};
}

Status ChunkDecoder::FeedByte(char c) {
  switch (state_) {
    case State::kSize: {
      const int value = HexValue(c);
      if (value >= 0) {
        if (++digits_ > kMostDigits) return Bad("size of too many digits");
        left_ = left_ * 16 + static_cast<uint64_t>(value);
        return {};
      }
      if (digits_ == 0) return Bad("line without a size");
      if (c == ';') state_ = State::kExtension;
      else if (c == '\r') state_ = State::kSizeEnd;
      else return Bad("size that is not a hexadecimal number");
      return {};
    }
    case State::kExtension:
      if (++extension_bytes_ > kMostExtensionBytes) return Error(Code::kLimit, "chunked body: extensions longer than 4096 bytes");
      if (c == '\r') state_ = State::kSizeEnd;
      else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
        return Bad("control byte in an extension");
      return {};
    case State::kSizeEnd:
      if (c != '\n') return Bad("carriage return without line feed");
      digits_ = 0;
      state_ = left_ == 0 ? State::kTrailer : State::kData;
      return {};
    case State::kDataReturn:
      if (c != '\r') return Bad("data longer than its size");
      state_ = State::kDataEnd;
      return {};
    case State::kDataEnd:
      if (c != '\n') return Bad("carriage return without line feed");
      state_ = State::kSize;
      return {};
    case State::kTrailer:
      if (++trailer_bytes_ > kMostTrailerBytes) return Error(Code::kLimit, "chunked body: trailers longer than 16384 bytes");
      if (c == '\n') {
        if (!line_.ends_with('\r')) return Bad("line feed without carriage return");
        line_.pop_back();
        return EndTrailerLine();
      }
      if (line_.ends_with('\r')) return Bad("carriage return without line feed");
      line_ += c;
      return {};
    case State::kData:
    case State::kDone: break;
  }
  return Code::kInternal;
}

Result<size_t> ChunkDecoder::Feed(std::string_view bytes, std::string* data) {
  size_t used = 0;
  while (used < bytes.size() && state_ != State::kDone) {
    if (state_ == State::kData) {
      const size_t count = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size() - used));
      data->append(bytes.substr(used, count));
      used += count;
      left_ -= count;
      if (left_ == 0) state_ = State::kDataReturn;
      continue;
    }
    PADDOCK_TRY(FeedByte(bytes[used]));
    ++used;
  }
  return used;
}

void AppendChunk(std::string* out, std::string_view data) {
  if (data.empty()) return;
  char size[20];
  const auto [end, error] = std::to_chars(size, size + sizeof size, data.size(), 16);
  out->reserve(out->size() + data.size() + 24);
  out->append(size, end).append("\r\n").append(data).append("\r\n");
}

}  // namespace paddock
