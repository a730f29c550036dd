// StatEach: the attributes of many names of one directory, for walks that look at every file.
#pragma once

#include <string_view>
#include <vector>

#include "vfs/file_system.h"
#include "vfs/volume.h"

namespace paddock::vfs {

// What a volume is besides when finding a directory is most of the work of looking at a name in it.
class NameLooker {
 public:
  virtual ~NameLooker() = default;
  // What Lookup() and GetAttributes() say of each of the names, in their order. The directory is
  // found anew by each call.
  virtual std::vector<Result<Attributes>> LookAtEach(
      NodeId directory, const std::vector<std::string_view>& names) = 0;
};

// Stat() of JoinPath(directory, name) for each name, symlinks not followed. Some hundred names at
// once, so that what is said of the last is not old.
std::vector<Result<Attributes>> StatEach(FileSystem& fs, std::string_view directory,
                                         const std::vector<std::string_view>& names);

}  // namespace paddock::vfs
