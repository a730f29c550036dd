#include "egress/stream.h"

#include <algorithm>
#include <chrono>

namespace paddock::egress {
namespace {

constexpr size_t kPiece = 32 << 10;

constexpr Nanoseconds kLinger = std::chrono::seconds(2);
constexpr size_t kMostLingerBytes = 64 << 20;

}  // namespace

void EndGently(Stream& stream, Reactor& reactor) {
  const Deadline end = reactor.In(kLinger);
  if (!stream.FinishWriting(end)) return;
  std::string piece(kPiece, '\0');
  for (size_t total = 0; total < kMostLingerBytes;) {
    const auto count = stream.Read(piece, end);
    if (!count || *count == 0) return;
    total += *count;
  }
}

Result<size_t> Input::Fill(size_t most, Deadline deadline) {
  if (view().size() >= most) return Code::kLimit;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const size_t had = buffer_.size();
  buffer_.resize(had + std::min(most - had, kPiece));
  auto count = stream_->Read(std::span(buffer_).subspan(had), deadline);
  buffer_.resize(had + count.value_or(0));
  return count;
}

void Input::Consume(size_t count) {
  begin_ += std::min(count, buffer_.size() - begin_);
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  }
}

Status Input::Need(size_t count, Deadline deadline) {
  while (view().size() < count) {
    PADDOCK_ASSIGN(const size_t got, Fill(count + kPiece, deadline));
    if (got == 0) return Error(Code::kBrokenPipe, "the stream ended early");
  }
  return {};
}

}  // namespace paddock::egress
