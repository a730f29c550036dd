// Stat() of a directory's entries in their order, some of them ahead of their turn.
#pragma once

#include <string_view>
#include <vector>

#include "vfs/stat_each.h"

namespace paddock {

// For walks that change nothing: what left the directory a moment ago may still be told. Symlinks are not followed.
class StatAhead {
 public:
  // Of entries[index] of `directory`; stays valid until the next call. The entries are the same in each call.
  const Result<vfs::Attributes>& Of(vfs::FileSystem& fs, std::string_view directory, const std::vector<vfs::DirectoryEntry>& entries, size_t index) {
    constexpr size_t kAtOnce = 128;
    if (index < begin_ || index - begin_ >= seen_.size()) {
      std::vector<std::string_view> names;
      for (size_t i = index; i < entries.size() && names.size() < kAtOnce; ++i) names.push_back(entries[i].name);
      begin_ = index;
      seen_ = vfs::StatEach(fs, directory, names);
    }
    return seen_[index - begin_];
  }

 private:
  size_t begin_ = 0;
  std::vector<Result<vfs::Attributes>> seen_;   // of the entries from begin_ on
};

}  // namespace paddock
