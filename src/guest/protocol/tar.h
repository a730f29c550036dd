// Tar archives as a stream: a reader that takes bytes in any pieces and a writer of headers. Pure: no I/O. What they hold does
// not grow with the archive.
//
// Written is POSIX ustar, with pax records for what that has no room for. Read are those, GNU's long names and base-256 numbers,
// and what came before POSIX. Sparse files of GNU's old kind are refused.
//
// Not codec's: the agent carries nothing but base and this folder into a wall, and takes bytes as they come instead of asking for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::guest {

inline constexpr size_t kTarBlock = 512;

struct TarEntry {
  enum class Kind { kFile, kHardLink, kSymlink, kCharacterDevice, kBlockDevice, kDirectory, kFifo, kOther };
  Kind kind = Kind::kFile;
  std::string name;          // as it is in the archive: anything at all when read; not empty when written
  std::string target;        // of links
  uint32_t mode = 0644;      // permission bits with set-uid, set-gid and sticky
  uint64_t uid = 0;
  uint64_t gid = 0;
  uint64_t size = 0;         // bytes that follow; 0 for all but kFile and kOther
  int64_t modified_ns = 0;   // since 1970
  uint32_t device_major = 0;
  uint32_t device_minor = 0;
};

class TarReader {
 public:
  // Gets the entries in order: Begin(), Data() as often as there are pieces, End().
  class Visitor {
   public:
    virtual ~Visitor() = default;
    virtual void Begin(const TarEntry& entry) = 0;
    virtual void Data(std::string_view bytes) = 0;
    virtual void End() = 0;
  };

  // Takes the next bytes. kInvalid, for good, when this is no tar archive or a broken one; kNotSupported. What follows the end of
  // the archive is ignored.
  Status Feed(std::string_view bytes, Visitor& visitor);
  // At the end of the bytes: kInvalid when they end within an entry. The blocks that mark the end may be missing.
  Status Finish() const;

 private:
  enum class State { kHeader, kContent, kExtension, kPadding, kDone };
  // Values that pax records and GNU's long names give to the next entry.
  struct Override {
    std::optional<std::string> name, target;
    std::optional<uint64_t> size, uid, gid;
    std::optional<int64_t> modified_ns;
    bool is_sparse = false;
  };

  Status TakeHeader(std::string_view block, Visitor& visitor);
  Status BeginEntry(std::string_view block, char type, uint64_t size, Visitor& visitor);
  Status TakeExtension();
  Status TakeRecord(std::string_view key, std::string_view value);

  State state_ = State::kHeader;
  std::string block_;         // a header that has not come whole
  std::string extension_;     // of extension_type_, as far as it has come
  char extension_type_ = 0;
  uint64_t left_ = 0;         // of the content
  uint64_t padding_ = 0;      // behind it
  Override next_;
};

// The blocks in front of an entry's content; behind it TarPadding(size) zeroes, and behind the last one TarEnd().
std::string EncodeTarHeader(const TarEntry& entry);
inline size_t TarPadding(uint64_t size) { return static_cast<size_t>((kTarBlock - size % kTarBlock) % kTarBlock); }
inline std::string TarEnd() { return std::string(2 * kTarBlock, '\0'); }

}  // namespace paddock::guest
