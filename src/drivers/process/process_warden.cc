#include "drivers/process/process_warden.h"

#include <algorithm>

namespace paddock::process_wall {

ProcessWarden::ProcessWarden(Parts parts)
    : parts_(std::move(parts)), oom_kills_before_(parts_.group->OutOfMemoryKills()), forks_refused_before_(parts_.group->ForksRefused()) {}

std::optional<std::chrono::milliseconds> ProcessWarden::Interval() const {
  if (parts_.watch && parts_.disk) return std::min(parts_.watch->Interval(), parts_.disk->Interval());
  if (parts_.watch) return parts_.watch->Interval();
  if (parts_.disk) return parts_.disk->Interval();
  return std::nullopt;
}

std::optional<guest::Excess> ProcessWarden::Look() {
  auto excess = parts_.watch ? parts_.watch->Look() : std::nullopt;
  if (!excess && parts_.disk) excess = parts_.disk->Look();
  if (excess) KillFromOutside(parts_.init);
  return excess;
}

std::optional<guest::Excess> ProcessWarden::LookAtEnd() { return parts_.disk ? parts_.disk->Measure() : std::nullopt; }

std::optional<uint64_t> ProcessWarden::MemoryExhausted() {
  if (parts_.group->OutOfMemoryKills() <= oom_kills_before_) return std::nullopt;
  return parts_.group->PeakMemoryBytes();
}

std::vector<std::string> ProcessWarden::TakeDenials() {
  if (parts_.flush) parts_.flush();
  return parts_.denials->Take();
}

}  // namespace paddock::process_wall
