#include "cli/client/pack_thread.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "api/rest/files/pack.h"
#include "base/clock.h"
#include "cli/present.h"

namespace paddock::cli {
namespace {

constexpr vfs::Credentials kHostDecides{0, 0};

class Sink final : public ByteSink {
 public:
  explicit Sink(int to) : to_(to) {}
  Status Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t sent = send(to_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return Code::kBrokenPipe;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return {};
  }

 private:
  const int to_;
};

}  // namespace

Result<HostTree> HostTree::Open(const std::string& path, vfs::HostAccess access) {
  auto volume = vfs::MakeHostVolume(path, access, kHostDecides);
  if (!volume) return Error(volume.error().code, Harmless(path) + ": " + std::string(volume.error().Text()));
  return HostTree(std::move(*volume));
}

HostTree::HostTree(vfs::VolumePtr volume)
    : names(std::make_unique<vfs::Namespace>(std::move(volume))), view(std::make_unique<vfs::View>(*names, SystemClock(), kHostDecides, 022)) {}

uint64_t SizeOfTree(const std::string& path) {
  std::error_code error;
  uint64_t size = 0;
  for (auto walk = std::filesystem::recursive_directory_iterator(path, std::filesystem::directory_options::skip_permission_denied, error);
       !error && walk != std::filesystem::recursive_directory_iterator(); walk.increment(error)) {
    std::error_code ignored;
    size += 512;
    if (!walk->is_symlink(ignored) && walk->is_regular_file(ignored)) size += (walk->file_size(ignored) + 511) / 512 * 512;
  }
  return size;
}

PackThread::PackThread(HostTree& tree, const std::string& name) : tree_(tree), name_(name) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    status_ = Error(static_cast<Code>(errno));
    return;
  }
  read_.Reset(ends[0]);
  write_.Reset(ends[1]);
  thread_ = std::thread([this] {
    Sink sink(write_.get());
    status_ = api::Pack(*tree_.view, "/", sink, {.name = name_, .without = {}, .left_out = [this](const std::string& path, const Error& why) { LeftOut(path, why); }});
    write_.Reset();
  });
}

Result<size_t> PackThread::Read(std::span<char> buffer) {
  while (true) {
    const ssize_t got = read_.is_open() ? recv(read_.get(), buffer.data(), buffer.size(), 0) : 0;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Code::kIo;
    if (got > 0) return static_cast<size_t>(got);
    Join();
    if (!status_) return status_.error();
    return size_t{0};
  }
}

bool PackThread::PrintLeftOut(const char* subcommand) {
  Join();
  for (const std::string& line : lines_) std::fprintf(stderr, "paddock %s: %s\n", subcommand, line.c_str());
  if (more_ > 0) std::fprintf(stderr, "paddock %s: %zu more were left out\n", subcommand, more_);
  return has_unreadable_;
}

void PackThread::Join() {
  read_.Reset();
  if (thread_.joinable()) thread_.join();
}

void PackThread::LeftOut(const std::string& path, const Error& why) {
  if (why.code != Code::kNotSupported) has_unreadable_ = true;
  if (lines_.size() < 20) lines_.push_back(Harmless(path.substr(1)) + ": left out: " + std::string(why.Text()));
  else ++more_;
}

}  // namespace paddock::cli
