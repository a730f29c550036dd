#include "overlay/copy_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace paddock::overlay {
namespace {

Error Failure() {
  const int code = errno;
  return Error(static_cast<Code>(code), std::strerror(code));
}

Status CopyBytes(int source, int target, off_t begin, off_t end) {
  std::array<char, 128 << 10> block;
  bool in_kernel = true;
  while (begin < end) {
    const size_t wanted = static_cast<size_t>(std::min<off_t>(end - begin, 1 << 30));
    if (in_kernel) {
      off_t from = begin, to = begin;
      const ssize_t copied = copy_file_range(source, &from, target, &to, wanted, 0);
      if (copied > 0) {
        begin += copied;
        continue;
      }
      if (copied < 0 && errno == EINTR) continue;
      if (copied < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG)) return Failure();
      in_kernel = false;   // between these file systems it does not work
    }
    const ssize_t got = pread(source, block.data(), std::min(wanted, block.size()), begin);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure();
    if (got == 0) return {};
    for (ssize_t done = 0; done < got;) {
      const ssize_t written = pwrite(target, block.data() + done, static_cast<size_t>(got - done), begin + done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return Failure();
      done += written;
    }
    begin += got;
  }
  return {};
}

}  // namespace

Status CopyContent(int source, int target) {
  struct stat status {};
  if (fstat(source, &status) != 0 || ftruncate(target, status.st_size) != 0) return Failure();
  for (off_t at = 0; at < status.st_size;) {
    off_t data = lseek(source, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;   // nothing but a hole is left
    if (data < 0) data = at;                 // a file system without holes
    off_t hole = lseek(source, data, SEEK_HOLE);
    if (hole <= data) hole = status.st_size;
    PADDOCK_TRY(CopyBytes(source, target, data, std::min(hole, status.st_size)));
    at = hole;
  }
  return {};
}

void CopyAttributes(int source, int target) {
  constexpr size_t kMostNames = 64 << 10;
  const std::string path = "/proc/self/fd/" + std::to_string(source);
  std::vector<char> names(kMostNames);
  const ssize_t length = listxattr(path.c_str(), names.data(), names.size());
  std::vector<char> value(64 << 10);
  for (ssize_t at = 0; at < length;) {
    const std::string name(names.data() + at);
    at += static_cast<ssize_t>(name.size()) + 1;
    const bool is_wanted = name == "system.posix_acl_access" || (name.starts_with("user.") && !name.starts_with("user.overlay."));
    if (!is_wanted) continue;
    const ssize_t size = getxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (size >= 0) static_cast<void>(fsetxattr(target, name.c_str(), value.data(), static_cast<size_t>(size), 0));
  }
}

}  // namespace paddock::overlay
