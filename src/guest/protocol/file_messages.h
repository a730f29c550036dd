// The messages of file operations. Paths are bytes without NUL, at most 4096; relative ones start at the agent's working
// directory, which is /. All operations have the agent's rights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::guest {

enum class FileKind : uint8_t { kRegular, kDirectory, kSymlink, kFifo, kSocket, kCharacterDevice, kBlockDevice, kOther };
inline constexpr uint8_t kFileKinds = 8;

struct FileStat {
  FileKind kind = FileKind::kRegular;
  uint16_t mode = 0;          // permission bits with set-uid, set-gid and sticky
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t links = 0;
  uint64_t size = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t modified_ns = 0;    // since 1970
};

enum class FileOperation : uint8_t {
  kStat = 1,             // flag: follow a symlink at the end. Reply: FileStat
  kReadLink = 2,         // reply: the target
  kMakeDirectory = 3,    // mode; flag: make parents too, and one that exists is none the worse
  kRemove = 4,           // flag: directories with all that is in them. Never follows a symlink
  kRename = 5,           // path to other, replacing; flag: EEXIST if other exists
  kChangeMode = 6,       // mode; flag: EOPNOTSUPP for a symlink, which otherwise is followed
  kMakeSymlink = 7,      // path is made; other is its target
  kMakeLink = 8,         // path is made; other exists; flag: it is followed
  kChangeOwner = 9,      // uid, gid (2^32-1: as it is); flag: follows
  kSetModified = 10,     // number: nanoseconds since 1970; follows
  kTruncate = 11,        // number: bytes
  // From version 2 on (open_file_messages.h).
  kAttributes = 12,      // flag: follow a symlink at the end. Reply: FileAttributes
  kMakeNode = 13,        // mode; number: a FileKind, but no directory or symlink; uid, gid: major and minor of a device
  kUnlink = 14,          // unlink(2)
  kRemoveDirectory = 15, // rmdir(2)
  kAccess = 16,          // mode: 4 read, 2 write, 1 execute
  kCanonical = 17,       // number: 0 everything must exist, 1 all but the last component, 2 nothing. Reply: the path
  kSpace = 18,           // reply: FileSpace
};
inline constexpr uint8_t kFileOperations = 19;

// kFile. A field that the operation does not have stays empty.
struct FileRequest {
  FileOperation operation = FileOperation::kStat;
  std::string path;
  std::string other;
  uint16_t mode = 0;
  bool flag = false;
  uint32_t uid = ~uint32_t{0};
  uint32_t gid = ~uint32_t{0};
  int64_t number = 0;
};
std::string Encode(const FileRequest& message);
Result<FileRequest> DecodeFile(std::string_view bytes);
std::string Encode(const FileStat& message);
Result<FileStat> DecodeFileStat(std::string_view bytes);

// kListDirectory. Answered by kData frames (channel in, with credit), each of whole entries in no order, then kReply.
struct DirectoryEntry {
  std::string name;   // neither . nor ..
  FileStat stat;      // of the entry itself
};
std::string Encode(const DirectoryEntry& message);
// The entries of one frame.
Result<std::vector<DirectoryEntry>> DecodeEntries(std::string_view bytes);

// kReadFile: a regular file. Answered by kData (channel in, with credit), then kReply with the FileStat.
struct ReadRequest {
  std::string path;
  uint64_t offset = 0;
  uint64_t length = ~uint64_t{0};   // at most
};
std::string Encode(const ReadRequest& message);
Result<ReadRequest> DecodeRead(std::string_view bytes);

enum class WriteMode : uint8_t {
  kReplace = 0,     // the path shows the old content or the new, never a part
  kCreate = 1,      // as kReplace; EEXIST if it exists
  kAppend = 2,
};
inline constexpr uint8_t kWriteModes = 3;

// kWriteFile. The content follows as kData (channel in, with credit) and kEnd; then kReply, when it can be seen by its name.
// kReset before kEnd leaves everything as it was (but for kAppend).
struct WriteRequest {
  std::string path;
  WriteMode mode = WriteMode::kReplace;
  std::optional<uint16_t> permissions;   // otherwise those of the file that is replaced, or 0644
  bool makes_parents = false;
  bool is_synced = false;                // on the disk before the reply
};
std::string Encode(const WriteRequest& message);
Result<WriteRequest> DecodeWrite(std::string_view bytes);

// kWatch: changes of a file, or in a directory, or in all directories below it as well. Answered by kOpened, then kData
// (channel in, with credit), each of whole events, until kReset.
struct WatchRequest {
  std::string path;
  bool is_recursive = false;
};
std::string Encode(const WatchRequest& message);
Result<WatchRequest> DecodeWatch(std::string_view bytes);

enum class WatchKind : uint8_t {
  kCreated = 0,
  kModified = 1,     // content; sent when it is written, and again when the writer closes it
  kAttributes = 2,
  kRemoved = 3,
  kMovedFrom = 4,    // followed by kMovedTo with the same cookie if it moved to where is watched too
  kMovedTo = 5,
  kLost = 6,         // events were lost: look at everything again
};
inline constexpr uint8_t kWatchKinds = 7;

struct WatchEvent {
  WatchKind kind = WatchKind::kCreated;
  bool is_directory = false;
  uint32_t cookie = 0;
  std::string path;   // relative to the watched one; empty for itself
};
std::string Encode(const WatchEvent& message);
Result<std::vector<WatchEvent>> DecodeWatchEvents(std::string_view bytes);

}  // namespace paddock::guest
