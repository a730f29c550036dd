// The messages of version 2 that make the files inside a FileSystem: whole attributes, times, and files that stay open.
// Paths as in file_messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "guest/protocol/file_messages.h"

namespace paddock::guest {

// The first version with what is declared here and with the operations of FileOperation from kAttributes on.
inline constexpr uint16_t kOpenFilesVersion = 2;

// The reply to FileOperation::kAttributes.
struct FileAttributes {
  FileStat stat;
  uint64_t blocks = 0;        // of 512 bytes, really held
  uint32_t device_major = 0;  // of a device node
  uint32_t device_minor = 0;
  int64_t accessed_ns = 0;    // since 1970
  int64_t changed_ns = 0;
};
std::string Encode(const FileAttributes& message);
Result<FileAttributes> DecodeFileAttributes(std::string_view bytes);

// The reply to FileOperation::kSpace, as statfs(2) has it.
struct FileSpace {
  uint64_t type = 0;          // the magic number of the file system
  uint64_t total_bytes = 0;
  uint64_t free_bytes = 0;
  uint64_t total_inodes = 0;
  uint64_t free_inodes = 0;
};
std::string Encode(const FileSpace& message);
Result<FileSpace> DecodeFileSpace(std::string_view bytes);

// What becomes of one of a file's times.
enum class TimeChoice : uint8_t { kKeep = 0, kNow = 1, kSet = 2 };
inline constexpr uint8_t kTimeChoices = 3;

// kSetTimes: answered by kReply.
struct SetTimesRequest {
  std::string path;
  bool follows = true;
  TimeChoice access = TimeChoice::kKeep;
  int64_t accessed_ns = 0;    // of kSet
  TimeChoice modify = TimeChoice::kKeep;
  int64_t modified_ns = 0;
};
std::string Encode(const SetTimesRequest& message);
Result<SetTimesRequest> DecodeSetTimes(std::string_view bytes);

enum OpenFlag : uint16_t {
  kOpenRead = 1 << 0,
  kOpenWrite = 1 << 1,
  kOpenAppend = 1 << 2,
  kOpenCreate = 1 << 3,
  kOpenExclusive = 1 << 4,
  kOpenTruncate = 1 << 5,
  kOpenDirectory = 1 << 6,
  kOpenNoFollow = 1 << 7,
};
inline constexpr uint16_t kOpenFlags = 0xff;

// kOpenFile: a regular file, a directory, or one of the devices that never block (null, zero, full, random). Answered by kOpened
// with its FileAttributes; then each kFileAct by one kFileDone, in order, until kReset closes it.
struct OpenRequest {
  std::string path;
  uint16_t flags = kOpenRead;   // OpenFlag
  uint16_t mode = 0644;         // of a file that is created, whatever the agent's umask
};
std::string Encode(const OpenRequest& message);
Result<OpenRequest> DecodeOpen(std::string_view bytes);

enum class Act : uint8_t {
  kRead = 1,         // offset, length; done: bytes, none at the end
  kWrite = 2,        // offset (of no meaning with kOpenAppend), bytes; done: the offset behind what was written
  kAttributes = 3,   // done: bytes are FileAttributes
  kTruncate = 4,     // offset: the new size
};
inline constexpr uint8_t kActs = 5;
// What one act may read or write.
inline constexpr size_t kMaxActBytes = 128 * 1024;

struct FileAct {
  Act act = Act::kRead;
  uint64_t offset = 0;
  uint32_t length = 0;
  std::string bytes;
};
std::string Encode(const FileAct& message);
Result<FileAct> DecodeFileAct(std::string_view bytes);

struct FileDone {
  int32_t error_number = 0;   // an act that failed leaves the file open
  uint64_t offset = 0;
  std::string bytes;
};
std::string Encode(const FileDone& message);
Result<FileDone> DecodeFileDone(std::string_view bytes);

}  // namespace paddock::guest
