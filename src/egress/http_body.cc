#include "egress/http_body.h"

#include <algorithm>
#include <utility>

namespace paddock::egress {
namespace {

constexpr size_t kPiece = 64 << 10;

}  // namespace

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
  if (kind_ == BodyFraming::Kind::kChunked) {
    AppendChunk(&pending_, piece);
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
  if (kind_ == BodyFraming::Kind::kChunked) pending_ += kLastChunk;
  return Flush(deadline);
}

}  // namespace paddock::egress
