// SeenDirectories: what the host's directories were when a walk came through them a moment ago, so that going through
// the files of a tree does not look at each directory above each file anew. Not an interface of the folder.
//
// What is seen counts for the rest of the kernel's tick, some milliseconds, and until the volume itself changes
// something. Only directories are remembered: a file is looked at each time. What the host does to a directory meanwhile
// shows with the next tick; it leads nowhere else, because directories are opened by paths below the root, without
// symlinks.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "vfs/volume.h"

namespace paddock::vfs {

enum class HostMemory { kNone, kOneTick };

class SeenDirectories {
 public:
  explicit SeenDirectories(HostMemory memory) : memory_(memory) {}

  struct Seen {
    NodeId parent = 0;
    std::string name;
    NodeId node = 0;
    std::chrono::nanoseconds tick{0};
    struct stat found;
  };
  // Null unless it was seen in this tick. Valid until the next call that is not Find(). A directory whose place was not asked for is the name "" in itself.
  const Seen* Find(NodeId parent, std::string_view name) const;
  void Add(NodeId parent, std::string_view name, NodeId node, const struct stat& found);
  void Clear() { seen_.clear(); }

 private:
  const HostMemory memory_;
  std::vector<Seen> seen_;
  size_t next_ = 0;   // to be overwritten
};

}  // namespace paddock::vfs
