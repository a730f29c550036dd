// Unpacks a tar archive below a directory as it comes. Nothing is made outside of it (tree_walk.h); what cannot be made is told
// by name at the end, and the rest is made all the same.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "guest/agent/file_streams.h"
#include "guest/agent/path_calls.h"
#include "guest/agent/tree_report.h"
#include "guest/agent/tree_walk.h"
#include "guest/protocol/tar.h"

namespace paddock::guest {
namespace {

constexpr size_t kMostLaterBytes = 16 << 20;   // of directories whose attributes are set at the end

timespec TimeOf(int64_t nanoseconds) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t seconds = nanoseconds / kSecond - (nanoseconds % kSecond < 0 ? 1 : 0);
  return {.tv_sec = seconds, .tv_nsec = nanoseconds - seconds * kSecond};
}

class TreeUnpacker final : public Stream, private TarReader::Visitor, private Outbox::Source {
 public:
  TreeUnpacker(const StreamPlace& place, Descriptor root, const UnpackRequest& request)
      : place_(place), walk_(std::move(root)), request_(request) {}
  ~TreeUnpacker() override {
    place_.outbox.Unschedule(*this);
    Abandon();
  }

  Status Receive(const Frame& frame) override {
    if (is_over_) return {};
    if (frame.header.flags != kChannelIn || has_ended_) return Error(Code::kInvalid, "guest protocol: no such channel");
    if (frame.header.type == FrameType::kEnd) {
      has_ended_ = true;
      if (const Status whole = reader_.Finish(); !whole) return Fail(whole.error());
      place_.outbox.Schedule(*this);   // to set what directories wait for
      return {};
    }
    if (frame.header.type != FrameType::kData) return Error(Code::kInvalid, "guest protocol: not a message to an archive");
    const auto size = static_cast<uint32_t>(frame.payload.size());
    PADDOCK_TRY(window_.Receive(size));
    if (const Status fed = reader_.Feed(frame.payload, *this); !fed) return Fail(fed.error());
    if (const uint32_t grant = window_.Consume(size); grant > 0) {
      place_.outbox.Frame(place_.number, FrameType::kWindow, kChannelIn, EncodeU32(grant));
    }
    return {};
  }

 private:
  // A directory gets its mode and times when nothing more is made in it.
  struct Later {
    std::vector<std::string> components;
    TarEntry entry;
  };

  Status Fail(const Error& error) {
    is_over_ = true;
    Abandon();
    place_.Fail(error.code == Code::kNotSupported ? EOPNOTSUPP : EINVAL, error.Text());
    return {};
  }

  // Part of a file is worth nothing, and would look whole.
  void Abandon() {
    if (!file_) return;
    file_.Reset();
    const int parent = walk_.Parent(components_, false);
    if (parent >= 0) unlinkat(parent, components_.back().c_str(), 0);
  }

  void Begin(const TarEntry& entry) override {
    entry_ = entry;
    error_ = 0;
    if (!SplitName(entry.name, components_, error_)) return;
    if (components_.empty()) {
      if (entry.kind != TarEntry::Kind::kDirectory) error_ = EINVAL;
      return;
    }
    const NoUmask no_umask;
    const int parent = walk_.Parent(components_, true);
    error_ = parent < 0 ? errno : Make(parent, components_.back());
  }

  void Data(std::string_view bytes) override {
    while (file_ && !bytes.empty()) {
      const ssize_t written = write(file_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        error_ = errno;
        Abandon();
        return;
      }
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }

  void End() override {
    if (file_ && error_ == 0) {
      error_ = SetAttributes(file_.get(), entry_);
      file_.Reset();
    }
    if (error_ != 0) {
      reporter_.Problem(entry_.name, error_);
    } else {
      reporter_.Count(entry_.kind == TarEntry::Kind::kFile ? entry_.size : 0);
    }
  }

  int Make(int parent, const std::string& name) {
    switch (entry_.kind) {
      case TarEntry::Kind::kFile: return MakeFile(parent, name);
      case TarEntry::Kind::kDirectory: return MakeDirectory(parent, name);
      case TarEntry::Kind::kHardLink: return MakeHardLink(parent, name);
      case TarEntry::Kind::kSymlink: {
        if (entry_.target.empty() || entry_.target.find('\0') != std::string::npos) return EINVAL;
        const int error = Replacing(parent, name, [&] { return symlinkat(entry_.target.c_str(), parent, name.c_str()); });
        return error == 0 ? SetLinkAttributes(parent, name) : error;
      }
      case TarEntry::Kind::kFifo: {
        const mode_t mode = Mode(entry_) & 01777;
        const int error = Replacing(parent, name, [&] { return mknodat(parent, name.c_str(), S_IFIFO | mode, 0); });
        return error == 0 ? SetLinkAttributes(parent, name) : error;
      }
      case TarEntry::Kind::kCharacterDevice:
      case TarEntry::Kind::kBlockDevice: return EPERM;
      case TarEntry::Kind::kOther: break;
    }
    return EOPNOTSUPP;
  }

  // Does it, once more when something that is no directory is in the way and could be removed. 0 or an errno.
  template <class Do>
  static int Replacing(int parent, const std::string& name, const Do& act) {
    if (act() >= 0) return 0;
    if (errno != EEXIST) return errno;
    if (unlinkat(parent, name.c_str(), 0) != 0) return errno;
    return act() >= 0 ? 0 : errno;
  }

  int MakeFile(int parent, const std::string& name) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    int fd = -1;
    const int error = Replacing(parent, name, [&] { return fd = openat(parent, name.c_str(), kFlags, 0600); });
    file_.Reset(fd);
    return error;
  }

