#include "egress/http_body.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace paddock::egress {
namespace {

constexpr int kMostDigits = 15;
constexpr size_t kMostExtensionBytes = 4096;   // of one body
constexpr size_t kMostTrailerBytes = 16 << 10;
constexpr size_t kPiece = 64 << 10;

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

Result<std::string_view> BodyReader::Next(Deadline deadline) {
  input_.Consume(held_);
  held_ = 0;
  switch (framing_.kind) {
    case BodyFraming::Kind::kNone: return std::string_view();
    case BodyFraming::Kind::kChunked:
      decoded_.clear();
      while (decoded_.empty() && !chunks_.is_done()) {
        if (input_.view().empty()) {
          PADDOCK_ASSIGN(const size_t got, input_.Fill(kPiece, deadline));
          if (got == 0) return Error(Code::kBrokenPipe, "the body ended early");
        }
        PADDOCK_ASSIGN(const size_t used, chunks_.Feed(input_.view(), &decoded_));
        input_.Consume(used);
      }
      return std::string_view(decoded_);
    case BodyFraming::Kind::kLength:
      if (left_ == 0) return std::string_view();
      break;
    case BodyFraming::Kind::kUntilEnd: break;
  }
  if (input_.view().empty()) {
    PADDOCK_ASSIGN(const size_t got, input_.Fill(kPiece, deadline));
    if (got == 0) {
      if (framing_.kind == BodyFraming::Kind::kUntilEnd) return std::string_view();
      return Error(Code::kBrokenPipe, "the body ended early");
    }
  }
  std::string_view piece = input_.view();
  if (framing_.kind == BodyFraming::Kind::kLength) {
    piece = piece.substr(0, static_cast<size_t>(std::min<uint64_t>(left_, piece.size())));
    left_ -= piece.size();
  }
  held_ = piece.size();
  return piece;
}

bool BodyReader::is_at_end() const {
  switch (framing_.kind) {
    case BodyFraming::Kind::kNone: return true;
    case BodyFraming::Kind::kLength: return left_ == 0;
    case BodyFraming::Kind::kChunked: return chunks_.is_done();
    case BodyFraming::Kind::kUntilEnd: break;
  }
  return false;
}

Status BodyWriter::Flush(Deadline deadline) {
  if (pending_.empty()) return {};
  const std::string bytes = std::exchange(pending_, {});
  return stream_.Write(bytes, deadline);
}

void BodyWriter::Append(std::string_view piece) {
  if (piece.empty()) return;
  if (kind_ == BodyFraming::Kind::kChunked) {
    char size[20];
    const auto [end, error] = std::to_chars(size, size + sizeof size, piece.size(), 16);
    pending_.reserve(pending_.size() + piece.size() + 24);
    pending_.append(size, end);
    pending_ += "\r\n";
    pending_ += piece;
    pending_ += "\r\n";
  } else {
    pending_ += piece;
  }
}

Status BodyWriter::Write(std::string_view piece, Deadline deadline) {
  if (pending_.empty() && kind_ != BodyFraming::Kind::kChunked) return stream_.Write(piece, deadline);
  Append(piece);
  return Flush(deadline);
}

Status BodyWriter::Finish(std::string_view piece, Deadline deadline) {
  Append(piece);
  if (kind_ == BodyFraming::Kind::kChunked) pending_ += "0\r\n\r\n";
  return Flush(deadline);
}

}  // namespace paddock::egress
