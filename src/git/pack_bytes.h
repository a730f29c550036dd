// The bytes of a pack, read from its file a window at a time: a pack may be larger than what a sandbox may hold. Not an interface of
// the folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "vfs/open_file.h"

namespace paddock::git {

class PackBytes {
 public:
  explicit PackBytes(std::string all);
  // `open` is called for each window: a repository may have more packs than files may be open.
  using Opener = std::function<Result<vfs::OpenFilePtr>()>;
  PackBytes(Opener open, uint64_t size);
  PackBytes(PackBytes&&) = default;
  PackBytes& operator=(PackBytes&&) = default;

  uint64_t size() const { return size_; }
  // What there is from an offset on: at least `least` bytes (at most 256) or all up to the end, usually more. Valid until the next
  // call. Errors: kCorrupt when the file is shorter than it was, those of reading.
  Result<std::string_view> From(uint64_t offset, size_t least = 1);

 private:
  struct Window {
    uint64_t last_use = 0;
    std::string_view bytes;   // and some of the next window's, so that nothing short lies across the border
    std::shared_ptr<const void> keep;
  };
  Status Load(uint64_t number);

  Opener open_;   // empty: the one window is all
  uint64_t size_, window_bytes_;
  uint64_t uses_ = 0;
  std::unordered_map<uint64_t, Window> windows_;   // by number
  uint64_t last_number_ = 0;                       // of the window that was asked for last
  Window* last_ = nullptr;
};

}  // namespace paddock::git
