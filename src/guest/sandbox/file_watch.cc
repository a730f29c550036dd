#include "guest/sandbox/file_watch.h"

#include <map>

namespace paddock::guest {

using Kind = sandbox::FileEvent::Kind;

std::vector<sandbox::FileEvent> EventsOf(const std::vector<WatchEvent>& events, const std::string& path) {
  std::vector<sandbox::FileEvent> list;
  std::map<uint32_t, size_t> halves;   // by cookie, what has moved away
  for (const WatchEvent& event : events) {
    sandbox::FileEvent one{.kind = Kind::kLost, .is_directory = event.is_directory, .path = path, .from = {}};
    if (!event.path.empty()) one.path += (path.ends_with('/') ? "" : "/") + event.path;
    switch (event.kind) {
      case WatchKind::kCreated: one.kind = Kind::kCreated; break;
      case WatchKind::kModified: one.kind = Kind::kModified; break;
      case WatchKind::kAttributes: one.kind = Kind::kAttributes; break;
      case WatchKind::kRemoved: one.kind = Kind::kRemoved; break;
      case WatchKind::kMovedFrom:
        one.kind = Kind::kRemoved;
        halves[event.cookie] = list.size();
        break;
      case WatchKind::kMovedTo:
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
      case WatchKind::kLost: break;
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

}  // namespace paddock::guest
