#include "drivers/process/protect/quarantine.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "drivers/process/protect/safe_open.h"

namespace paddock::process_wall {
namespace {

constexpr uint64_t kMostCopied = 64 << 20;
constexpr unsigned kNoReplace = 1;   // RENAME_NOREPLACE

Status Rename(int from, const std::string& name, int to, const std::string& other) {
  if (syscall(SYS_renameat2, from, name.c_str(), to, other.c_str(), kNoReplace) == 0) return {};
  return static_cast<Code>(errno);
}

}  // namespace

// Of plain characters only: the name comes from inside.
std::string Quarantine::FreshName(const std::string& name) {
  char number[16];
  std::snprintf(number, sizeof number, "%04u-", next_++);
  std::string fresh = number;
  for (const char c : name.substr(0, 60)) {
    const bool is_plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '_' || c == '.';
    fresh += is_plain ? c : '_';
  }
  return fresh;
}

Status Quarantine::CopyFile(int directory, const std::string& name, const std::string& kept) {
  PADDOCK_ASSIGN(const std::string content, ReadRegular(directory, name, kMostCopied));
  const Descriptor copy(openat(directory_, kept.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!copy.is_open()) return static_cast<Code>(errno);
  for (size_t done = 0; done < content.size();) {
    const ssize_t wrote = write(copy.get(), content.data() + done, content.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      const auto code = static_cast<Code>(errno);
      unlinkat(directory_, kept.c_str(), 0);
      return code;
    }
    done += static_cast<size_t>(wrote);
  }
  if (unlinkat(directory, name.c_str(), 0) != 0) return static_cast<Code>(errno);
  return {};
}

Result<std::string> Quarantine::Take(int directory, const std::string& path, const std::string& name) {
  // Names of an earlier sweep are skipped.
  Status moved = Code::kExists;
  std::string kept;
  while (!moved && moved.error().code == Code::kExists && next_ < 1'000'000) {
    kept = FreshName(name);
    moved = Rename(directory, name, directory_, kept);
  }
  if (moved) return kept;
  const Code why = moved.error().code;
  if (why == Code::kCrossDevice) {
    if (CopyFile(directory, name, kept)) return kept;
  } else if (why != Code::kNoSpace && why != Code::kQuota && why != Code::kAccess && why != Code::kNotPermitted && why != Code::kReadOnly) {
    return why;
  }
  // A directory of which we have no write permission cannot be moved to another parent; a rename in place needs none.
  std::string in_place = name.substr(0, 200) + ".quarantined-by-paddock";
  moved = Rename(directory, name, directory, in_place);
  for (int i = 2; !moved && moved.error().code == Code::kExists && i < 1000; ++i) {
    in_place = name.substr(0, 200) + ".quarantined-by-paddock-" + std::to_string(i);
    moved = Rename(directory, name, directory, in_place);
  }
  if (!moved) return moved.error();
  const size_t slash = path.rfind('/');
  return "in place: " + (slash == std::string::npos ? std::string() : path.substr(0, slash + 1)) + in_place;
}

}  // namespace paddock::process_wall
