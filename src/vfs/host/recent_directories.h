// RecentDirectories: descriptors of the host directories that were looked into last, so that a look
// at one of their names is one call of the kernel. Not an interface of the folder.
//
// What is remembered is never taken on trust: a walk asks for each directory on its way first, and
// only the one that was just seen to be still there, under its name in a directory of which the
// same holds, is used as it is open. Anything else is opened anew by its path, without symlinks. An
// inode that is open is not given to another directory, so device and inode tell one for sure.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "vfs/host/beneath.h"
#include "vfs/volume.h"

namespace paddock::vfs {

class RecentDirectories {
 public:
  // A descriptor (O_PATH) of a directory, which stays open until the next call. `path` is relative
  // to the opener's root, empty for that itself. Errors: those of BeneathOpener::Open.
  Result<int> Open(BeneathOpener& opener, NodeId node, const std::string& path);

  // The host was just seen to have `found` where `node` is. If that is the very directory that is
  // remembered, the calls of Open() for it that follow at once need not look again.
  void Saw(NodeId node, const struct stat& found);

  // In the kernel's ticks of some milliseconds, without a call of the kernel.
  static std::chrono::nanoseconds CoarseNow();

  // Something may have changed.
  void Distrust() { trusted_ = 0; }

 private:
  struct Remembered {
    NodeId node = 0;
    HostDescriptor file;
    dev_t device = 0;
    ino_t inode = 0;
    uint64_t last_use = 0;
  };
  Remembered* Find(NodeId node);
  void Trust(NodeId node);
  bool IsTrusted(NodeId node) const;

  std::vector<Remembered> directories_;
  uint64_t uses_ = 0;
  NodeId trusted_ = 0;
  std::chrono::nanoseconds trusted_since_{0};
};

}  // namespace paddock::vfs
