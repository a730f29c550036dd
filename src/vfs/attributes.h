// What a file is: type, mode, owner, size, times. Plain data shared by every kind of volume.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace paddock::vfs {

enum class FileType : uint8_t {
  kFile,
  kDirectory,
  kSymlink,
  kFifo,
  kCharDevice,
  kBlockDevice,
  kSocket
};

// Source: POSIX <sys/stat.h>.
struct Attributes {
  FileType type = FileType::kFile;
  uint32_t mode = 0;  // permission bits 07777, without the type
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t links = 1;
  uint64_t size = 0;  // bytes; for a symlink, of its target
  uint64_t inode = 0;
  uint64_t device = 0;   // differs between mounted volumes
  uint64_t special = 0;  // device number (major << 8 | minor) of a device node
  uint64_t blocks = 0;   // 512-byte units really held
  Nanoseconds access_time{0};
  Nanoseconds modify_time{0};
  Nanoseconds change_time{0};

  bool is_directory() const { return type == FileType::kDirectory; }
  bool is_file() const { return type == FileType::kFile; }
  bool is_symlink() const { return type == FileType::kSymlink; }
};

// A mode without set-user-id, and without set-group-id where it means more than mandatory locking.
inline uint32_t WithoutSetId(uint32_t mode) {
  return mode & ~((mode & 010) != 0 ? 06000u : 04000u);
}

struct DirectoryEntry {
  std::string name;  // never "." or ".."
  FileType type;
  uint64_t inode;
};

// Who asks. uid 0 passes every permission check.
struct Credentials {
  uint32_t uid = 1000;
  uint32_t gid = 1000;
};

// Space and inodes of a volume, for df and quotas. kUnlimited (all ones) where there is no limit.
struct SpaceInfo {
  std::string source;  // what df shows as the file system, such as "memory"
  std::string type;    // "tmpfs", "overlay" …
  uint64_t total_bytes = 0;
  uint64_t used_bytes = 0;
  uint64_t total_inodes = 0;
  uint64_t used_inodes = 0;
};

}  // namespace paddock::vfs
