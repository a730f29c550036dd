// Looking at files below a directory that somebody hostile may have filled: always by descriptor, never through a symbolic
// link, never onto another file system.
//
// Paths are relative, without `.`, `..` or a trailing '/', of any bytes; the empty path is the directory itself.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace paddock::overlay {

// The longest path that is looked at, in bytes.
inline constexpr size_t kLongestPath = 4000;

// What lstat(2) says.
struct FileFacts {
  enum class Type : uint8_t { kAbsent, kFile, kDirectory, kSymlink, kWhiteout, kDevice, kFifo, kSocket };
  Type type = Type::kAbsent;
  uint32_t mode = 0;                      // the 12 permission bits
  uint64_t size = 0;                      // bytes
  std::chrono::nanoseconds changed{0};    // ctime, since 1970
  std::chrono::nanoseconds modified{0};   // mtime
  uint64_t device = 0;
  uint64_t inode = 0;
  uid_t uid = 0;
  gid_t gid = 0;

  bool exists() const { return type != Type::kAbsent; }
  bool is_directory() const { return type == Type::kDirectory; }
  bool is_file() const { return type == Type::kFile; }
  bool is_symlink() const { return type == Type::kSymlink; }
  // The same object, with the same content as far as its times tell. (The ctime is left out: it changes when another name of the
  // file goes away.)
  bool IsSameAs(const FileFacts& other) const {
    return type == other.type &&
           (!exists() || (device == other.device && inode == other.inode && modified == other.modified && size == other.size && mode == other.mode));
  }
};

// "fifo", "device" … for messages.
const char* TypeName(FileFacts::Type type);

// open(2) with these flags (O_CLOEXEC is added). Errors: kLoop for a symbolic link anywhere, kCrossDevice for a mount point,
// kNameTooLong beyond kLongestPath, and what open says; the message is "PATH: reason" with the path quoted.
Result<Descriptor> OpenBeneath(int directory, std::string_view path, int flags);

// Facts of what is at the path; kAbsent if nothing is or a component before the last is no directory. Errors as above.
Result<FileFacts> FactsAt(int directory, std::string_view path);
Result<FileFacts> FactsOf(int descriptor, std::string_view path);

// Names in the directory at the path, sorted, without "." and "..". Errors as above; kLimit for more than `most`.
Result<std::vector<std::string>> NamesIn(int directory, std::string_view path, size_t most);

// What the symbolic link at the path points to.
Result<std::string> LinkTarget(int directory, std::string_view path);

// An extended attribute of what is open at `descriptor` (O_PATH will do), at most 255 bytes; empty if there is none.
std::string AttributeOf(int descriptor, const char* name);

// Removes the directory `name` in `parent` with all in it, however deep. Errors: what removing says.
Status RemoveTree(int parent, const std::string& name);

// "directory/name", or the name alone where the directory is the empty path.
std::string Joined(std::string_view directory, std::string_view name);
// What is before the last '/'; empty without one. What is behind it.
std::string_view ParentOf(std::string_view path);
std::string_view NameOf(std::string_view path);

// A path as messages and listings show it: as it is, or in double quotes with escapes if it holds bytes that are not
// printable ASCII or UTF-8 text, a quote or a backslash.
std::string Shown(std::string_view path);

}  // namespace paddock::overlay
