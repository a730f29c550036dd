#include "drivers/process/guest_watch.h"

#include <map>

namespace paddock::process_wall {

using Kind = sandbox::FileEvent::Kind;

std::vector<sandbox::FileEvent> EventsOf(const std::vector<guest::WatchEvent>& events, const std::string& path) {
  std::vector<sandbox::FileEvent> list;
  std::map<uint32_t, size_t> halves;   // by cookie, what has moved away
  for (const guest::WatchEvent& event : events) {
    sandbox::FileEvent one{.kind = Kind::kLost, .is_directory = event.is_directory, .path = path, .from = {}};
    if (!event.path.empty()) one.path += (path.ends_with('/') ? "" : "/") + event.path;
    switch (event.kind) {
      case guest::WatchKind::kCreated: one.kind = Kind::kCreated; break;
      case guest::WatchKind::kModified: one.kind = Kind::kModified; break;
      case guest::WatchKind::kAttributes: one.kind = Kind::kAttributes; break;
      case guest::WatchKind::kRemoved: one.kind = Kind::kRemoved; break;
      case guest::WatchKind::kMovedFrom:
        one.kind = Kind::kRemoved;
        halves[event.cookie] = list.size();
        break;
      case guest::WatchKind::kMovedTo:
        one.kind = Kind::kCreated;
        if (const auto half = halves.find(event.cookie); half != halves.end()) {
          sandbox::FileEvent& moved = list[half->second];
          moved.kind = Kind::kMoved;
          moved.from = std::move(moved.path);
          moved.path = std::move(one.path);
          halves.erase(half);
          continue;
        }
        break;
      case guest::WatchKind::kLost: break;
    }
    // A file that is written again and again is told once.
    if (one.kind == Kind::kModified && !list.empty() && list.back() == one) continue;
    list.push_back(std::move(one));
  }
  return list;
}

Result<std::vector<sandbox::FileEvent>> GuestFileWatch::Take() {
  auto events = watch_->Next(std::chrono::steady_clock::now());
  if (!events && events.error().code == Code::kTimedOut) return std::vector<sandbox::FileEvent>();
  if (!events) return events.error();
  return EventsOf(*events, path_);
}

}  // namespace paddock::process_wall
