// OverlayVolume: an upper volume that takes all writes over a lower one that stays as it is.
//
// Copy-up on first write, whiteouts for removed names (kept beside the tree, never as visible files),
// opaque directories. Node ids are its own.
#pragma once

#include "vfs/memory_volume.h"

namespace paddock::vfs {

// `lower` is never changed. `upper` starts empty.
VolumePtr MakeOverlayVolume(VolumePtr lower, std::shared_ptr<MemoryVolume> upper);

}  // namespace paddock::vfs
