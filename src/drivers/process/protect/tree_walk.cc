#include "drivers/process/protect/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "drivers/process/protect/safe_open.h"

namespace paddock::process_wall {
namespace {

struct Level {
  dev_t device = 0;
  ino_t inode = 0;
  size_t path_size = 0;                        // of the path of this directory
  std::vector<TreeVisitor::Descent> pending;   // taken from the back
};

class Walk {
 public:
  Walk(const WalkBudget& budget, TreeVisitor& visitor) : budget_(budget), visitor_(visitor) {}

  Status Run(int root, int zone) {
    PADDOCK_ASSIGN(here_, OpenBeneath(root, ".", O_RDONLY | O_DIRECTORY));
    PADDOCK_TRY(Enter(zone));
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.pending.empty()) {
        PADDOCK_TRY(Leave());
        continue;
      }
      const TreeVisitor::Descent next = std::move(level.pending.back());
      level.pending.pop_back();
      path_.resize(level.path_size);
      if (!path_.empty()) path_ += '/';
      path_ += next.name;
      auto child = OpenDirectory(next.name);
      if (!child) {
        visitor_.Unreadable(path_, child.error().code);   // kCrossDevice: another mount
        continue;
      }
      here_ = std::move(*child);
      PADDOCK_TRY(Enter(next.zone));
    }
    return {};
  }

 private:
  Result<Descriptor> OpenDirectory(const std::string& name) {
    auto child = OpenBeneath(here_.get(), name, O_RDONLY | O_DIRECTORY);
    if (child || child.error().code != Code::kAccess || !budget_.opens_shut) return child;
    // Its owner may have shut it against looks; he is us.
    struct stat status {};
    if (fstatat(here_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode)) return child;
    PADDOCK_TRY(SetMode(here_.get(), name, (status.st_mode & 07777) | S_IRWXU));
    return OpenBeneath(here_.get(), name, O_RDONLY | O_DIRECTORY);
  }

  // Reads the directory that is open and asks the visitor.
  Status Enter(int zone) {
    struct stat status {};
    if (fstat(here_.get(), &status) != 0) return static_cast<Code>(errno);
    PADDOCK_ASSIGN(const std::vector<WalkEntry> entries, ReadEntries());
    Level level{.device = status.st_dev, .inode = status.st_ino, .path_size = path_.size(), .pending = {}};
    level.pending = visitor_.Visit({.directory = here_.get(), .path = path_, .depth = static_cast<int>(levels_.size())}, entries, zone);
    levels_.push_back(std::move(level));
    return {};
  }

  Result<std::vector<WalkEntry>> ReadEntries() {
    const int copy = fcntl(here_.get(), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return static_cast<Code>(errno);
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(copy), closedir);
    if (stream == nullptr) {
      close(copy);
      return static_cast<Code>(errno);
    }
    std::vector<WalkEntry> entries;
    while (const dirent* entry = readdir(stream.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (++seen_ > budget_.entries) return Error(Code::kLimit, "the tree has more than " + std::to_string(budget_.entries) + " files");
      if (entries.size() >= budget_.directory_entries) {
        visitor_.Unreadable(path_, Code::kLimit);   // what is left of it; the rest of the tree is walked
        break;
      }
      if (seen_ % 4096 == 0 && std::chrono::steady_clock::now() - start_ > budget_.time) {
        return Error(Code::kLimit, "the tree took longer than " + std::to_string(budget_.time.count()) + " ms");
      }
      entries.push_back({std::string(name), entry->d_type});
    }
    for (WalkEntry& entry : entries) {
      if (entry.type != DT_UNKNOWN) continue;
      struct stat status {};
      if (fstatat(here_.get(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) entry.type = IFTODT(status.st_mode);
    }
    return entries;
  }

  Status Leave() {
    levels_.pop_back();
    if (levels_.empty()) return {};
    const int up = openat(here_.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (up < 0) return static_cast<Code>(errno);
    here_.Reset(up);
    struct stat status {};
    const Level& level = levels_.back();
    if (fstat(up, &status) != 0 || status.st_dev != level.device || status.st_ino != level.inode) {
      return Error(Code::kInternal, "the tree changed while it was walked");
    }
    return {};
  }

  const WalkBudget& budget_;
  TreeVisitor& visitor_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Descriptor here_;
  std::string path_;
  std::vector<Level> levels_;
  size_t seen_ = 0;
};

}  // namespace

Status WalkTree(int root, int zone, const WalkBudget& budget, TreeVisitor& visitor) { return Walk(budget, visitor).Run(root, zone); }

}  // namespace paddock::process_wall
