// Unpacking a tar archive below a directory of a sandbox. The archive is hostile: nothing of it lands elsewhere.
#pragma once

#include <cstdint>
#include <string>

#include "base/stream.h"
#include "vfs/extent.h"
#include "vfs/file_system.h"

namespace paddock::api {

struct UnpackLimits {
  uint64_t bytes = 4ull << 30;     // of content, holes too
  size_t entries = 200'000;
  size_t depth = 100;              // directories in a path
  uint32_t mode_mask = 0777;       // what modes keep
  // A name that no file of `directory` has. Files are written under it beside where they are to be, and then renamed: who looks sees the old
  // file or the new one. Empty: the old one is taken away first, which needs no room for two.
  std::string draft;
  // Where the archive lies, if it does: what its blocks are views into. A large file is then written as a part of it, with its zeros.
  vfs::ExtentPtr extent = nullptr;
};
struct Unpacked {
  uint64_t files = 0, directories = 0, links = 0, bytes = 0;
  uint64_t skipped = 0;            // devices, FIFOs and the like
};

// `directory` is there. Files and links take the place of those that are there; directories are merged. Owners are the user's. Blocks of
// zeros become holes. On the way to an entry symlinks are not followed, also not those that the archive brings: kInvalid. So is a path with ".."; a
// hard link leads to what lies below `directory`. Errors also: kSyntax (no tar archive), kLimit, those of the files. What was made
// before one stays, but for the file that it met.
Result<Unpacked> Unpack(ByteSource& archive, vfs::FileSystem& files, const std::string& directory, const UnpackLimits& limits = {});

}  // namespace paddock::api
