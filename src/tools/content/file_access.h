// Reading and writing files for a model: bounded, and with errors that say what to do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vfs/file_system.h"

namespace paddock::tools {

inline constexpr uint64_t kMaxFileBytes = 4u << 20;   // of one file that a tool reads or writes

// "cannot VERB /x: no such file"; for an absent one with the nearest name beside it.
Error FileError(vfs::FileSystem& files, const Error& error, std::string_view verb, const std::string& path);

// The content of a regular file. Errors: absent, a directory, another special thing, larger than kMaxFileBytes.
Result<std::string> ReadRegularFile(vfs::FileSystem& files, const std::string& path);

struct WriteOptions {
  std::optional<uint32_t> mode;   // none: 0644, or the mode that the file has
  bool append = false;
  bool create_directories = true;
  bool overwrite = true;
};
struct WriteOutcome {
  bool is_new = false;
  uint64_t size = 0;   // of the file afterwards
};
// Writes all or leaves the file as it was: through a temporary name beside it. A symlink is followed.
Result<WriteOutcome> WriteRegularFile(vfs::FileSystem& files, const std::string& path, std::string_view content, const WriteOptions& options);

// Removes a tree; entries removed so far count against `budget`. Errors: kLimit.
Status RemoveTree(vfs::FileSystem& files, const std::string& path, size_t& budget);

const char* TypeName(vfs::FileType type);   // "file", "directory", "symlink" …

// Checks a path of session storage and gives it its one form: "/workspace/a" and "/a" are the same. Errors: kInvalid for a path that is
// relative, has "..", "." or "//", a NUL, or is too long.
Result<std::string> SessionPath(std::string_view path, std::string_view argument);

}  // namespace paddock::tools
