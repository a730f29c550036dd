#include "drivers/docker/engine/stream_frames.h"

#include <algorithm>

namespace paddock::docker {

Status StreamFrames::Feed(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    if (left_ > 0) {
      const std::string_view part = bytes.substr(0, left_);
      bytes.remove_prefix(part.size());
      left_ -= static_cast<uint32_t>(part.size());
      PADDOCK_TRY(take(stream_, part));
      continue;
    }
    const size_t count = std::min(head_.size() - head_bytes_, bytes.size());
    std::copy_n(bytes.begin(), count, head_.begin() + static_cast<ptrdiff_t>(head_bytes_));
    bytes.remove_prefix(count);
    head_bytes_ += count;
    if (head_bytes_ < head_.size()) break;
    head_bytes_ = 0;
    if (head_[0] > 2 || head_[1] != 0 || head_[2] != 0 || head_[3] != 0) return Error(Code::kInvalid, "the engine's stream is not in frames");
    stream_ = static_cast<EngineStream>(head_[0]);
    left_ = uint32_t{head_[4]} << 24 | uint32_t{head_[5]} << 16 | uint32_t{head_[6]} << 8 | uint32_t{head_[7]};
  }
  return {};
}

Status StreamFrames::Finish() const {
  if (left_ > 0 || head_bytes_ > 0) return Error(Code::kBrokenPipe, "the engine's stream ended within a frame");
  return {};
}

}  // namespace paddock::docker
