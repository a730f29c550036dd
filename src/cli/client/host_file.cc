#include "cli/client/host_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cli/present.h"

namespace paddock::cli {
namespace {

// Writes, leaving out what is zero where the file can have holes.
class FileWriter {
 public:
  FileWriter(int file, bool may_have_holes) : file_(file), may_have_holes_(may_have_holes) {}

  bool Write(std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kHole, bytes.size()))) {
      const std::string_view piece = bytes.substr(0, kHole);
      if (may_have_holes_ && piece[0] == '\0' && std::memcmp(piece.data(), piece.data() + 1, piece.size() - 1) == 0) {
        if (!Flush()) return false;
        hole_ += piece.size();
        continue;
      }
      if (hole_ > 0 && lseek(file_, static_cast<off_t>(std::exchange(hole_, 0)), SEEK_CUR) < 0) return false;
      if (waiting_.empty()) waiting_ = piece;
      else waiting_ = std::string_view(waiting_.data(), waiting_.size() + piece.size());   // they lie behind one another
    }
    return Flush();
  }
  // After all of it.
  bool Finish(uint64_t size) { return hole_ == 0 || ftruncate(file_, static_cast<off_t>(size)) == 0; }

 private:
  static constexpr size_t kHole = 4096;

  bool Flush() {
    for (; !waiting_.empty();) {
      const ssize_t wrote = write(file_, waiting_.data(), waiting_.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return false;
      waiting_.remove_prefix(static_cast<size_t>(wrote));
    }
    waiting_ = {};
    return true;
  }

  const int file_;
  const bool may_have_holes_;
  std::string_view waiting_;
  uint64_t hole_ = 0;
};

}  // namespace

Error HostError(const std::string& path) { return {static_cast<Code>(errno), Harmless(path) + ": " + std::strerror(errno)}; }

Result<HostSource> HostSource::Open(const std::string& name) {
  HostSource source(name);
  if (name != "-") {
    source.opened_.Reset(open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));   // of a FIFO Read() waits for the writer
    if (!source.opened_.is_open()) return HostError(name);
  }
  if (fstat(source.file(), &source.facts_) != 0) return HostError(name);
  return source;
}

int HostSource::file() const { return is_stdin() ? STDIN_FILENO : opened_.get(); }

std::optional<uint64_t> HostSource::size() const {
  if (is_stdin() || !is_file()) return std::nullopt;
  return static_cast<uint64_t>(facts_.st_size);
}

Result<size_t> HostSource::Read(std::span<char> buffer, const net::Cancellation* cancellation) {
  const uint64_t left = size().value_or(UINT64_MAX) - read_;
  while (true) {
    pollfd waits[2] = {{file(), POLLIN, 0}, {cancellation != nullptr ? cancellation->fd() : -1, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return HostError(name_);
    if (waits[1].revents != 0) return Code::kCancelled;
    if (waits[0].revents == 0) continue;
    const ssize_t got = read(file(), buffer.data(), std::min<uint64_t>(buffer.size(), left));
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return HostError(name_);
    read_ += static_cast<uint64_t>(got);
    return static_cast<size_t>(got);
  }
}

Status ReceiveFile(net::Response& response, const std::string& name, uint32_t mode, Progress& progress) {
  const bool is_stdout = name == "-";
  const std::string draft = name + ".paddock-" + std::to_string(getpid());
  const Descriptor made(is_stdout ? -1 : open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!is_stdout && !made) return HostError(name);
  FileWriter writer(is_stdout ? STDOUT_FILENO : made.get(), !is_stdout);
  const auto receive = [&]() -> Status {
    std::vector<char> buffer(256 << 10);
    uint64_t size = 0;
    while (true) {
      PADDOCK_ASSIGN(const size_t got, response.Read(buffer));
      if (got == 0) break;
      if (!writer.Write(std::string_view(buffer.data(), got))) return HostError(is_stdout ? "stdout" : name);
      size += got;
      progress.Add(got);
    }
    if (!writer.Finish(size)) return HostError(name);
    if (!is_stdout && rename(draft.c_str(), name.c_str()) != 0) return HostError(name);
    return {};
  };
  const Status status = receive();
  if (!status && !is_stdout) unlink(draft.c_str());
  return status;
}

}  // namespace paddock::cli
