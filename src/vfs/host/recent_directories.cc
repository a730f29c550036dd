#include "vfs/host/recent_directories.h"

#include <fcntl.h>
#include <time.h>

#include <algorithm>
#include <utility>

namespace paddock::vfs {
namespace {

// As deep as the trees go that people work in; each costs a descriptor for as long as the volume.
constexpr size_t kMaxRemembered = 8;

}  // namespace

std::chrono::nanoseconds RecentDirectories::CoarseNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

RecentDirectories::Remembered* RecentDirectories::Find(NodeId node) {
  for (Remembered& directory : directories_) {
    if (directory.node != node) continue;
    directory.last_use = ++uses_;
    return &directory;
  }
  return nullptr;
}

void RecentDirectories::Trust(NodeId node) {
  trusted_ = node;
  trusted_since_ = CoarseNow();
}

// A tick is longer than the rest of a walk takes, and too short to matter to who did not walk here.
bool RecentDirectories::IsTrusted(NodeId node) const {
  return trusted_ == node && trusted_since_ == CoarseNow();
}

void RecentDirectories::Saw(NodeId node, const struct stat& found) {
  trusted_ = 0;
  if (!S_ISDIR(found.st_mode)) return;
  const Remembered* directory = Find(node);
  if (directory == nullptr) return;
  if (directory->device == found.st_dev && directory->inode == found.st_ino) Trust(node);
}

Result<int> RecentDirectories::Open(BeneathOpener& opener, NodeId node, const std::string& path) {
  Remembered* directory = Find(node);
  if (directory != nullptr && IsTrusted(node)) return directory->file.get();
  trusted_ = 0;
  PADDOCK_ASSIGN(HostDescriptor file, opener.Open(path, O_PATH | O_DIRECTORY));
  struct stat found;
  if (fstat(file.get(), &found) != 0) return CodeOf(errno);
  if (directory == nullptr && directories_.size() < kMaxRemembered) {
    directory = &directories_.emplace_back();
  } else if (directory == nullptr) {
    directory = &*std::min_element(
        directories_.begin(), directories_.end(),
        [](const Remembered& a, const Remembered& b) { return a.last_use < b.last_use; });
  }
  *directory = {node, std::move(file), found.st_dev, found.st_ino, ++uses_};
  Trust(node);
  return directory->file.get();
}

}  // namespace paddock::vfs
