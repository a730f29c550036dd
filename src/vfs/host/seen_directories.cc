#include "vfs/host/seen_directories.h"

#include <algorithm>

#include "vfs/host/recent_directories.h"

namespace paddock::vfs {
namespace {

// As deep as the trees go that people work in, twice.
constexpr size_t kMaxSeen = 16;

}  // namespace

const SeenDirectories::Seen* SeenDirectories::Find(NodeId parent, std::string_view name) const {
  for (const Seen& seen : seen_) {
    if (seen.parent != parent || seen.name != name) continue;
    return seen.tick == RecentDirectories::CoarseNow() ? &seen : nullptr;
  }
  return nullptr;
}

void SeenDirectories::Add(NodeId parent, std::string_view name, NodeId node, const struct stat& found) {
  if (memory_ == HostMemory::kNone) return;
  auto place = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& seen) { return seen.parent == parent && seen.name == name; });
  if (place == seen_.end()) {
    if (seen_.size() < kMaxSeen) {
      place = seen_.emplace(seen_.end());
    } else {
      place = seen_.begin() + static_cast<std::ptrdiff_t>(next_);
      next_ = (next_ + 1) % kMaxSeen;
    }
  }
  *place = {parent, std::string(name), node, RecentDirectories::CoarseNow(), found};
}

}  // namespace paddock::vfs
