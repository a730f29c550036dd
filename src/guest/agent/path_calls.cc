#include "guest/agent/path_calls.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "guest/agent/file_calls.h"

namespace paddock::guest {
namespace {

constexpr size_t kMaxPath = 4095;   // as the kernel's, without the NUL
constexpr int kMaxSymlinks = 40;

int Answer(int result) { return result == 0 ? 0 : errno; }

int64_t Nanoseconds(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

int MakeNode(const FileRequest& request) {
  mode_t type = 0;
  if (request.number < 0 || request.number >= kFileKinds) return EINVAL;
  switch (static_cast<FileKind>(request.number)) {
    case FileKind::kRegular: type = S_IFREG; break;
    case FileKind::kFifo: type = S_IFIFO; break;
    case FileKind::kSocket: type = S_IFSOCK; break;
    case FileKind::kCharacterDevice: type = S_IFCHR; break;
    case FileKind::kBlockDevice: type = S_IFBLK; break;
    default: return EINVAL;
  }
  const NoUmask no_umask;
  const dev_t device = type == S_IFCHR || type == S_IFBLK ? makedev(request.uid, request.gid) : 0;
  return Answer(mknod(request.path.c_str(), type | request.mode, device));
}

// realpath(3) with a choice of what must exist; the walk is ours because what is missing has no realpath.
class Canonical {
 public:
  enum class MustExist : int64_t { kAll = 0, kParent = 1, kNone = 2 };

  Canonical(const std::string& path, MustExist must_exist) : rest_(path), must_exist_(must_exist) {}

  // 0 with `path`, or an errno.
  int Find(std::string& path) {
    for (size_t begin = 0; begin < rest_.size();) {
      const size_t end = std::min(rest_.find('/', begin), rest_.size());
      const std::string name = rest_.substr(begin, end - begin);
      begin = end + 1;
      if (name.empty()) continue;
      if (beyond_ > 0 && must_exist_ != MustExist::kNone) return failure_;
      if (name == ".") continue;
      if (name == "..") {
        path_.resize(path_.empty() ? 0 : path_.rfind('/'));
        beyond_ -= beyond_ > 0 ? 1 : 0;
        continue;
      }
      if (const int error = Take(name, end, begin); error != 0) return error;
      if (path_.size() > kMaxPath) return ENAMETOOLONG;
    }
    if (rest_.ends_with('/') && beyond_ > 0 && failure_ == ENOTDIR && must_exist_ != MustExist::kNone) return ENOTDIR;
    path = path_.empty() ? "/" : path_;
    return 0;
  }

 private:
  void Beyond(const std::string& name, int why) {
    if (beyond_++ == 0) failure_ = why;
    path_ += '/' + name;
  }

  // One component, which ends at `end` of rest_; after a symlink rest_ is what it leads to and `begin` is where that begins.
  int Take(const std::string& name, size_t end, size_t& begin) {
    struct stat stat {};
    const std::string here = path_ + '/' + name;
    if (beyond_ > 0) {
      Beyond(name, ENOENT);
      return 0;
    }
    if (lstat(here.c_str(), &stat) != 0) {
      if (must_exist_ == MustExist::kAll || (must_exist_ == MustExist::kParent && errno != ENOENT)) return errno;
      Beyond(name, errno);
      return 0;
    }
    if (S_ISLNK(stat.st_mode) && links_left_-- > 0) {
      char target[kMaxPath + 1];
      const ssize_t size = readlink(here.c_str(), target, sizeof target);
      if (size <= 0) return size < 0 ? errno : ENOENT;
      std::string whole(target, static_cast<size_t>(size));
      if (end < rest_.size()) whole += rest_.substr(end);
      if (whole.size() > 16 * kMaxPath) return ENAMETOOLONG;
      rest_ = std::move(whole);
      begin = 0;
      if (rest_.starts_with('/')) path_.clear();
      return 0;
    }
    if (S_ISLNK(stat.st_mode) && must_exist_ != MustExist::kNone) return ELOOP;
    if (S_ISDIR(stat.st_mode)) {
      path_ = here;
    } else {
      Beyond(name, ENOTDIR);
    }
    return 0;
  }

  std::string rest_;
  const MustExist must_exist_;
  std::string path_;     // "" for the root; the last beyond_ components are missing, or the first of them is no directory
  size_t beyond_ = 0;
  int failure_ = 0;      // why beyond_ is not zero
  int links_left_ = kMaxSymlinks;
};

int Space(const std::string& path, std::string& reply) {
  struct statfs found {};
  if (statfs(path.c_str(), &found) != 0) return errno;
  FileSpace space;
  const uint64_t unit = static_cast<uint64_t>(found.f_frsize > 0 ? found.f_frsize : found.f_bsize);
  space.type = static_cast<uint64_t>(found.f_type) & 0xffffffff;   // negative in some headers
  if (unit == 0 || found.f_blocks > UINT64_MAX / unit) return EOVERFLOW;
  space.total_bytes = found.f_blocks * unit;
  space.free_bytes = std::min<uint64_t>(found.f_bfree, found.f_blocks) * unit;
  space.total_inodes = found.f_files;
  space.free_inodes = std::min<uint64_t>(found.f_ffree, found.f_files);
  reply = Encode(space);
  return 0;
}

timespec TimeOf(TimeChoice choice, int64_t nanoseconds) {
  if (choice == TimeChoice::kKeep) return {.tv_sec = 0, .tv_nsec = UTIME_OMIT};
  if (choice == TimeChoice::kNow) return {.tv_sec = 0, .tv_nsec = UTIME_NOW};
  constexpr int64_t kSecond = 1'000'000'000;
  int64_t seconds = nanoseconds / kSecond, rest = nanoseconds % kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  return {.tv_sec = seconds, .tv_nsec = rest};
}

}  // namespace

FileAttributes AttributesOf(const struct stat& stat) {
  FileAttributes result;
  result.stat = StatOf(stat);
  result.blocks = static_cast<uint64_t>(stat.st_blocks);
  if (S_ISCHR(stat.st_mode) || S_ISBLK(stat.st_mode)) {
    result.device_major = major(stat.st_rdev);
    result.device_minor = minor(stat.st_rdev);
  }
  result.accessed_ns = Nanoseconds(stat.st_atim);
  result.changed_ns = Nanoseconds(stat.st_ctim);
  return result;
}

int DoPathCall(const FileRequest& request, std::string& reply) {
  const char* path = request.path.c_str();
  switch (request.operation) {
    case FileOperation::kAttributes: {
      struct stat stat {};
      if (fstatat(AT_FDCWD, path, &stat, request.flag ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return errno;
      reply = Encode(AttributesOf(stat));
      return 0;
    }
    case FileOperation::kMakeNode: return MakeNode(request);
    case FileOperation::kUnlink: return Answer(unlink(path));
    case FileOperation::kRemoveDirectory: return Answer(rmdir(path));
    case FileOperation::kAccess:
      return (request.mode & ~7) != 0 ? EINVAL : Answer(faccessat(AT_FDCWD, path, request.mode, AT_EACCESS));
    case FileOperation::kCanonical: {
      if (request.number < 0 || request.number > 2) return EINVAL;
      return Canonical(request.path, static_cast<Canonical::MustExist>(request.number)).Find(reply);
    }
    case FileOperation::kSpace: return Space(request.path, reply);
    default: return EINVAL;
  }
}

int SetTimes(const SetTimesRequest& request) {
  const timespec times[2] = {TimeOf(request.access, request.accessed_ns), TimeOf(request.modify, request.modified_ns)};
  return Answer(utimensat(AT_FDCWD, request.path.c_str(), times, request.follows ? 0 : AT_SYMLINK_NOFOLLOW));
}

}  // namespace paddock::guest
