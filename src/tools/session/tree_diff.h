// The differences between two file trees, found by walking both.
#pragma once

#include "tools/session/session_access.h"

namespace paddock::tools {

// Bounded by `request.most` changes and by a million entries looked at. Files are compared by size, then by content up to 8 MiB, beyond
// that by size and time. Neither crosses into /proc, /dev or /sys.
DiffOutcome DiffTrees(vfs::FileSystem& before, vfs::FileSystem& after, const DiffRequest& request);

}  // namespace paddock::tools
