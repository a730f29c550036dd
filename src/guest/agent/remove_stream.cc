#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "guest/agent/file_streams.h"

namespace paddock::guest {
namespace {

// Goes down by descriptors and never through a symlink: what it removes lies below where it began, whatever is moved
// around meanwhile.
class TreeRemover final : public Stream, private Outbox::Source {
 public:
  TreeRemover(const StreamPlace& place, std::string path) : place_(place), path_(std::move(path)) { place_.outbox.Schedule(*this); }
  ~TreeRemover() override { place_.outbox.Unschedule(*this); }

  Status Receive(const Frame&) override { return Error(Code::kInvalid, "guest protocol: not a message to this stream"); }

 private:
  struct Level {
    std::unique_ptr<DIR, int (*)(DIR*)> folder;
    std::string name;   // within the level above
  };

  bool Produce(Outbox&) override {
    constexpr int kSteps = 64;
    for (int step = 0; step < kSteps && !is_over_; ++step) Step();
    return !is_over_;
  }

  void Fail(int error_number) {
    is_over_ = true;
    place_.Fail(error_number);
  }

  void Step() {
    if (levels_.empty()) return Begin();
    Level& level = levels_.back();
    errno = 0;
    const dirent* entry = readdir(level.folder.get());
    if (entry == nullptr) return errno != 0 ? Fail(errno) : Leave();
    const std::string name = entry->d_name;
    if (name == "." || name == "..") return;
    const int folder = dirfd(level.folder.get());
    if (unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return;
    if (errno != EISDIR && errno != EPERM) return Fail(errno);
    if (unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return;
    if (errno != ENOTEMPTY && errno != EEXIST) return Fail(errno);
    if (levels_.size() >= kMostLevels) {
      // Too deep for the descriptors: it goes on as a child of the top.
      const std::string flat = ".paddock-" + std::to_string(++flattened_);
      if (renameat(folder, name.c_str(), dirfd(levels_.front().folder.get()), flat.c_str()) != 0) return Fail(errno);
      return;
    }
    Enter(folder, name);
  }

  void Begin() {
    if (unlink(path_.c_str()) == 0) return Finish();
    if (errno != EISDIR && errno != EPERM) return Fail(errno);
    Enter(AT_FDCWD, path_);
  }

  void Enter(int parent, const std::string& name) {
    const int fd = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return Fail(errno);
    DIR* folder = fdopendir(fd);
    if (folder == nullptr) {
      close(fd);
      return Fail(ENOMEM);
    }
    levels_.push_back({{folder, closedir}, name});
  }

  void Leave() {
    const std::string name = levels_.back().name;
    const bool is_top = levels_.size() == 1;
    const int parent = is_top ? AT_FDCWD : dirfd(levels_[levels_.size() - 2].folder.get());
    if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) {
      levels_.pop_back();
      if (is_top) Finish();
      return;
    }
    // Something has come in behind the reader, or was moved up: once more, not for ever.
    if ((errno == ENOTEMPTY || errno == EEXIST) && ++rereads_ < kMostRereads) return rewinddir(levels_.back().folder.get());
    Fail(errno);
  }

  void Finish() {
    is_over_ = true;
    place_.Reply();
  }

  static constexpr size_t kMostLevels = 64;
  static constexpr int kMostRereads = 100'000;

  const StreamPlace place_;
  const std::string path_;
  std::vector<Level> levels_;
  uint64_t flattened_ = 0;
  int rereads_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<Stream> RemoveTreeStream(const StreamPlace& place, const std::string& path) {
  return std::make_unique<TreeRemover>(place, path);
}

}  // namespace paddock::guest
