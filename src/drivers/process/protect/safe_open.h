// Opening what lies in a tree that hostile code has written: below a directory, through no link, onto no other mount.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/descriptor.h"

namespace paddock::process_wall {

// `path` relative to `directory`, with `..` and absolute paths refused. `flags` as of open(2); O_CLOEXEC and O_NOFOLLOW are
// added. Errors: the system's; kLoop for a link anywhere on the way, kCrossDevice for another mount.
Result<Descriptor> OpenBeneath(int directory, const std::string& path, int flags);

// An absolute path without any link in it. For places outside the tree.
Result<Descriptor> OpenAbsolute(const std::string& path, int flags);

// All of a regular file; kInvalid for anything else (nothing waits on a pipe), kFileTooBig above `most` bytes.
Result<std::string> ReadRegular(int directory, const std::string& name, size_t most);

// Permission bits of a file that is not opened, links not followed: through its descriptor of O_PATH.
Status SetMode(int directory, const std::string& name, mode_t mode);

// The path by which the kernel knows an open directory.
Result<std::string> PathOf(int descriptor);

}  // namespace paddock::process_wall
