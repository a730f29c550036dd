#include "drivers/process/disk_watch.h"

#include <dirent.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <set>
#include <string>

#include "overlay/usage.h"

namespace paddock::process_wall {
namespace {

using std::chrono::steady_clock;

constexpr uint64_t kBlock = 512;           // the unit of st_blocks
constexpr size_t kMostDescriptors = 50'000;

}  // namespace

DiskWatch::DiskWatch(Descriptor upper, pid_t init, uint64_t limit)
    : upper_(std::move(upper)), init_(init), limit_(limit), used_before_(UsedByAll()) {}

uint64_t DiskWatch::UsedByAll() const {
  struct statvfs status {};
  if (fstatvfs(upper_.get(), &status) != 0) return 0;
  return static_cast<uint64_t>(status.f_blocks - status.f_bfree) * status.f_frsize;
}

uint64_t DiskWatch::HeldByDeleted() const {
  struct statfs ours {};
  if (fstatfs(upper_.get(), &ours) != 0) return 0;
  uint64_t held = 0;
  size_t seen = 0;
  std::set<std::pair<dev_t, ino_t>> counted;
  for (const pid_t process : Descendants(init_)) {
    const std::string directory = "/proc/" + std::to_string(process) + "/fd";
    DIR* const list = opendir(directory.c_str());
    if (list == nullptr) continue;
    while (const dirent* entry = readdir(list)) {
      if (++seen > kMostDescriptors) break;
      const std::string path = directory + "/" + entry->d_name;
      struct stat status {};
      if (entry->d_name[0] == '.' || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 0) continue;
      // An overlay mount tells its own kind, and the size of what its upper directory is on.
      struct statfs there {};
      if (statfs(path.c_str(), &there) != 0 || there.f_type != OVERLAYFS_SUPER_MAGIC || there.f_blocks != ours.f_blocks) continue;
      if (counted.emplace(status.st_dev, status.st_ino).second) held += static_cast<uint64_t>(status.st_blocks) * kBlock;
    }
    closedir(list);
  }
  return held;
}

std::optional<UsageWatch::Excess> DiskWatch::MeasureLocked(uint64_t used_by_all) {
  const auto began = steady_clock::now();
  const overlay::TreeUsage tree = overlay::MeasureTree(upper_.get(), limit_ + 1);
  uint64_t bytes = tree.bytes;
  if (bytes <= limit_) bytes += HeldByDeleted();
  // What hides from measuring counts as all that the file system has gained meanwhile.
  if (!tree.is_complete) bytes = std::max(bytes, used_by_all - std::min(used_by_all, used_before_));
  const auto ended = steady_clock::now();
  last_used_ = used_by_all;
  last_bytes_ = bytes;
  soonest_ = ended + 4 * (ended - began);
  latest_ = ended + std::max<steady_clock::duration>(std::chrono::seconds(1), 20 * (ended - began));
  if (bytes <= limit_) return std::nullopt;
  return UsageWatch::Excess{sandbox::Termination::Reason::kDisk, "disk", bytes};
}

std::optional<UsageWatch::Excess> DiskWatch::Look() {
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  const uint64_t used = UsedByAll();
  const uint64_t gained = used - std::min(used, last_used_);
  const bool may_be_over = last_bytes_ + gained > limit_;
  if (now < (may_be_over ? soonest_ : latest_)) return std::nullopt;
  return MeasureLocked(used);
}

std::optional<UsageWatch::Excess> DiskWatch::Measure() {
  const std::lock_guard lock(mutex_);
  return MeasureLocked(UsedByAll());
}

}  // namespace paddock::process_wall
