#include "drivers/process/protect/absent_path.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "drivers/process/protect/safe_open.h"

namespace paddock::process_wall {

std::optional<SweepItem> SweepAbsent(int root, const std::string& path, int64_t started, const std::string& why, Quarantine& quarantine) {
  for (size_t start = 0;;) {
    const size_t slash = path.find('/', start);
    const std::string name = path.substr(start, slash - start);
    const auto parent = OpenBeneath(root, start == 0 ? "." : path.substr(0, start - 1), O_RDONLY | O_DIRECTORY);
    struct stat status {};
    if (!parent || fstatat(parent->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    const bool is_last = slash == std::string::npos;
    start = slash + 1;
    if (!is_last && S_ISDIR(status.st_mode)) continue;
    // Through a link that was there before it is another path, which a rule of its own is for.
    if (!is_last && (!S_ISLNK(status.st_mode) || status.st_ctime < started)) return std::nullopt;
    SweepItem item{.action = SweepItem::Action::kQuarantined, .path = path.substr(0, slash), .why = why, .kept = {}};
    if (auto kept = quarantine.Take(parent->get(), item.path, name)) {
      item.kept = std::move(*kept);
    } else {
      item.action = SweepItem::Action::kFailed;
      item.why += "; it could not be moved: " + std::string(CodeText(kept.error().code));
    }
    return item;
  }
}

}  // namespace paddock::process_wall
