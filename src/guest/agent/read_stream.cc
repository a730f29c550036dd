#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "guest/agent/file_calls.h"
#include "guest/agent/file_streams.h"

namespace paddock::guest {
namespace {

class FileReader final : public SendingStream {
 public:
  FileReader(const StreamPlace& place, Descriptor file, const ReadRequest& request)
      : SendingStream(place), file_(std::move(file)), offset_(request.offset), left_(request.length) {
    place_.outbox.Schedule(*this);
  }

 private:
  bool Produce(Outbox&) override {
    const size_t count = static_cast<size_t>(std::min<uint64_t>(Room(), left_));
    if (count == 0 && left_ > 0) return false;
    buffer_.resize(count);
    const ssize_t got = count == 0 ? 0 : pread(file_.get(), buffer_.data(), count, static_cast<off_t>(offset_));
    if (got < 0) {
      place_.Fail(errno);
      return false;
    }
    if (got > 0) {
      SendData(std::string_view(buffer_).substr(0, static_cast<size_t>(got)));
      offset_ += static_cast<uint64_t>(got);
      left_ -= static_cast<uint64_t>(got);
      return true;
    }
    struct stat stat {};
    if (fstat(file_.get(), &stat) != 0) {
      place_.Fail(errno);
    } else {
      place_.Reply(Encode(StatOf(stat)));
    }
    return false;
  }

  Descriptor file_;
  uint64_t offset_;
  uint64_t left_;
  std::string buffer_;
};

class DirectoryLister final : public SendingStream {
 public:
  DirectoryLister(const StreamPlace& place, DIR* folder) : SendingStream(place), folder_(folder, closedir) {
    place_.outbox.Schedule(*this);
  }

 private:
  bool Produce(Outbox&) override {
    constexpr size_t kMaxEntries = 256;   // a stat each
    std::string entries = std::move(held_);
    held_.clear();
    bool is_over = false;
    for (size_t i = 0; i < kMaxEntries && entries.size() <= Room(); ++i) {
      errno = 0;
      const dirent* found = readdir(folder_.get());
      if (found == nullptr) {
        if (errno != 0) {
          place_.Fail(errno);
          return false;
        }
        is_over = true;
        break;
      }
      DirectoryEntry entry{.name = found->d_name};
      if (entry.name == "." || entry.name == "..") continue;
      struct stat stat {};
      if (fstatat(dirfd(folder_.get()), found->d_name, &stat, AT_SYMLINK_NOFOLLOW) != 0) {
        // Removed in between: as if it had been removed before.
        if (errno == ENOENT) continue;
        // A directory that may be read and not be searched tells names, and little more.
        stat.st_mode = static_cast<mode_t>(DTTOIF(found->d_type));
        stat.st_ino = found->d_ino;
      }
      entry.stat = StatOf(stat);
      const std::string bytes = Encode(entry);
      if (entries.size() + bytes.size() > Room()) {
        held_ = bytes;
        break;
      }
      entries += bytes;
    }
    if (entries.size() > Room()) {   // what was held does not fit this time either
      held_ = std::move(entries);
      return false;
    }
    if (!entries.empty()) SendData(entries);
    if (is_over) place_.Reply();
    return !is_over && held_.size() <= Room() && Room() > 0;
  }

  std::unique_ptr<DIR, int (*)(DIR*)> folder_;
  std::string held_;   // an entry without room
};

}  // namespace

std::unique_ptr<Stream> ReadFileStream(const StreamPlace& place, const ReadRequest& request) {
  // Not blocking: a pipe without a writer would stop the agent.
  Descriptor file(open(request.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat stat {};
  if (!file || fstat(file.get(), &stat) != 0) {
    place.outbox.Error(place.number, errno);
    return nullptr;
  }
  if (!S_ISREG(stat.st_mode)) {
    place.outbox.Error(place.number, S_ISDIR(stat.st_mode) ? EISDIR : EINVAL);
    return nullptr;
  }
  return std::make_unique<FileReader>(place, std::move(file), request);
}

std::unique_ptr<Stream> ListDirectoryStream(const StreamPlace& place, const std::string& path) {
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) {
    place.outbox.Error(place.number, errno);
    return nullptr;
  }
  return std::make_unique<DirectoryLister>(place, folder);
}

}  // namespace paddock::guest
