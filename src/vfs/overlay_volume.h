// OverlayVolume: an upper volume that takes all writes over a lower one that stays as it is.
//
// Copy-up on first write, whiteouts for removed names, opaque directories; both marks live in the
// upper volume (Attributes::special) and are never visible, so that a fork of the upper volume over
// the same lower one is a fork of the overlay. Node ids are its own. Inode numbers survive a
// copy-up. A directory of the lower volume that is renamed is copied up with all that is in it.
// Hard links of the lower volume come apart when one of their names is written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vfs/memory_volume.h"

namespace paddock::vfs {

// One difference between what the overlay shows and its lower volume.
struct OverlayChange {
  enum class Kind { kAdded, kModified, kRemoved };
  Kind kind;
  std::string path;  // relative to the volume's root
  FileType type;     // as it is now; of a removed name, as it was
};

class OverlayVolume : public Volume {
 public:
  // The differences in depth-first name order. Modified means: type, mode, owner, target or
  // content; times alone do not count. A removed directory is one entry, an added one is followed
  // by what is in it.
  virtual Result<std::vector<OverlayChange>> Changes() = 0;
};

// `lower` is never changed. `upper` is empty or (the fork of) an upper volume of an equal lower
// one.
std::shared_ptr<OverlayVolume> MakeOverlayVolume(VolumePtr lower,
                                                 std::shared_ptr<MemoryVolume> upper);

}  // namespace paddock::vfs
