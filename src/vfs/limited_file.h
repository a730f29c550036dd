// A description that does not let its file grow beyond a size: RLIMIT_FSIZE of setrlimit(2).
#pragma once

#include <functional>

#include "vfs/open_file.h"

namespace paddock::vfs {

// The size in bytes that files may have, and who hears of a write that finds no room: SIGXFSZ of the process that writes. Outlives the
// descriptions that have it.
struct FileSizeLimit {
  uint64_t bytes = 0;
  std::function<void()> on_reached;
};
using FileSizeLimitPtr = std::shared_ptr<const FileSizeLimit>;

// `file` as it is unless it is a regular one.
OpenFilePtr LimitFileSize(OpenFilePtr file, bool appends, FileSizeLimitPtr limit);

// Writes at the offset what fits; kFileTooBig when nothing does.
Status WriteWithin(OpenFile& file, bool appends, const FileSizeLimit& limit, std::string_view bytes);

}  // namespace paddock::vfs
