#include "guest/agent/outbox.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace paddock::guest {

void Outbox::Output(uint32_t stream, uint16_t channel, uint64_t offset, std::string_view one, std::string_view two) {
  const uint32_t length = static_cast<uint32_t>(8 + one.size() + two.size());
  PADDOCK_CHECK(length <= kMaxPayloadBytes);
  char header[kFrameHeaderBytes];
  EncodeFrameHeader({length, stream, FrameType::kOutput, channel}, header);
  bytes_.append(header, sizeof header);
  bytes_.append(EncodeU64(offset));
  bytes_.append(one);
  bytes_.append(two);
}

void Outbox::Schedule(Source& source) {
  if (source.is_scheduled_) return;
  source.is_scheduled_ = true;
  sources_.push_back(&source);
}

void Outbox::Unschedule(Source& source) {
  if (!source.is_scheduled_) return;
  source.is_scheduled_ = false;
  std::erase(sources_, &source);
}

void Outbox::Fill() {
  for (int turn = 0; turn < kMostTurns && !sources_.empty() && bytes_.size() - begin_ < kEnoughBytes; ++turn) {
    Source* source = sources_.front();
    sources_.pop_front();
    source->is_scheduled_ = false;
    if (source->Produce(*this)) Schedule(*source);
  }
}

bool Outbox::Flush(int fd) {
  for (int round = 0; round < kMostRounds;) {
    Fill();
    if (begin_ == bytes_.size()) return true;
    const ssize_t written = write(fd, bytes_.data() + begin_, bytes_.size() - begin_);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN;
    }
    ++round;
    begin_ += static_cast<size_t>(written);
    if (begin_ == bytes_.size()) {
      bytes_.clear();
      begin_ = 0;
      // A burst is over: do not keep its memory.
      if (bytes_.capacity() > 4 * kEnoughBytes) bytes_.shrink_to_fit();
    } else if (begin_ > kEnoughBytes) {
      bytes_.erase(0, begin_);
      begin_ = 0;
    }
  }
  return true;
}

}  // namespace paddock::guest
