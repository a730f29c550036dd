// A tree as a tar archive (POSIX pax), which every tar reads.
#pragma once

#include <cstdint>

#include "base/stream.h"
#include "store/trees/store.h"

namespace paddock::trees {

struct TarExportOptions {
  uint64_t max_bytes = UINT64_MAX;  // of the archive; holes are written as zeros, so that sparse files are large
};

// Paths are relative ("a/b"); the root comes first as "./". Hard links, devices, FIFOs and times to the nanosecond are
// kept; sockets are left out, as tar does. Errors: those of the store and of `out`, kLimit.
Status ExportTar(Store& store, const ObjectId& tree, ByteSink& out, const TarExportOptions& options = {});

}  // namespace paddock::trees
