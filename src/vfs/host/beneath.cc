#include "vfs/host/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <utility>

#include "base/memory_meter.h"

namespace paddock::vfs {
namespace {

constexpr int kMaxAttempts = 100;

int Openat2(int directory, const char* path, int flags, uint32_t mode) {
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
  // EAGAIN: something on the way was renamed meanwhile, and the kernel could not be sure.
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const long result = syscall(SYS_openat2, directory, path, &how, sizeof how);
    if (result >= 0) return static_cast<int>(result);
    if (errno != EAGAIN && errno != EINTR) return -1;
  }
  return -1;
}

int OpenRetrying(int directory, const char* path, int flags, uint32_t mode) {
  int result;
  do {
    result = openat(directory, path, flags, static_cast<mode_t>(mode));
  } while (result < 0 && errno == EINTR);
  return result;
}

}  // namespace

Code CodeOf(int error_number) {
  switch (error_number) {
    case EDEADLK:
    case EFAULT:
    case EMEDIUMTYPE:
      return Code::kIo;
    case ENFILE:
      return Code::kTooManyFiles;
    default:
      break;
  }
  const Code code = static_cast<Code>(error_number);
  return CodeText(code) == "unknown error" ? Code::kIo : code;
}

HostDescriptor& HostDescriptor::operator=(HostDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

HostDescriptor::~HostDescriptor() {
  if (number_ >= 0) close(number_);
}

bool BeneathOpener::HasOpenat2() {
  const HostDescriptor probe(Openat2(AT_FDCWD, ".", O_PATH | O_CLOEXEC, 0));
  return probe.get() >= 0;
}

int BeneathOpener::OpenAtOnce(const std::string& path, int flags, uint32_t mode) const {
  return Openat2(root_.get(), path.c_str(), flags, mode);
}

int BeneathOpener::OpenStepwise(const std::string& path, int flags, uint32_t mode) const {
  HostDescriptor directory;
  size_t begin = 0;
  for (size_t end = path.find('/'); end != std::string::npos; end = path.find('/', begin)) {
    const int above = directory.get() < 0 ? root_.get() : directory.get();
    const std::string name = path.substr(begin, end - begin);
    HostDescriptor next(
        OpenRetrying(above, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
    if (next.get() < 0) return -1;
    directory = std::move(next);
    begin = end + 1;
  }
  const int above = directory.get() < 0 ? root_.get() : directory.get();
  return OpenRetrying(above, path.c_str() + begin, flags, mode);
}

Result<HostDescriptor> BeneathOpener::Open(const std::string& path, int flags, uint32_t mode) {
  if (path.empty()) return Open(".", flags, mode);
  if (path.size() >= PATH_MAX) return Code::kNameTooLong;
  flags |= O_CLOEXEC | O_NOFOLLOW;
  constexpr size_t kBytesOfStep = 4;  // the kernel walks the path from the root each time
  ChargeExec(static_cast<int64_t>(path.size() / kBytesOfStep));
  const int number =
      uses_openat2_ ? OpenAtOnce(path, flags, mode) : OpenStepwise(path, flags, mode);
  if (number >= 0) return HostDescriptor(number);
  // ELOOP and EXDEV: a symlink was put where a directory was; EAGAIN: renames without end.
  const bool is_race = errno == ELOOP || errno == EXDEV || errno == EAGAIN;
  return is_race ? Code::kNoEntry : CodeOf(errno);
}

}  // namespace paddock::vfs
