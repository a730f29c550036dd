#include "drivers/process/disk_watch.h"

#include <dirent.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "overlay/usage.h"

namespace paddock::process_wall {
namespace {

using std::chrono::steady_clock;

constexpr uint64_t kBlock = 512;           // the unit of st_blocks
constexpr size_t kMostDescriptors = 50'000;
constexpr uint64_t kNoEnd = std::numeric_limits<uint64_t>::max();

}  // namespace

DiskWatch::DiskWatch(std::vector<Tree> trees, Bounds bounds) : bounds_(bounds) {
  for (Tree& tree : trees) {
    Watched watched{.tree = std::move(tree), .before = {}};
    if (!watched.tree.is_overlay) {
      const overlay::TreeUsage usage = overlay::MeasureTree(watched.tree.directory.get(), kNoEnd);
      watched.before = {.bytes = usage.bytes, .files = usage.entries, .is_complete = usage.is_complete};
    }
    watched_.push_back(std::move(watched));
  }
  used_before_ = last_used_ = UsedByAll();
}

DiskWatch::Use DiskWatch::UsedByAll() const {
  Use used;
  std::set<unsigned long> counted;
  for (const Watched& watched : watched_) {
    struct statvfs status {};
    if (fstatvfs(watched.tree.directory.get(), &status) != 0 || !counted.insert(status.f_fsid).second) continue;
    used.bytes += static_cast<uint64_t>(status.f_blocks - status.f_bfree) * status.f_frsize;
    used.files += static_cast<uint64_t>(status.f_files - status.f_ffree);
  }
  return used;
}

uint64_t DiskWatch::HeldByDeleted() const {
  // An overlay mount tells its own kind, and the size of what its upper directory is on; others tell their device.
  std::set<dev_t> devices;
  std::set<decltype(statfs::f_blocks)> overlay_sizes;
  for (const Watched& watched : watched_) {
    struct statfs system {};
    struct stat status {};
    if (watched.tree.is_overlay && fstatfs(watched.tree.directory.get(), &system) == 0) overlay_sizes.insert(system.f_blocks);
    if (!watched.tree.is_overlay && fstat(watched.tree.directory.get(), &status) == 0) devices.insert(status.st_dev);
  }
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
      struct statfs system {};
      const bool is_on_overlay = !overlay_sizes.empty() && statfs(path.c_str(), &system) == 0 &&
                                 system.f_type == OVERLAYFS_SUPER_MAGIC && overlay_sizes.contains(system.f_blocks);
      if (!is_on_overlay && !devices.contains(status.st_dev)) continue;
      if (counted.emplace(status.st_dev, status.st_ino).second) held += static_cast<uint64_t>(status.st_blocks) * kBlock;
    }
    closedir(list);
  }
  return held;
}

DiskWatch::Amount DiskWatch::Added() const {
  Amount added;
  for (const Watched& watched : watched_) {
    const uint64_t enough = bounds_.bytes ? watched.before.bytes + *bounds_.bytes + 1 : kNoEnd;
    const overlay::TreeUsage now = overlay::MeasureTree(watched.tree.directory.get(), enough);
    added.bytes += now.bytes - std::min(now.bytes, watched.before.bytes);
    added.files += now.entries - std::min(now.entries, watched.before.files);
    added.is_complete &= now.is_complete;
  }
  return added;
}

std::optional<UsageWatch::Excess> DiskWatch::MeasureLocked(Use used_by_all) {
  const auto began = steady_clock::now();
  Amount added = Added();
  if (bounds_.bytes && added.bytes <= *bounds_.bytes) added.bytes += HeldByDeleted();
  // What hides from measuring counts as all that the file system has gained meanwhile.
  if (!added.is_complete) added.bytes = std::max(added.bytes, used_by_all.bytes - std::min(used_by_all.bytes, used_before_.bytes));
  const auto ended = steady_clock::now();
  last_used_ = used_by_all;
  last_added_ = {.bytes = added.bytes, .files = added.files};
  last_written_ = init_ > 0 ? WrittenInside(init_) : std::nullopt;
  soonest_ = ended + 4 * (ended - began);
  latest_ = ended + std::max<steady_clock::duration>(std::chrono::seconds(1), 20 * (ended - began));
  const auto reason = sandbox::Termination::Reason::kDisk;
  if (bounds_.bytes && added.bytes > *bounds_.bytes) return UsageWatch::Excess{reason, "disk", added.bytes};
  if (bounds_.files && added.files > *bounds_.files) return UsageWatch::Excess{reason, "files", added.files};
  return std::nullopt;
}

std::optional<UsageWatch::Excess> DiskWatch::Look() {
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  const Use used = UsedByAll();
  bool is_near = false;
  const auto may_pass = [&is_near](const std::optional<uint64_t>& bound, uint64_t added, uint64_t now_used, uint64_t then_used) {
    const uint64_t at_most = added + (now_used - std::min(now_used, then_used));
    is_near |= bound && at_most > *bound / 4;
    return bound && at_most > *bound;
  };
  const bool may_be_over = may_pass(bounds_.bytes, last_added_.bytes, used.bytes, last_used_.bytes) ||
                           may_pass(bounds_.files, last_added_.files, used.files, last_used_.files);
  is_near_ = is_near;
  if (may_be_over && bounds_.bytes && last_written_) {
    const uint64_t left = *bounds_.bytes - std::min(*bounds_.bytes, last_added_.bytes);
    const auto written = WrittenInside(init_);
    if (written && *written > *last_written_ + left) {
      const HeldProcesses held(init_);
      auto excess = MeasureLocked(UsedByAll());
      if (excess) KillFromOutside(init_);   // or they would go on until the caller does
      return excess;
    }
  }
  if (now < (may_be_over ? soonest_ : latest_)) return std::nullopt;
  return MeasureLocked(used);
}

std::optional<UsageWatch::Excess> DiskWatch::Measure() {
  const std::lock_guard lock(mutex_);
  return MeasureLocked(UsedByAll());
}

}  // namespace paddock::process_wall
