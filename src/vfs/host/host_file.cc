#include "vfs/host/host_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace paddock::vfs {
namespace {

constexpr size_t kMaxBlock = 256 << 10;

}  // namespace

Result<Block> HostFile::ReadBlock(size_t max) {
  if (!flags_.read) return Code::kBadDescriptor;
  const size_t size = std::min(max, kMaxBlock);
  std::shared_ptr<char[]> buffer = std::make_shared_for_overwrite<char[]>(size);
  ssize_t count;
  do {
    count = pread(file_.get(), buffer.get(), size, static_cast<off_t>(offset_));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return CodeOf(errno);
  offset_ += static_cast<uint64_t>(count);
  const std::string_view bytes(buffer.get(), static_cast<size_t>(count));
  return Block{std::move(buffer), bytes};
}

void HostFile::GiveBack(size_t count) { offset_ -= std::min<uint64_t>(offset_, count); }

Status HostFile::Write(std::string_view bytes) {
  if (!flags_.write) return Code::kBadDescriptor;
  while (!bytes.empty()) {
    // An append goes to the end whatever the offset says (pwrite on O_APPEND files as well).
    const ssize_t count = flags_.append ? write(file_.get(), bytes.data(), bytes.size())
                                        : pwrite(file_.get(), bytes.data(), bytes.size(),
                                                 static_cast<off_t>(offset_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return CodeOf(errno);
    bytes.remove_prefix(static_cast<size_t>(count));
    if (flags_.append) {
      const off_t end = lseek(file_.get(), 0, SEEK_CUR);
      if (end >= 0) offset_ = static_cast<uint64_t>(end);
    } else {
      offset_ += static_cast<uint64_t>(count);
    }
  }
  return {};
}

Result<uint64_t> HostFile::Seek(int64_t offset, Whence whence) {
  uint64_t base = 0;
  if (whence == Whence::kCurrent) base = offset_;
  if (whence == Whence::kEnd) {
    PADDOCK_ASSIGN(const Attributes attributes, GetAttributes());
    base = attributes.size;
  }
  int64_t result;
  if (__builtin_add_overflow(static_cast<int64_t>(base), offset, &result)) return Code::kOverflow;
  if (result < 0) return Code::kInvalid;
  offset_ = static_cast<uint64_t>(result);
  return offset_;
}

Result<Attributes> HostFile::GetAttributes() const {
  struct stat found;
  if (fstat(file_.get(), &found) != 0) return CodeOf(errno);
  return translate_(found);
}

Status HostFile::Truncate(uint64_t size) {
  if (!flags_.write) return Code::kInvalid;
  if (ftruncate(file_.get(), static_cast<off_t>(size)) != 0) return CodeOf(errno);
  return {};
}

}  // namespace paddock::vfs
