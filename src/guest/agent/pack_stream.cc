// Packs a tree into a tar archive, a frame at a time. It goes down by descriptors and never through a symlink; what it holds is
// one open directory a level and the inodes of files with several names, both bounded.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "base/descriptor.h"
#include "guest/agent/file_streams.h"
#include "guest/agent/tree_report.h"
#include "guest/protocol/tar.h"

namespace paddock::guest {
namespace {

constexpr size_t kMostLevels = 256;
constexpr size_t kMostLinks = 50'000;       // files with several names; those beyond are packed once for each
constexpr size_t kMostLinkBytes = 8 << 20;  // of their names

class TreePacker final : public SendingStream {
 public:
  TreePacker(const StreamPlace& place, const PackRequest& request) : SendingStream(place), request_(request) {}

  // 0 or an errno.
  int Begin() {
    Descriptor root(open(request_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat stat {};
    if (!root || fstat(root.get(), &stat) != 0) return errno;
    device_ = stat.st_dev;
    if (S_ISDIR(stat.st_mode)) {
      if (const int error = Push(std::move(root), ""); error != 0) return error;
    } else if (S_ISREG(stat.st_mode)) {
      std::string name = request_.path;
      while (name.ends_with('/')) name.pop_back();
      PackFile(std::move(root), stat, name.substr(name.rfind('/') + 1));
    } else {
      return EINVAL;
    }
    place_.outbox.Schedule(*this);
    return 0;
  }

 private:
  struct Level {
    std::unique_ptr<DIR, int (*)(DIR*)> folder;
    std::string prefix;   // of the names in it: empty, or with a slash at its end
  };

  bool Produce(Outbox&) override {
    constexpr int kSteps = 64;   // entries that give nothing to send must not hold others up
    const size_t room = Room();
    std::string frame;
    for (int step = 0; step < kSteps && frame.size() < room; ++step) {
      if (!waiting_.empty()) {
        const size_t count = std::min(waiting_.size(), room - frame.size());
        frame.append(waiting_, 0, count);
        waiting_.erase(0, count);
      } else if (file_) {
        Read(frame, room);
      } else if (!levels_.empty()) {
        Step();
      } else if (!is_over_) {
        is_over_ = true;
        waiting_ = TarEnd();
      } else {
        break;
      }
    }
    if (!frame.empty()) SendData(frame);
    if (is_over_ && waiting_.empty()) {
      place_.Reply(Encode(reporter_.report()));
      return false;
    }
    return Room() > 0;
  }

  // More of the file's content: as much as its header said, whatever became of it meanwhile.
  void Read(std::string& frame, size_t room) {
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(left_, room - frame.size()));
    const size_t begin = frame.size();
    frame.resize(begin + wanted);
    ssize_t got = 0;
    if (wanted > 0 && !is_short_) {
      do got = read(file_.get(), frame.data() + begin, wanted);
      while (got < 0 && errno == EINTR);
      if (got <= 0) {
        reporter_.Problem(name_, got < 0 ? errno : ESTALE);
        is_short_ = true;
      }
    }
    // Behind its end come zeroes, which resize() has put there.
    const size_t taken = is_short_ ? wanted : static_cast<size_t>(std::max<ssize_t>(got, 0));
    frame.resize(begin + taken);
    left_ -= taken;
    if (left_ > 0) return;
    file_.Reset();
    waiting_ = std::string(padding_, '\0');
  }

  int Push(Descriptor folder, std::string prefix) {
    DIR* opened = fdopendir(folder.get());
    if (opened == nullptr) return errno;
    static_cast<void>(folder.Release());
    levels_.push_back({{opened, closedir}, std::move(prefix)});
    return 0;
  }

  void Step() {
    Level& level = levels_.back();
    errno = 0;
    const dirent* found = readdir(level.folder.get());
    if (found == nullptr) {
      if (errno != 0) reporter_.Problem(level.prefix, errno);
      levels_.pop_back();
      return;
    }
    const std::string entry = found->d_name;
    if (entry == "." || entry == "..") return;
    const std::string name = level.prefix + entry;
    const int error = Pack(dirfd(level.folder.get()), entry, name);   // `level` may have moved behind this
    if (error != 0) reporter_.Problem(name, error);
  }

  TarEntry EntryOf(const struct stat& stat, std::string name) const {
    TarEntry entry;
    entry.name = std::move(name);
    entry.mode = stat.st_mode & 07777;
    entry.uid = stat.st_uid;
    entry.gid = stat.st_gid;
    constexpr int64_t kSecond = 1'000'000'000;
    if (__builtin_mul_overflow(int64_t{stat.st_mtim.tv_sec}, kSecond, &entry.modified_ns)) entry.modified_ns = 0;
    if (request_.has_exact_times) entry.modified_ns += stat.st_mtim.tv_nsec;
    return entry;
  }

  void Emit(const TarEntry& entry, uint64_t bytes = 0) {
    waiting_ += EncodeTarHeader(entry);
    reporter_.Count(bytes);
  }

  // The name of an earlier entry for the same file, if it had one.
  std::optional<std::string> Earlier(const struct stat& stat, const std::string& name) {
    if (stat.st_nlink < 2 || S_ISDIR(stat.st_mode)) return std::nullopt;
    const auto known = links_.find({stat.st_dev, stat.st_ino});
    if (known != links_.end()) return known->second;
    if (links_.size() < kMostLinks && link_bytes_ + name.size() <= kMostLinkBytes) {
      link_bytes_ += name.size();
      links_.emplace(std::pair(stat.st_dev, stat.st_ino), name);
    }
    return std::nullopt;
  }

  int Pack(int folder, const std::string& entry_name, const std::string& name) {
    struct stat stat {};
    if (name.size() > 4095) return ENAMETOOLONG;
    if (fstatat(folder, entry_name.c_str(), &stat, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT ? 0 : errno;
    TarEntry entry = EntryOf(stat, name);
    switch (stat.st_mode & S_IFMT) {
      case S_IFDIR: return PackDirectory(folder, entry_name, entry);
      case S_IFREG: {
        Descriptor file(openat(folder, entry_name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
        if (!file || fstat(file.get(), &stat) != 0) return errno;
        if (!S_ISREG(stat.st_mode)) return ESTALE;   // another thing has taken its place
        PackFile(std::move(file), stat, name);
        return 0;
      }
      case S_IFLNK: {
        char target[4096];
        const ssize_t size = readlinkat(folder, entry_name.c_str(), target, sizeof target);
        if (size < 0) return errno;
        entry.kind = TarEntry::Kind::kSymlink;
        entry.target.assign(target, static_cast<size_t>(size));
        break;
      }
      case S_IFIFO: entry.kind = TarEntry::Kind::kFifo; break;
      case S_IFCHR:
      case S_IFBLK:
        entry.kind = S_ISCHR(stat.st_mode) ? TarEntry::Kind::kCharacterDevice : TarEntry::Kind::kBlockDevice;
        entry.device_major = major(stat.st_rdev);
        entry.device_minor = minor(stat.st_rdev);
        break;
      default: return EOPNOTSUPP;   // a socket has no place in an archive
    }
    Emit(entry);
    return 0;
  }

  int PackDirectory(int folder, const std::string& entry_name, TarEntry entry) {
    entry.kind = TarEntry::Kind::kDirectory;
    entry.name += '/';
    Emit(entry);
    if (levels_.size() >= kMostLevels) return ENAMETOOLONG;
    Descriptor below(openat(folder, entry_name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    struct stat stat {};
    if (!below || fstat(below.get(), &stat) != 0) return errno;
    if (request_.stays_on_device && stat.st_dev != device_) return 0;
    return Push(std::move(below), entry.name);
  }

  void PackFile(Descriptor file, const struct stat& stat, const std::string& name) {
    TarEntry entry = EntryOf(stat, name);
    if (const auto earlier = Earlier(stat, name)) {
      entry.kind = TarEntry::Kind::kHardLink;
      entry.target = *earlier;
      return Emit(entry);
    }
    entry.size = static_cast<uint64_t>(stat.st_size);
    Emit(entry, entry.size);
    if (entry.size == 0) return;
    file_ = std::move(file);
    name_ = name;
    left_ = entry.size;
    padding_ = TarPadding(entry.size);
    is_short_ = false;
  }

  const PackRequest request_;
  dev_t device_ = 0;
  std::vector<Level> levels_;
  std::string waiting_;   // headers and padding that had no room yet
  Descriptor file_;       // whose content is under way
  std::string name_;
  uint64_t left_ = 0;     // of it
  size_t padding_ = 0;
  bool is_short_ = false; // it has become shorter than its header says
  bool is_over_ = false;
  std::map<std::pair<dev_t, ino_t>, std::string> links_;
  size_t link_bytes_ = 0;
  TreeReporter reporter_;
};

}  // namespace

std::unique_ptr<Stream> PackStream(const StreamPlace& place, const PackRequest& request) {
  auto packer = std::make_unique<TreePacker>(place, request);
  if (const int error = packer->Begin(); error != 0) {
    place.outbox.Error(place.number, error);
    return nullptr;
  }
  return packer;
}

}  // namespace paddock::guest
