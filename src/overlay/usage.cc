#include "overlay/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include "overlay/beneath.h"

namespace paddock::overlay {
namespace {

constexpr uint64_t kMostMeasured = 10'000'000;
constexpr uint64_t kBlock = 512;   // the unit of st_blocks

}  // namespace

TreeUsage MeasureTree(int top, uint64_t enough) {
  TreeUsage usage;
  std::vector<std::string> pending = {""};
  while (!pending.empty() && usage.bytes < enough) {
    const std::string path = std::move(pending.back());
    pending.pop_back();
    auto opened = OpenBeneath(top, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!opened) {
      if (opened.error().code != Code::kNoEntry) usage.is_complete = false;
      continue;
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(opened->get()), closedir);
    if (stream == nullptr) {
      usage.is_complete = false;
      continue;
    }
    const int directory = opened->Release();
    while (const dirent* entry = readdir(stream.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (++usage.entries > kMostMeasured) {
        usage.is_complete = false;
        return usage;
      }
      struct stat status {};
      if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;   // gone again
      const auto names = static_cast<uint64_t>(S_ISDIR(status.st_mode) || status.st_nlink == 0 ? 1 : status.st_nlink);
      usage.bytes += kBytesPerEntry + static_cast<uint64_t>(status.st_blocks) * kBlock / names;
      if (S_ISDIR(status.st_mode)) pending.push_back(Joined(path, name));
    }
  }
  return usage;
}

}  // namespace paddock::overlay
