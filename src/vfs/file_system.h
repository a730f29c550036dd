// FileSystem: files by path, as a program sees them. The one interface of commands, tools and
// hosts.
//
// Paths are bytes, absolute or relative to the working directory the object is bound to. Symlinks
// on the way are followed; for the last component each operation says. Errors are the POSIX ones of
// the system call it stands for, always with an empty message (the command adds the path in its own
// wording). Implementations: View (a virtual process's view of a Namespace) and, behind real walls,
// guest::GuestFileSystem. tests/conformance runs the same cases on both.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "vfs/attributes.h"
#include "vfs/namespace.h"
#include "vfs/open_file.h"
#include "vfs/volume.h"

namespace paddock::vfs {

// For SetTimes(): the clock's time. Whoever may write a file may set both of its times to it.
inline constexpr Nanoseconds kNow = Nanoseconds::min();

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<Attributes> Stat(std::string_view path, Follow follow = Follow::kYes) = 0;
  // Creates with `mode` less the umask. Follows a final symlink unless flags.no_follow.
  virtual Result<OpenFilePtr> Open(std::string_view path, const OpenFlags& flags,
                                   uint32_t mode = 0666) = 0;
  virtual Result<std::vector<DirectoryEntry>> List(std::string_view path) = 0;  // sorted by name
  virtual Result<std::string> ReadLink(std::string_view path) = 0;

  virtual Status MakeDirectory(std::string_view path, uint32_t mode = 0777) = 0;
  virtual Status MakeNode(std::string_view path, FileType type, uint32_t mode,
                          uint64_t special = 0) = 0;
  virtual Status MakeSymlink(std::string_view target, std::string_view path) = 0;
  virtual Status MakeLink(std::string_view existing, std::string_view path,
                          Follow follow = Follow::kNo) = 0;
  virtual Status RemoveFile(std::string_view path) = 0;       // unlink(2)
  virtual Status RemoveDirectory(std::string_view path) = 0;  // rmdir(2)
  virtual Status Rename(std::string_view from, std::string_view to, bool exclusive = false) = 0;

  virtual Status SetMode(std::string_view path, uint32_t mode, Follow follow = Follow::kYes) = 0;
  virtual Status SetOwner(std::string_view path, std::optional<uint32_t> uid,
                          std::optional<uint32_t> gid, Follow follow = Follow::kYes) = 0;
  virtual Status SetTimes(std::string_view path, std::optional<Nanoseconds> access,
                          std::optional<Nanoseconds> modify, Follow follow = Follow::kYes) = 0;
  virtual Status Truncate(std::string_view path, uint64_t size) = 0;

  // access(2) with the effective ids: kAccess, kReadOnly, kNoEntry …; bits 4 read, 2 write, 1
  // execute.
  virtual Status Access(std::string_view path, uint32_t bits) = 0;
  // realpath(3): absolute, without symlinks. kAll: every component must exist; kParent: all but the
  // last; kNone: none (the rest is taken as it is).
  enum class MustExist { kAll, kParent, kNone };
  virtual Result<std::string> Canonical(std::string_view path,
                                        MustExist must_exist = MustExist::kAll) = 0;
  virtual Result<SpaceInfo> Space(std::string_view path) = 0;

  virtual const std::string& cwd() const = 0;  // absolute, logical (may name symlinks)
  virtual const Credentials& credentials() const = 0;
  virtual uint32_t umask() const = 0;
};

// The whole content of a file. Errors as Open() and reading; kFileTooBig past `max_bytes`.
Result<std::string> ReadFile(FileSystem& fs, std::string_view path,
                             uint64_t max_bytes = 1ull << 30);
// Replaces or creates a file.
Status WriteFile(FileSystem& fs, std::string_view path, std::string_view content,
                 uint32_t mode = 0666);
// mkdir -p.
Status MakeDirectories(FileSystem& fs, std::string_view path, uint32_t mode = 0777);

// Path text, never string surgery at the call site.
// "a/b/" and "a/b" → "b"; "/" → "/"; as basename(1) and dirname(1).
std::string BaseName(std::string_view path);
std::string DirectoryName(std::string_view path);
// "a" + "b" → "a/b"; an absolute second part wins; no doubled slash.
std::string JoinPath(std::string_view directory, std::string_view name);
// Lexical: folds "//", "." and "..", keeps it absolute or relative ("" → ".").
std::string NormalizePath(std::string_view path);

}  // namespace paddock::vfs
