// TarReader: the files of a tar archive, one after the other: ustar, pax, and what GNU tar adds (long names, base-256
// numbers, sparse files of all its formats). Takes hostile bytes.
//
// Source: POSIX pax, "ustar Interchange Format" and "pax Interchange Format"; GNU tar's manual, "Tar Internals".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/stream.h"
#include "vfs/attributes.h"

namespace paddock::trees {

struct TarEntry {
  std::string path;  // as it stands there: any bytes but NUL, may be absolute, may hold ".."
  vfs::FileType type = vfs::FileType::kFile;
  bool is_hard_link = false;  // to `target`, a path of the archive
  std::string target;         // also of a symlink
  uint32_t mode = 0;
  uint32_t uid = 0;
  uint32_t gid = 0;
  Nanoseconds modify_time{0};
  uint64_t size = 0;     // of a file, holes too
  bool is_sparse = false;   // its content does not stand there in one piece
  uint64_t special = 0;  // of a device: major << 8 | minor
};

class TarReader {
 public:
  explicit TarReader(ByteSource& in) : in_(in) {}

  // The next file, or nothing at the end. What was not read of the one before is skipped. Errors: kSyntax, kLimit,
  // those of `in`.
  Result<std::optional<TarEntry>> Next();
  // The content of the file that Next() gave, in order: `data` for bytes, `hole` for how many zeros.
  Status ReadContent(const std::function<Status(std::string_view)>& data, const std::function<Status(uint64_t)>& hole);

 private:
  struct Extent {
    uint64_t offset = 0;
    uint64_t length = 0;
  };
  using Records = std::map<std::string, std::string, std::less<>>;

  // True if a whole block came; false at the end of the input.
  Result<bool> ReadRecord(char* record);
  Status ReadBytes(uint64_t count, const std::function<Status(std::string_view)>& visit);
  Result<std::string> ReadText(uint64_t size, const char* what);
  Status SkipPadding();
  Status ParsePax(const std::string& text, Records& records);
  Status ApplyPax(const Records& records, TarEntry& entry, uint64_t& stored);
  Status ReadGnuSparse(const char* record, TarEntry& entry);
  Status ReadPaxSparse(const Records& records, TarEntry& entry);
  Status ReadSparseMap(TarEntry& entry);
  Status CheckExtents(const TarEntry& entry);

  ByteSource& in_;
  Block block_;
  uint64_t data_left_ = 0;  // stored bytes of the entry that were not read
  uint64_t padding_ = 0;    // behind them
  bool is_sparse_ = false;
  std::vector<Extent> extents_;
  uint64_t size_ = 0;  // of the entry
  Records global_;
};

}  // namespace paddock::trees
