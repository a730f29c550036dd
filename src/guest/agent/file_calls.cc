#include "guest/agent/file_calls.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "guest/agent/path_calls.h"

namespace paddock::guest {
namespace {

FileKind KindOf(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return FileKind::kRegular;
    case S_IFDIR: return FileKind::kDirectory;
    case S_IFLNK: return FileKind::kSymlink;
    case S_IFIFO: return FileKind::kFifo;
    case S_IFSOCK: return FileKind::kSocket;
    case S_IFCHR: return FileKind::kCharacterDevice;
    case S_IFBLK: return FileKind::kBlockDevice;
    default: return FileKind::kOther;
  }
}

int Answer(int result) { return result == 0 ? 0 : errno; }

int MakeDirectory(const FileRequest& request) {
  if (request.flag) {
    if (const int error = MakeParents(request.path); error != 0) return error;
  }
  int error = 0;
  {
    const NoUmask no_umask;
    if (mkdir(request.path.c_str(), request.mode) != 0) error = errno;
  }
  // mkdir(2) leaves these out; where the directory has one from its parent, it stays.
  constexpr mode_t kSetId = S_ISUID | S_ISGID;
  if (error == 0) return (request.mode & kSetId) != 0 ? Answer(chmod(request.path.c_str(), request.mode)) : 0;
  struct stat there {};
  if (error == EEXIST && request.flag && stat(request.path.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) return 0;
  return error;
}

int Remove(const std::string& path) {
  if (unlink(path.c_str()) == 0) return 0;
  // EISDIR is Linux's answer for a directory, EPERM that of POSIX.
  if (errno != EISDIR && errno != EPERM) return errno;
  const int error = errno;
  if (rmdir(path.c_str()) == 0) return 0;
  return errno == ENOTDIR ? error : errno;
}

int SetModified(const FileRequest& request) {
  constexpr int64_t kSecond = 1'000'000'000;
  int64_t seconds = request.number / kSecond, rest = request.number % kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = rest}};
  return Answer(utimensat(AT_FDCWD, request.path.c_str(), times, 0));
}

}  // namespace

FileStat StatOf(const struct stat& stat) {
  FileStat result;
  result.kind = KindOf(stat.st_mode);
  result.mode = static_cast<uint16_t>(stat.st_mode & 07777);
  result.uid = stat.st_uid;
  result.gid = stat.st_gid;
  result.links = static_cast<uint32_t>(stat.st_nlink);
  result.size = static_cast<uint64_t>(stat.st_size);
  result.device = stat.st_dev;
  result.inode = stat.st_ino;
  result.modified_ns = int64_t{stat.st_mtim.tv_sec} * 1'000'000'000 + stat.st_mtim.tv_nsec;
  return result;
}

int MakeParents(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (mkdir(path.substr(0, slash).c_str(), 0755) != 0 && errno != EEXIST) {
      // What exists need not be writable above: EACCES and EROFS come before EEXIST on some file systems.
      const int error = errno;
      struct stat there {};
      if (stat(path.substr(0, slash).c_str(), &there) != 0) return error;
    }
  }
  return 0;
}

int DoFileCall(const FileRequest& request, std::string& reply) {
  const char* path = request.path.c_str();
  switch (request.operation) {
    case FileOperation::kStat: {
      struct stat stat {};
      if (fstatat(AT_FDCWD, path, &stat, request.flag ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return errno;
      reply = Encode(StatOf(stat));
      return 0;
    }
    case FileOperation::kReadLink: {
      char target[4096];
      const ssize_t size = readlink(path, target, sizeof target);
      if (size < 0) return errno;
      reply.assign(target, static_cast<size_t>(size));
      return 0;
    }
    case FileOperation::kMakeDirectory:
      return MakeDirectory(request);
    case FileOperation::kRemove:
      return Remove(request.path);
    case FileOperation::kRename:
      if (!request.flag) return Answer(rename(path, request.other.c_str()));
      return Answer(static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, request.other.c_str(), RENAME_NOREPLACE)));
    case FileOperation::kChangeMode:
      return Answer(fchmodat(AT_FDCWD, path, request.mode, request.flag ? AT_SYMLINK_NOFOLLOW : 0));
    case FileOperation::kMakeSymlink:
      return Answer(symlink(request.other.c_str(), path));
    case FileOperation::kMakeLink:
      return Answer(linkat(AT_FDCWD, request.other.c_str(), AT_FDCWD, path, request.flag ? AT_SYMLINK_FOLLOW : 0));
    case FileOperation::kChangeOwner:
      return Answer(fchownat(AT_FDCWD, path, request.uid, request.gid, request.flag ? 0 : AT_SYMLINK_NOFOLLOW));
    case FileOperation::kSetModified:
      return SetModified(request);
    case FileOperation::kTruncate:
      return request.number < 0 ? EINVAL : Answer(truncate(path, request.number));
    default:
      return DoPathCall(request, reply);
  }
}

}  // namespace paddock::guest
