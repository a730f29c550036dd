// What happens to files, as somebody who watches is told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace paddock::sandbox {

struct FileEvent {
  enum class Kind {
    kCreated,
    kModified,     // its content
    kAttributes,   // permissions, owner, times
    kRemoved,
    kMoved,        // from `from`, both within what is watched
    kLost,         // something was not seen: look at everything again
  };
  Kind kind = Kind::kCreated;
  bool is_directory = false;
  std::string path;   // absolute; of kLost the watched one
  std::string from;   // of kMoved

  bool operator==(const FileEvent&) const = default;
};

class FileWatch {
 public:
  virtual ~FileWatch() = default;
  // What has happened since the last time, in order; waits for nothing. An error: it sees no more.
  virtual Result<std::vector<FileEvent>> Take() = 0;
};

// Facet: a sandbox that is told by its kernel.
class WatchesFiles {
 public:
  virtual ~WatchesFiles() = default;
  // `path` is absolute; a directory with what is in it, with `is_recursive` to any depth, or a file. Any thread.
  virtual Result<std::unique_ptr<FileWatch>> Watch(const std::string& path, bool is_recursive) = 0;
};

}  // namespace paddock::sandbox
