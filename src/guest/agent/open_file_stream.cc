// A file that stays open: each act of the client's is done at once and answered by one message. Nothing waits: what could
// block (pipes, sockets, most devices) is not opened, and the acts are no larger than kMaxActBytes.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "guest/agent/file_streams.h"
#include "guest/agent/path_calls.h"

namespace paddock::guest {
namespace {

// /dev/null, zero, full, random and urandom: a read or write of these never waits.
bool NeverBlocks(const struct stat& stat) {
  if (S_ISREG(stat.st_mode) || S_ISDIR(stat.st_mode)) return true;
  if (!S_ISCHR(stat.st_mode) || major(stat.st_rdev) != 1) return false;
  const unsigned number = minor(stat.st_rdev);
  return number == 3 || number == 5 || number == 7 || number == 8 || number == 9;
}

class OpenFileStream final : public Stream {
 public:
  OpenFileStream(const StreamPlace& place, Descriptor file, bool appends)
      : place_(place), file_(std::move(file)), appends_(appends) {}

  Status Receive(const Frame& frame) override {
    if (frame.header.type != FrameType::kFileAct) return Error(Code::kInvalid, "guest protocol: not a message to an open file");
    PADDOCK_ASSIGN(const FileAct act, DecodeFileAct(frame.payload));
    FileDone done;
    errno = 0;
    done.error_number = Do(act, done) ? 0 : errno;
    if (done.error_number != 0) done.bytes.clear();
    place_.outbox.Message(place_.number, FrameType::kFileDone, Encode(done));
    return {};
  }

 private:
  // False with errno set.
  bool Do(const FileAct& act, FileDone& done) {
    switch (act.act) {
      case Act::kRead: {
        done.bytes.resize(act.length);
        const ssize_t got = pread(file_.get(), done.bytes.data(), act.length, static_cast<off_t>(act.offset));
        if (got < 0) return false;
        done.bytes.resize(static_cast<size_t>(got));
        done.offset = act.offset + static_cast<uint64_t>(got);
        return true;
      }
      case Act::kWrite: return Write(act, done);
      case Act::kAttributes: {
        struct stat stat {};
        if (fstat(file_.get(), &stat) != 0) return false;
        done.bytes = Encode(AttributesOf(stat));
        return true;
      }
      case Act::kTruncate: return ftruncate(file_.get(), static_cast<off_t>(act.offset)) == 0;
    }
    errno = EINVAL;
    return false;
  }

  bool Write(const FileAct& act, FileDone& done) {
    done.offset = act.offset;
    for (std::string_view rest = act.bytes; !rest.empty();) {
      const ssize_t written = appends_ ? write(file_.get(), rest.data(), rest.size())
                                       : pwrite(file_.get(), rest.data(), rest.size(), static_cast<off_t>(done.offset));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      rest.remove_prefix(static_cast<size_t>(written));
      done.offset += static_cast<uint64_t>(written);
    }
    if (!appends_) return true;
    const off_t end = lseek(file_.get(), 0, SEEK_CUR);
    if (end < 0) return false;
    done.offset = static_cast<uint64_t>(end);
    return true;
  }

  const StreamPlace place_;
  const Descriptor file_;
  const bool appends_;
};

int SystemFlags(uint16_t wanted) {
  // Not blocking: a pipe that takes the place of a file at the wrong moment would stop the agent.
  int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const bool reads = (wanted & kOpenRead) != 0, writes = (wanted & kOpenWrite) != 0;
  flags |= writes ? (reads ? O_RDWR : O_WRONLY) : O_RDONLY;
  if ((wanted & kOpenAppend) != 0) flags |= O_APPEND;
  if ((wanted & kOpenCreate) != 0) flags |= O_CREAT;
  if ((wanted & kOpenExclusive) != 0) flags |= O_EXCL;
  if ((wanted & kOpenTruncate) != 0) flags |= O_TRUNC;
  if ((wanted & kOpenDirectory) != 0) flags |= O_DIRECTORY;
  if ((wanted & kOpenNoFollow) != 0) flags |= O_NOFOLLOW;
  return flags;
}

}  // namespace

std::unique_ptr<Stream> OpenFile(const StreamPlace& place, const OpenRequest& request) {
  const auto fail = [&place](int error) {
    place.outbox.Error(place.number, error);
    return nullptr;
  };
  struct stat stat {};
  // Looked at first because opening alone can be an event for others: a pipe's writer goes on, a tape winds back.
  const int follow = (request.flags & kOpenNoFollow) != 0 ? AT_SYMLINK_NOFOLLOW : 0;
  const bool exists = fstatat(AT_FDCWD, request.path.c_str(), &stat, follow) == 0;
  if (exists && !S_ISLNK(stat.st_mode) && !NeverBlocks(stat) && (request.flags & kOpenExclusive) == 0) return fail(ENXIO);
  const NoUmask no_umask;
  Descriptor file(open(request.path.c_str(), SystemFlags(request.flags), request.mode));
  if (!file || fstat(file.get(), &stat) != 0) return fail(errno);
  if (!NeverBlocks(stat)) return fail(ENXIO);
  place.outbox.Message(place.number, FrameType::kOpened, Encode(AttributesOf(stat)));
  return std::make_unique<OpenFileStream>(place, std::move(file), (request.flags & kOpenAppend) != 0);
}

}  // namespace paddock::guest
