#include "store/journal/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/crc32c.h"
#include "base/descriptor.h"
#include "base/packed.h"
#include "store/journal/frame.h"

namespace paddock::store {
namespace {

// Clients read such messages, and where the host keeps its data is not theirs to know.
std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Error Failure(const std::string& path, const char* what, int number = errno) {
  return Error(static_cast<Code>(number), "cannot " + std::string(what) + " journal " + NameOf(path) + ": " + std::strerror(number));
}
Error Damage(const std::string& path, uint64_t offset, const char* what) {
  return Error(Code::kIo, "journal " + NameOf(path) + " is damaged at byte " + std::to_string(offset) + " (" + what +
                              "): put it aside and start from a snapshot");
}

// Writes all the parts at `offset`. 0, or the error's number.
int WriteAt(int descriptor, uint64_t offset, std::vector<std::string_view> parts) {
  std::vector<iovec> list;
  for (const std::string_view part : parts) {
    if (!part.empty()) list.push_back({const_cast<char*>(part.data()), part.size()});
  }
  size_t first = 0;
  while (first < list.size()) {
    const ssize_t written = ::pwritev(descriptor, list.data() + first, static_cast<int>(list.size() - first),
                                      static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    offset += static_cast<uint64_t>(written);
    auto left = static_cast<size_t>(written);
    while (first < list.size() && left >= list[first].iov_len) left -= list[first++].iov_len;
    if (first == list.size()) break;
    list[first].iov_base = static_cast<char*>(list[first].iov_base) + left;
    list[first].iov_len -= left;
  }
  return 0;
}

// Reads `count` bytes at `offset`; false with errno.
bool ReadAt(int descriptor, uint64_t offset, char* to, size_t count) {
  while (count > 0) {
    const ssize_t got = ::pread(descriptor, to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      if (got == 0) errno = EIO;
      return false;
    }
    to += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<size_t>(got);
  }
  return true;
}

// True when the file holds nothing but zeros from `offset` on: space that a lost write was to fill.
Result<bool> IsZeroFrom(const std::string& path, int descriptor, uint64_t offset, uint64_t size) {
  std::string block(64 << 10, '\0');
  while (offset < size) {
    const auto count = static_cast<size_t>(std::min<uint64_t>(block.size(), size - offset));
    if (!ReadAt(descriptor, offset, block.data(), count)) return Failure(path, "read");
    if (std::any_of(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count), [](char c) { return c != 0; })) {
      return false;
    }
    offset += count;
  }
  return true;
}

std::string PackedNumber(uint64_t number) {
  std::string bytes;
  PackedWriter(bytes).Number(number);
  return bytes;
}

// The payload of a record is the length of its files part, and the two parts.
bool SplitRecord(std::string_view payload, Journal::Record* record) {
  PackedReader in(payload);
  record->files = in.Bytes();
  if (!in.ok()) return false;
  record->state = payload.substr(static_cast<size_t>(record->files.data() + record->files.size() - payload.data()));
  return true;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Journal::~Journal() { Park(); }

void Journal::Park() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void Journal::SetNextCompaction() { next_compaction_ = std::max(options_.compact_bytes, size_ * 2); }

Result<std::unique_ptr<Journal>> Journal::Create(std::string path, const Start& start, const Options& options) {
  std::unique_ptr<Journal> journal(new Journal(std::move(path), options));   // allow(raw-new): private constructor
  if (::access(journal->path_.c_str(), F_OK) == 0) return Failure(journal->path_, "create", EEXIST);
  PADDOCK_TRY(journal->Restart(start));
  return journal;
}

Result<std::unique_ptr<Journal>> Journal::Open(std::string path, const Options& options, const Visit& visit) {
  std::unique_ptr<Journal> journal(new Journal(std::move(path), options));   // allow(raw-new): private constructor
  // What a crash in the middle of Restart() left.
  ::unlink((journal->path_ + ".new").c_str());
  PADDOCK_TRY(journal->Read(visit));
  journal->SetNextCompaction();
  return journal;
}

Result<std::string> Journal::BaseOf(const std::string& path) {
  constexpr uint64_t kMostBytes = 64 << 10;   // of a start
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat found{};
  if (file.get() < 0 || ::fstat(file.get(), &found) != 0) return Failure(path, "open");
  const auto size = static_cast<uint64_t>(found.st_size);
  char magic[kJournalMagic.size()];
  Frame::Header header;
  Frame frame;
  const uint64_t begin = sizeof magic + header.size();
  if (!S_ISREG(found.st_mode) || size < begin || !ReadAt(file.get(), 0, magic, sizeof magic) || std::string_view(magic, sizeof magic) != kJournalMagic) {
    return Error(Code::kInvalid, path + " is no journal, or one of another version");
  }
  if (!ReadAt(file.get(), sizeof magic, header.data(), header.size())) return Failure(path, "read");
  if (!Frame::Unpack(header, &frame) || frame.sequence != 0 || frame.length > std::min(size - begin, kMostBytes)) return Damage(path, sizeof magic, "no start");
  std::string payload(static_cast<size_t>(frame.length), '\0');
  if (!ReadAt(file.get(), begin, payload.data(), payload.size())) return Failure(path, "read");
  PackedReader in(payload);
  in.Number();
  std::string base = in.String();
  if (Crc32c(payload) != frame.checksum || !in.IsDone()) return Damage(path, begin, "no start");
  return base;
}

Status Journal::Read(const Visit& visit) {
  const Descriptor file(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat found{};
  if (file.get() < 0 || ::fstat(file.get(), &found) != 0) return Failure(path_, "open");
  if (!S_ISREG(found.st_mode)) return Failure(path_, "open", EINVAL);
  device_ = found.st_dev;
  inode_ = found.st_ino;
  const auto size = static_cast<uint64_t>(found.st_size);
  char magic[kJournalMagic.size()];
  if (size < sizeof magic || !ReadAt(file.get(), 0, magic, sizeof magic) ||
      std::string_view(magic, sizeof magic) != kJournalMagic) {
    return Error(Code::kInvalid, NameOf(path_) + " is no journal, or one of another version");
  }
  uint64_t offset = sizeof magic;
  bool has_start = false;
  std::string payload;
  while (offset < size) {
    // A crash cuts off the end or, of the machine, leaves zeros there. All else is damage.
    if (size - offset < Frame::kHeaderBytes) break;
    Frame::Header header;
    Frame frame;
    if (!ReadAt(file.get(), offset, header.data(), header.size())) return Failure(path_, "read");
    if (!Frame::Unpack(header, &frame)) {
      PADDOCK_ASSIGN(const bool is_zero, IsZeroFrom(path_, file.get(), offset, size));
      if (!is_zero) return Damage(path_, offset, "no header");
      break;
    }
    const uint64_t begin = offset + Frame::kHeaderBytes;
    if (frame.length > size - begin) break;
    payload.resize(static_cast<size_t>(frame.length));
    if (!ReadAt(file.get(), begin, payload.data(), payload.size())) return Failure(path_, "read");
    if (Crc32c(payload) != frame.checksum) {
      PADDOCK_ASSIGN(const bool is_last, IsZeroFrom(path_, file.get(), begin + frame.length, size));
      if (!is_last) return Damage(path_, begin, "wrong checksum");
      break;
    }
    if (!has_start) {
      PackedReader in(payload);
      sequence_ = in.Number();
      base_ = in.String();
      if (frame.sequence != 0 || !in.IsDone()) return Damage(path_, offset, "no start");
      has_start = true;
    } else {
      Record record{.sequence = frame.sequence};
      if (frame.sequence != sequence_ + 1) return Damage(path_, offset, "wrong number");
      if (!SplitRecord(payload, &record)) return Damage(path_, begin, "no record");
      const Status visited = visit(record);
      if (!visited && visited.error().code == Code::kAgain) break;   // what it needs is lost, so it counts as torn
      PADDOCK_TRY(visited);
      sequence_ = frame.sequence;
    }
    offset = begin + frame.length;
  }
  // It takes its place complete, so this is no crash's doing.
  if (!has_start) return Damage(path_, sizeof magic, "no start");
  torn_bytes_ = size - offset;
  size_ = offset;
  if (torn_bytes_ > 0 && ::ftruncate(file.get(), static_cast<off_t>(size_)) != 0) return Failure(path_, "cut the torn end of");
  return {};
}

// Opens the file again if it was parked. It must be as this journal left it.
Status Journal::Reach() {
  if (descriptor_ >= 0) return {};
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return Failure(path_, "open");
  struct stat found{};
  const bool is_same = ::fstat(descriptor, &found) == 0 && found.st_dev == device_ && found.st_ino == inode_ &&
                       static_cast<uint64_t>(found.st_size) == size_;
  if (!is_same) {
    ::close(descriptor);
    return Error(Code::kBusy, "journal " + NameOf(path_) + " was changed by somebody else: only one process may own a data directory");
  }
  descriptor_ = descriptor;
  return {};
}

Status Journal::Append(std::string_view files, std::string_view state) {
  const std::string length = PackedNumber(files.size());
  if (length.size() + files.size() + state.size() > options_.max_record_bytes) return Failure(path_, "append to", EFBIG);
  PADDOCK_TRY(Reach());
  const Frame frame = Frame::Of(sequence_ + 1, {length, files, state});
  const Frame::Header header = frame.Pack();
  int error = WriteAt(descriptor_, size_, {{header.data(), header.size()}, length, files, state});
  if (error == 0 && options_.syncs && ::fdatasync(descriptor_) != 0) error = errno;
  if (error != 0) {
    // What stays of it would be in the way of the next one, or be taken for a record that was acknowledged.
    if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) Park();   // the next Append() notices the other size
    return Failure(path_, "append to", error);
  }
  ++sequence_;
  size_ += Frame::kHeaderBytes + frame.length;
  if (!compact_ || size_ <= next_compaction_) return {};
  auto start = compact_();
  compaction_ = start ? Restart(*start) : Status(start.error());
  SetNextCompaction();
  return {};
}

Status Journal::Restart(const Start& start) {
  const std::string fresh = path_ + ".new";
  ::unlink(fresh.c_str());
  Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0) return Failure(fresh, "create");
  const bool has_record = !start.files.empty() || !start.state.empty();
  const uint64_t sequence = has_record ? std::max<uint64_t>(sequence_, 1) : sequence_;
  std::string beginning;
  PackedWriter writer(beginning);
  writer.Number(has_record ? sequence - 1 : sequence);
  writer.Bytes(start.base);
  const Frame first = Frame::Of(0, {beginning});
  const std::string length = PackedNumber(start.files.size());
  const Frame second = Frame::Of(sequence, {length, start.files, start.state});
  const Frame::Header first_header = first.Pack();
  const Frame::Header second_header = second.Pack();
  std::vector<std::string_view> parts{kJournalMagic, {first_header.data(), first_header.size()}, beginning};
  if (has_record) {
    parts.insert(parts.end(), {{second_header.data(), second_header.size()}, length, start.files, start.state});
  }
  uint64_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  // The old file may be safe on the disk, so the new one must be before it takes its place. A new journal replaces nothing.
  const bool is_safe = options_.syncs || sequence_ > 0;
  int error = WriteAt(file.get(), 0, std::move(parts));
  if (error == 0 && is_safe && ::fdatasync(file.get()) != 0) error = errno;
  struct stat found{};
  if (error == 0 && (::fstat(file.get(), &found) != 0 || ::rename(fresh.c_str(), path_.c_str()) != 0)) error = errno;
  if (error != 0) {
    ::unlink(fresh.c_str());
    return Failure(path_, "write", error);
  }
  Park();
  descriptor_ = file.Release();
  device_ = found.st_dev;
  inode_ = found.st_ino;
  size_ = size;
  base_ = start.base;
  sequence_ = sequence;
  SetNextCompaction();
  if (!is_safe) return {};
  const Descriptor folder(::open(FolderOf(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) return Failure(path_, "sync the folder of");
  return {};
}

}  // namespace paddock::store