  int MakeDirectory(int parent, const std::string& name) {
    // Its own user must be able to make things in it until the end.
    if (mkdirat(parent, name.c_str(), 0700) != 0) {
      if (errno != EEXIST) return errno;
      struct stat stat {};
      if (fstatat(parent, name.c_str(), &stat, AT_SYMLINK_NOFOLLOW) != 0) return errno;
      if (!S_ISDIR(stat.st_mode)) return EEXIST;
    }
    Later later{components_, entry_};
    later.entry.target.clear();
    const size_t bytes = sizeof later + 3 * entry_.name.size() + components_.size() * sizeof(std::string);
    if (later_bytes_ + bytes > kMostLaterBytes) return SetDirectory(later);
    later_bytes_ += bytes;
    later_.push_back(std::move(later));
    return 0;
  }

  int MakeHardLink(int parent, const std::string& name) {
    std::vector<std::string> target;
    int error = 0;
    if (!SplitName(entry_.target, target, error)) return error;
    if (target.empty()) return EINVAL;
    if (target == components_) return EEXIST;
    // A descriptor of its own: the walk forgets the one that it gave when it goes elsewhere.
    const Descriptor to(fcntl(parent, F_DUPFD_CLOEXEC, 0));
    const int from = walk_.Parent(target, false);
    if (!to || from < 0) return errno;
    return Replacing(to.get(), name, [&] { return linkat(from, target.back().c_str(), to.get(), name.c_str(), 0); });
  }

  mode_t Mode(const TarEntry& entry) const { return entry.mode & (request_.keeps_set_id ? 07777u : 01777u); }

  // Of an open file or directory. 0 or the first errno.
  int SetAttributes(int fd, const TarEntry& entry) const {
    const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, TimeOf(entry.modified_ns)};
    if (request_.keeps_owners) {
      if (entry.uid >= ~uint32_t{0} || entry.gid >= ~uint32_t{0}) return EINVAL;
      if (fchown(fd, static_cast<uid_t>(entry.uid), static_cast<gid_t>(entry.gid)) != 0) return errno;
    }
    if (fchmod(fd, Mode(entry)) != 0 || futimens(fd, times) != 0) return errno;
    return 0;
  }

  // Of what cannot be opened.
  int SetLinkAttributes(int parent, const std::string& name) const {
    const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, TimeOf(entry_.modified_ns)};
    if (request_.keeps_owners) {
      if (entry_.uid >= ~uint32_t{0} || entry_.gid >= ~uint32_t{0}) return EINVAL;
      const auto uid = static_cast<uid_t>(entry_.uid);
      const auto gid = static_cast<gid_t>(entry_.gid);
      if (fchownat(parent, name.c_str(), uid, gid, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    }
    return utimensat(parent, name.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
  }

  int SetDirectory(const Later& later) {
    const int parent = walk_.Parent(later.components, false);
    if (parent < 0) return errno;
    const Descriptor folder(openat(parent, later.components.back().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return folder ? SetAttributes(folder.get(), later.entry) : errno;
  }

  bool Produce(Outbox&) override {
    constexpr int kSteps = 128;
    // The last ones first: what lies deeper, before the way there may be closed.
    for (int step = 0; step < kSteps && !later_.empty(); ++step) {
      const int error = SetDirectory(later_.back());
      if (error != 0) reporter_.Problem(later_.back().entry.name, error);
      later_.pop_back();
    }
    if (!later_.empty()) return true;
    is_over_ = true;
    place_.Reply(Encode(reporter_.report()));
    return false;
  }

  const StreamPlace place_;
  TreeWalk walk_;
  const UnpackRequest request_;
  TarReader reader_;
  ReceiveWindow window_;
  bool has_ended_ = false;
  bool is_over_ = false;
  // The entry that is under way.
  TarEntry entry_;
  std::vector<std::string> components_;
  Descriptor file_;
  int error_ = 0;
  std::vector<Later> later_;
  size_t later_bytes_ = 0;
  TreeReporter reporter_;
};

}  // namespace

std::unique_ptr<Stream> UnpackStream(const StreamPlace& place, const UnpackRequest& request) {
  Descriptor root(open(request.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) {
    place.outbox.Error(place.number, errno);
    return nullptr;
  }
  return std::make_unique<TreeUnpacker>(place, std::move(root), request);
}

}  // namespace paddock::guest
