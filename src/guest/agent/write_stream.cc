#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "guest/agent/file_calls.h"
#include "guest/agent/file_streams.h"

namespace paddock::guest {
namespace {

class FileWriter final : public Stream {
 public:
  // `temporary` is what is written to and moved to `path` at the end; empty when `path` itself is written to.
  FileWriter(const StreamPlace& place, Descriptor file, std::string temporary, std::string path, const WriteRequest& request)
      : place_(place), file_(std::move(file)), temporary_(std::move(temporary)), path_(std::move(path)),
        is_exclusive_(request.mode == WriteMode::kCreate), is_synced_(request.is_synced) {}
  ~FileWriter() override { Abandon(); }

  Status Receive(const Frame& frame) override {
    if (is_over_) return {};
    if (frame.header.flags != kChannelIn) return Error(Code::kInvalid, "guest protocol: no such channel");
    if (frame.header.type == FrameType::kEnd) {
      Finish();
      return {};
    }
    if (frame.header.type != FrameType::kData) return Error(Code::kInvalid, "guest protocol: not a message to a file");
    const uint32_t size = static_cast<uint32_t>(frame.payload.size());
    PADDOCK_TRY(window_.Receive(size));
    for (std::string_view rest = frame.payload; !rest.empty();) {
      const ssize_t written = write(file_.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        Fail(errno);
        return {};
      }
      rest.remove_prefix(static_cast<size_t>(written));
    }
    if (const uint32_t grant = window_.Consume(size); grant > 0) {
      place_.outbox.Frame(place_.number, FrameType::kWindow, kChannelIn, EncodeU32(grant));
    }
    return {};
  }

 private:
  void Fail(int error_number) {
    is_over_ = true;
    Abandon();
    place_.Fail(error_number);
  }
  void Abandon() {
    if (!temporary_.empty()) unlink(temporary_.c_str());
    temporary_.clear();
  }
  void Finish() {
    if (is_synced_ && fsync(file_.get()) != 0) return Fail(errno);
    if (!temporary_.empty()) {
      // link(2) and not rename(2): it fails where something has come into being meanwhile.
      const int moved = is_exclusive_ ? link(temporary_.c_str(), path_.c_str()) : rename(temporary_.c_str(), path_.c_str());
      if (moved != 0) return Fail(errno);
      if (!is_exclusive_) temporary_.clear();
    }
    is_over_ = true;
    Abandon();
    place_.Reply();
  }

  const StreamPlace place_;
  Descriptor file_;
  std::string temporary_;
  const std::string path_;
  const bool is_exclusive_;
  const bool is_synced_;
  ReceiveWindow window_;
  bool is_over_ = false;
};

// The path that is written in the end: what a chain of symlinks leads to, so that a link stays one. The link's own
// path when it leads nowhere yet.
std::string FinalPath(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? path : std::string(resolved);
}

std::string TemporaryBeside(const std::string& path) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    random = static_cast<uint64_t>(now.tv_nsec) << 32 | static_cast<uint64_t>(now.tv_sec);
  }
  char name[32];
  std::snprintf(name, sizeof name, ".paddock-%016llx", static_cast<unsigned long long>(random));
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

}  // namespace

std::unique_ptr<Stream> WriteFileStream(const StreamPlace& place, const WriteRequest& request) {
  const auto fail = [&place](int error) {
    place.outbox.Error(place.number, error);
    return nullptr;
  };
  if (request.makes_parents) {
    if (const int error = MakeParents(request.path); error != 0) return fail(error);
  }
  const std::string path = FinalPath(request.path);
  struct stat stat {};
  const bool exists = lstat(path.c_str(), &stat) == 0;
  if (exists && request.mode == WriteMode::kCreate) return fail(EEXIST);
  if (exists && S_ISDIR(stat.st_mode)) return fail(EISDIR);
  if (exists && !S_ISREG(stat.st_mode)) return fail(EINVAL);
  const mode_t permissions = request.permissions.value_or(exists ? static_cast<uint16_t>(stat.st_mode & 07777) : 0644);
  if (request.mode == WriteMode::kAppend) {
    Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, permissions));
    if (!file) return fail(errno);
    if (request.permissions && fchmod(file.get(), permissions) != 0) return fail(errno);
    return std::make_unique<FileWriter>(place, std::move(file), "", path, request);
  }
  // A file that may not be written to is not to be replaced either, though its directory would allow it.
  if (exists && access(path.c_str(), W_OK) != 0) return fail(errno);
  std::string temporary = TemporaryBeside(path);
  Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return fail(errno);
  if (exists) (void)!fchown(file.get(), stat.st_uid, stat.st_gid);
  if (fchmod(file.get(), permissions) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    return fail(error);
  }
  return std::make_unique<FileWriter>(place, std::move(file), std::move(temporary), path, request);
}

}  // namespace paddock::guest
