#include "registry/entry/denial_events.h"

#include <algorithm>

#include "text/utf8.h"

namespace paddock::registry {

bool DenialEvents::TakeRoom(Clock::time_point now) {
  if (room_ == kBurst) refilled_ = now;
  const auto steps = std::max<int64_t>((now - refilled_) / kEvery, 0);
  room_ = std::min(kBurst, room_ + static_cast<uint64_t>(steps));
  refilled_ += steps * kEvery;
  if (room_ == 0) return false;
  --room_;
  return true;
}

void DenialEvents::Tell(const std::string& line, Clock::time_point now) {
  if (!publish_) return;
  const std::lock_guard lock(mutex_);
  if (!TakeRoom(now)) {
    ++left_out_;
    return;
  }
  publish_(HarmlessLine(line.substr(0, kMostText)), left_out_.exchange(0));
}

void DenialEvents::TellLeftOut(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (left_out_ == 0 || !TakeRoom(now)) return;
  const uint64_t left_out = left_out_.exchange(0);
  publish_(std::to_string(left_out) + " more denials", left_out);
}

}  // namespace paddock::registry
