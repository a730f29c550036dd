#include "git/pack_bytes.h"

#include <algorithm>
#include <utility>

namespace paddock::git {
namespace {

constexpr uint64_t kWhole = 1 << 20;    // a pack up to this size is one window
constexpr uint64_t kWindow = 32 << 10;
constexpr size_t kMaxWindows = 512;
constexpr uint64_t kOverlap = 4096;

}  // namespace

PackBytes::PackBytes(Opener open, uint64_t size) : open_(std::move(open)), size_(size), window_bytes_(size <= kWhole ? size : kWindow) {}

Status PackBytes::Load(uint64_t number) {
  if (windows_.size() >= kMaxWindows) {
    const auto oldest = std::min_element(windows_.begin(), windows_.end(), [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; });
    windows_.erase(oldest);
  }
  const uint64_t begin = number * window_bytes_;
  const size_t wanted = std::min(window_bytes_ + kOverlap, size_ - begin);
  std::string bytes;
  bytes.reserve(wanted);
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, open_());
  PADDOCK_TRY(file->Seek(static_cast<int64_t>(begin), vfs::Whence::kStart));
  while (bytes.size() < wanted) {
    PADDOCK_ASSIGN(const Block block, file->ReadBlock(wanted - bytes.size()));
    if (block.bytes.empty()) break;
    bytes += block.bytes;
  }
  windows_[number].bytes = std::move(bytes);
  return {};
}

Result<std::string_view> PackBytes::From(uint64_t offset, size_t least) {
  if (offset >= size_) return std::string_view();
  const uint64_t number = offset / window_bytes_, at = offset - number * window_bytes_;
  if (windows_.count(number) == 0) PADDOCK_TRY(Load(number));
  Window& window = windows_[number];
  window.last_use = ++uses_;
  if (at + std::min<uint64_t>(least, size_ - offset) > window.bytes.size()) return Error(Code::kCorrupt, "pack is shorter than it was");
  return std::string_view(window.bytes).substr(at);
}

}  // namespace paddock::git
