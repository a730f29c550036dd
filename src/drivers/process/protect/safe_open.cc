#include "drivers/process/protect/safe_open.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace paddock::process_wall {
namespace {

Result<Descriptor> Open(int directory, const std::string& path, int flags, uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = resolve;
  while (true) {
    const long number = syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how);
    if (number >= 0) return Descriptor(static_cast<int>(number));
    if (errno != EAGAIN && errno != EINTR) return static_cast<Code>(errno);   // EAGAIN: a rename elsewhere came between
  }
}

}  // namespace

Result<Descriptor> OpenBeneath(int directory, const std::string& path, int flags) {
  return Open(directory, path, flags, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
}

Result<Descriptor> OpenAbsolute(const std::string& path, int flags) {
  if (!path.starts_with('/')) return Code::kInvalid;
  return Open(AT_FDCWD, path, flags, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

Result<std::string> ReadRegular(int directory, const std::string& name, size_t most) {
  PADDOCK_ASSIGN(const Descriptor file, OpenBeneath(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return static_cast<Code>(errno);
  if (!S_ISREG(status.st_mode)) return Code::kInvalid;
  if (static_cast<uint64_t>(status.st_size) > most) return Code::kFileTooBig;
  std::string content;
  content.resize(most + 1);
  size_t size = 0;
  while (size < content.size()) {
    const ssize_t got = read(file.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return static_cast<Code>(errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size > most) return Code::kFileTooBig;
  content.resize(size);
  return content;
}

Status SetMode(int directory, const std::string& name, mode_t mode) {
  PADDOCK_ASSIGN(const Descriptor file, OpenBeneath(directory, name, O_PATH));
  const std::string link = "/proc/self/fd/" + std::to_string(file.get());
  if (chmod(link.c_str(), mode) != 0) return static_cast<Code>(errno);
  return {};
}

Result<std::string> PathOf(int descriptor) {
  char path[PATH_MAX];
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
  if (size <= 0 || size == static_cast<ssize_t>(sizeof path) || path[0] != '/') return Code::kNoEntry;
  return std::string(path, static_cast<size_t>(size));
}

}  // namespace paddock::process_wall
