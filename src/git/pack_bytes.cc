#include "git/pack_bytes.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace paddock::git {
namespace {

constexpr uint64_t kWhole = 1 << 20;    // a pack up to this size is one window
constexpr uint64_t kWindow = 32 << 10;
constexpr size_t kMaxWindows = 512;
constexpr uint64_t kOverlap = 4096;

}  // namespace

PackBytes::PackBytes(std::string all) : size_(all.size()), window_bytes_(size_) {
  const auto kept = std::make_shared<const std::string>(std::move(all));
  windows_[0].bytes = *kept;
  windows_[0].keep = kept;
}

PackBytes::PackBytes(Opener open, uint64_t size) : open_(std::move(open)), size_(size), window_bytes_(size <= kWhole ? size : kWindow) {}

Status PackBytes::Load(uint64_t number) {
  if (windows_.size() >= kMaxWindows) {
    const auto oldest = std::min_element(windows_.begin(), windows_.end(), [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; });
    windows_.erase(oldest);
  }
  const uint64_t begin = number * window_bytes_;
  const size_t wanted = std::min(window_bytes_ + kOverlap, size_ - begin);
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, open_());
  PADDOCK_TRY(file->Seek(static_cast<int64_t>(begin), vfs::Whence::kStart));
  PADDOCK_ASSIGN(Block first, file->ReadBlock(wanted));
  Window& window = windows_[number];
  if (first.bytes.size() == wanted) {
    window.bytes = first.bytes;
    window.keep = std::move(first.keep);
    return {};
  }
  const auto all = std::make_shared<std::string>(first.bytes);
  while (!first.bytes.empty() && all->size() < wanted) {
    PADDOCK_ASSIGN(first, file->ReadBlock(wanted - all->size()));
    *all += first.bytes;
  }
  window.bytes = *all;
  window.keep = all;
  return {};
}

Result<std::string_view> PackBytes::From(uint64_t offset, size_t least) {
  if (offset >= size_) return std::string_view();
  const uint64_t number = offset / window_bytes_, at = offset - number * window_bytes_;
  if (windows_.count(number) == 0) PADDOCK_TRY(Load(number));
  Window& window = windows_[number];
  window.last_use = ++uses_;
  if (at + std::min<uint64_t>(least, size_ - offset) > window.bytes.size()) return Error(Code::kCorrupt, "pack is shorter than it was");
  return window.bytes.substr(at);
}

}  // namespace paddock::git
