// A description that does not let its file grow beyond a size: RLIMIT_FSIZE of setrlimit(2). Of the sandbox's thread, as all descriptions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "vfs/open_file.h"

namespace paddock::vfs {

// How large files may become, and who hears of a write or a Truncate() that goes beyond: SIGXFSZ of the process that writes. on_reached()
// may throw Termination.
struct FileSizeLimit {
  uint64_t bytes = 0;   // of a file
  std::function<void()> on_reached;
};
using FileSizeLimitPtr = std::shared_ptr<const FileSizeLimit>;

// `file` with that limit; as it is unless it is a regular one. `appends`: every write goes to the end.
OpenFilePtr LimitFileSize(OpenFilePtr file, bool appends, FileSizeLimitPtr limit);

// Writes at the offset (or the end) what fits; then, if that was not all, tells on_reached() and fails with kFileTooBig. Errors: those of
// OpenFile::Write(), too.
Status WriteWithin(OpenFile& file, bool appends, const FileSizeLimit& limit, std::string_view bytes);

}  // namespace paddock::vfs
