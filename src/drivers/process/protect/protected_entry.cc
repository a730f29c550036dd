#include "drivers/process/protect/protected_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "drivers/process/protect/safe_open.h"
#include "text/digest.h"

namespace paddock::process_wall {
namespace {

constexpr uint64_t kMostKept = 256 << 10;

// Streams a regular file through the digest, and keeps a small one.
Status ReadContent(int directory, const std::string& name, uint64_t size, EntryBudget& budget, ProtectedEntry& entry) {
  if (size > budget.hashed) return {};
  PADDOCK_ASSIGN(const Descriptor file, OpenBeneath(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  const auto digester = MakeDigester(DigestAlgorithm::kSha256);
  const bool keeps = size <= kMostKept && size <= budget.kept;
  std::string block(64 << 10, '\0');
  uint64_t total = 0;
  while (true) {
    const ssize_t got = read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return static_cast<Code>(errno);
    if (got == 0) break;
    const std::string_view bytes(block.data(), static_cast<size_t>(got));
    total += bytes.size();
    if (total > size) return Error(Code::kBusy, "grew while it was read");
    digester->Update(bytes);
    if (keeps) entry.content += bytes;
  }
  budget.hashed -= total;
  if (keeps) budget.kept -= total;
  entry.has_content = keeps;
  entry.digest = digester->Finish();
  return {};
}

int64_t TimeOfBirth(int directory, const char* name) {
  struct statx status {};
  if (statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_BTIME, &status) != 0 || (status.stx_mask & STATX_BTIME) == 0) return 0;
  return status.stx_btime.tv_sec * 1'000'000'000 + status.stx_btime.tv_nsec;
}

}  // namespace

Result<ProtectedEntry> LookAt(int directory, const std::string& name, EntryBudget& budget) {
  struct stat status {};
  if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return static_cast<Code>(errno);
  ProtectedEntry entry{.device = status.st_dev, .inode = status.st_ino, .born = TimeOfBirth(directory, name.c_str()), .changed = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec,
                       .mode = status.st_mode, .links = status.st_nlink};
  if (S_ISDIR(status.st_mode)) {
    entry.kind = ProtectedEntry::Kind::kDirectory;
  } else if (S_ISLNK(status.st_mode)) {
    entry.kind = ProtectedEntry::Kind::kSymlink;
    char target[PATH_MAX];
    const ssize_t size = readlinkat(directory, name.c_str(), target, sizeof target);
    if (size < 0) return static_cast<Code>(errno);
    entry.content.assign(target, static_cast<size_t>(size));
    entry.has_content = size < static_cast<ssize_t>(sizeof target);
    entry.digest = DigestOf(DigestAlgorithm::kSha256, entry.content);
  } else if (S_ISREG(status.st_mode)) {
    // One that cannot be read keeps an empty digest: its identity decides.
    const Status read = ReadContent(directory, name, static_cast<uint64_t>(status.st_size), budget, entry);
    if (!read && read.error().code == Code::kBusy) return read.error();
  } else {
    entry.kind = ProtectedEntry::Kind::kOther;
  }
  return entry;
}

bool IsSameFile(const ProtectedEntry& before, int descriptor) {
  struct stat status {};
  return before.born != 0 && fstat(descriptor, &status) == 0 && before.device == status.st_dev && before.inode == status.st_ino &&
         before.born == TimeOfBirth(descriptor, "");
}

bool IsSame(const ProtectedEntry& before, const ProtectedEntry& now) {
  if (before.kind != now.kind) return false;
  if (before.kind == ProtectedEntry::Kind::kDirectory) return true;   // what is in it counts
  constexpr uint32_t kExecutable = S_IXUSR | S_IXGRP | S_IXOTH;
  if (before.kind == ProtectedEntry::Kind::kFile && (before.mode & kExecutable) == 0 && (now.mode & kExecutable) != 0) return false;
  if (!before.digest.empty() && !now.digest.empty()) return before.digest == now.digest;
  return before.device == now.device && before.inode == now.inode;
}

}  // namespace paddock::process_wall
