// MemoryCapture: captures one memory volume again and again, each time at the cost of what has changed.
//
// It remembers the last captured state (a fork, O(1)) and which objects it became. Memory: about 300 bytes
// a file, and the old contents of what was overwritten since, until the next capture. Dropping it is always
// right; the next capture then looks at everything.
#pragma once

#include <memory>
#include <unordered_map>

#include "store/trees/capture.h"
#include "store/trees/draft.h"
#include "vfs/memory_volume.h"

namespace paddock::trees {

class MemoryCapture {
 public:
  // As Capture(), for later and later states of one volume. Costs O(everything) the first time, when
  // `volume` is no later state of the one before, and when the store lost the tree meanwhile. Does not
  // touch access times.
  // CaptureOptions::max_bytes is held against what the volume charges to its quota.
  Result<Captured> Capture(Session& session, const vfs::MemoryVolume& volume, const CaptureOptions& options = {});

 private:
  struct Run;  // one Capture()

  std::shared_ptr<vfs::MemoryVolume> last_;  // what draft_ is
  std::unique_ptr<Draft> draft_;
  std::unordered_map<vfs::NodeId, DraftNode*> nodes_;  // one name of each; Draft::Linked() has the others
  uint64_t content_bytes_ = 0;
  ObjectId tree_;
};

}  // namespace paddock::trees
