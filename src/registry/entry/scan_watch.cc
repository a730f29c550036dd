#include "registry/entry/scan_watch.h"

#include <algorithm>
#include <vector>

namespace paddock::registry {

using sandbox::FileEvent;

Result<std::unique_ptr<ScanWatch>> ScanWatch::Make(Look look, std::string path, bool is_recursive) {
  std::unique_ptr<ScanWatch> watch(new ScanWatch(std::move(look), std::move(path), is_recursive));   // allow(raw-new): private constructor
  PADDOCK_ASSIGN(watch->tree_, watch->Scan());
  return watch;
}

Result<ScanWatch::Tree> ScanWatch::Scan() {
  Tree tree;
  PADDOCK_TRY(look_([&](vfs::FileSystem& files) -> Status {
    tree.clear();
    struct Waiting {
      std::string path;
      size_t depth;
    };
    std::vector<Waiting> waiting = {{path_, 0}};
    while (!waiting.empty()) {
      const Waiting next = std::move(waiting.back());
      waiting.pop_back();
      const auto facts = files.Stat(next.path, next.depth == 0 ? vfs::Follow::kYes : vfs::Follow::kNo);
      if (!facts && next.depth == 0) return facts.error();
      if (!facts) continue;
      if (tree.size() >= kMostFiles) return Error(Code::kLimit, path_ + " holds more than " + std::to_string(kMostFiles) + " files; watch a directory below it");
      tree[next.path] = {.inode = facts->inode, .size = facts->is_directory() ? 0 : facts->size, .change = static_cast<uint64_t>(facts->change_time.count()),
                         .modify = static_cast<uint64_t>(facts->modify_time.count()), .mode = facts->mode, .is_directory = facts->is_directory()};
      if (!facts->is_directory() || next.depth >= kMostDepth || (next.depth > 0 && !is_recursive_)) continue;
      if (next.path == "/proc" || next.path == "/dev" || next.path == "/sys") continue;
      const auto names = files.List(next.path);
      if (!names) continue;   // may not be read: what is in it is not seen
      for (const vfs::DirectoryEntry& entry : *names) waiting.push_back({vfs::JoinPath(next.path, entry.name), next.depth + 1});
    }
    return {};
  }));
  return tree;
}

Result<std::vector<FileEvent>> ScanWatch::Take() {
  auto scanned = Scan();
  if (!scanned && scanned.error().code == Code::kBusy) return std::vector<FileEvent>();
  const bool is_gone = !scanned && (scanned.error().code == Code::kNoEntry || scanned.error().code == Code::kNotDirectory);
  if (!scanned && !is_gone) return scanned.error();
  Tree now = is_gone ? Tree() : std::move(*scanned);
  std::vector<FileEvent> events;
  std::multimap<uint64_t, std::string> gone;   // by inode
  for (const auto& [path, was] : tree_) {
    const auto is = now.find(path);
    if (is == now.end() || is->second.inode != was.inode) gone.emplace(was.inode, path);
  }
  std::map<std::string, std::string> moved;   // to, from
  for (const auto& [path, is] : now) {
    const auto was = tree_.find(path);
    const bool is_new = was == tree_.end() || was->second.inode != is.inode;
    if (!is_new) continue;
    const auto source = gone.find(is.inode);
    if (source != gone.end() && tree_.at(source->second).is_directory == is.is_directory) {
      moved[path] = source->second;
      gone.erase(source);
    }
  }
  // What went first, deepest first; then what moved and came, outermost first.
  std::vector<std::string> removed;
  for (const auto& [inode, path] : gone) {
    const auto is = now.find(path);
    const bool is_replaced = is != now.end() && is->second.is_directory == tree_.at(path).is_directory && !moved.contains(path);
    if (!is_replaced) removed.push_back(path);
  }
  std::sort(removed.rbegin(), removed.rend());
  for (const std::string& path : removed) events.push_back({.kind = FileEvent::Kind::kRemoved, .is_directory = tree_.at(path).is_directory, .path = path, .from = {}});
  for (const auto& [path, is] : now) {
    const auto was = tree_.find(path);
    if (const auto from = moved.find(path); from != moved.end()) {
      // What moved with its directory is told with that.
      const size_t slash = path.rfind('/'), from_slash = from->second.rfind('/');
      const auto parent = moved.find(path.substr(0, slash));
      const bool came_along = parent != moved.end() && parent->second == from->second.substr(0, from_slash) && path.substr(slash) == from->second.substr(from_slash);
      if (!came_along) events.push_back({.kind = FileEvent::Kind::kMoved, .is_directory = is.is_directory, .path = path, .from = from->second});
      const Seen& old = tree_.at(from->second);
      if (!is.is_directory && (old.size != is.size || old.modify != is.modify)) events.push_back({.kind = FileEvent::Kind::kModified, .is_directory = false, .path = path, .from = {}});
    } else if (was == tree_.end() || was->second.is_directory != is.is_directory) {
      events.push_back({.kind = FileEvent::Kind::kCreated, .is_directory = is.is_directory, .path = path, .from = {}});
    } else if (was->second.inode != is.inode) {   // another file took its place
      events.push_back({.kind = FileEvent::Kind::kModified, .is_directory = is.is_directory, .path = path, .from = {}});
    } else if (!is.is_directory && (was->second.size != is.size || was->second.modify != is.modify)) {
      events.push_back({.kind = FileEvent::Kind::kModified, .is_directory = false, .path = path, .from = {}});
    } else if (was->second.mode != is.mode) {
      events.push_back({.kind = FileEvent::Kind::kAttributes, .is_directory = is.is_directory, .path = path, .from = {}});
    }
  }
  tree_ = std::move(now);
  if (is_gone) return events.empty() ? Result<std::vector<FileEvent>>(Error(Code::kNoEntry, path_ + " is gone")) : Result<std::vector<FileEvent>>(std::move(events));
  return events;
}

}  // namespace paddock::registry
