// BaseMirror: a volume that goes on, followed in the numbers of a base tree that was made of it.
//
// A BaseTree numbers its nodes by the names alone, so making one costs O(files). The mirror knows which number of the base each node of
// the volume has, and does what happens to the volume to a fork of the base: "this base and these changes" is then what the volume is
// now, at the cost of what has changed. About 50 bytes a file, and the contents that changed since the base was made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "vfs/tree_changes.h"

namespace paddock::vfs {

class BaseMirror {
 public:
  // Makes a base of `volume` as it is now. O(files).
  explicit BaseMirror(const MemoryVolume& volume);
  ~BaseMirror();
  BaseMirror(const BaseMirror&) = delete;
  BaseMirror& operator=(const BaseMirror&) = delete;

  // Takes over what has happened to the volume since. Errors: kInvalid when it is no later state of it; then the mirror is of no use.
  Status Follow(const MemoryVolume& volume);
  // What turns base() into the volume, as EncodeChanges(). Costs what differs between the two. Errors: kLimit when the contents alone take
  // more than `most` bytes.
  Result<std::string> Changes(uint64_t most = UINT64_MAX) const;
  const std::shared_ptr<const BaseTree>& base() const { return base_; }

 private:
  std::unordered_map<NodeId, NodeId> numbers_;   // of the volume's nodes, in the mirror; filled with the base
  std::shared_ptr<const BaseTree> base_;
  std::shared_ptr<MemoryVolume> seen_;           // the volume as it was followed last
  std::shared_ptr<MemoryVolume> mirror_;
};

}  // namespace paddock::vfs
