#include "drivers/docker/seccomp_option.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/descriptor.h"

namespace paddock::docker {
namespace {

Status WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Status(static_cast<Code>(errno));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

constexpr const char* kPrefix = "paddock-seccomp-";

// What processes have left that were killed while they created.
void SweepOld(const std::string& directory) {
  constexpr std::chrono::hours kOld{1};
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end; entry.increment(failure)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    struct stat status{};
    if (lstat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) continue;
    if (std::chrono::system_clock::from_time_t(status.st_mtime) + kOld < std::chrono::system_clock::now()) unlink(entry->path().c_str());
  }
}

}  // namespace

Result<SeccompOption> SeccompOption::Make(const Engine& engine, const seccomp::RuntimeProfile& profile, std::string directory) {
  SeccompOption option;
  option.value_ = seccomp::MakeRuntimeProfile(profile);
  if (option.value_.empty()) return Error(Code::kNotSupported, "no seccomp profile for the engine's machine, a '" + std::string(profile.architecture) + "'");
  if (!engine.is_podman()) return option;
  std::error_code failure;
  if (directory.empty()) directory = std::filesystem::temp_directory_path(failure).string();
  SweepOld(directory);
  std::string path = directory + "/" + kPrefix + "XXXXXX";   // a name that nobody else has, or can guess
  const Descriptor file(mkostemp(path.data(), O_CLOEXEC));
  if (!file.is_open()) return Error(static_cast<Code>(errno), "write the seccomp profile to " + directory + ": " + std::strerror(errno));
  option.path_ = path;
  // Podman may run as another user; the file holds no secret.
  Status status = fchmod(file.get(), 0444) == 0 ? WriteAll(file.get(), option.value_) : Status(static_cast<Code>(errno));
  if (!status) return Error(status.error().code, "write the seccomp profile to " + path + ": " + std::string(status.error().Text()));
  option.value_ = std::move(path);
  return option;
}

SeccompOption::~SeccompOption() {
  if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace paddock::docker
