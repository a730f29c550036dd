#include "git/pack_bytes.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace paddock::git {
namespace {

// Small ones: objects are often far from each other, and fresh memory costs more than reading does.
constexpr uint64_t kWhole = 64 << 10;    // a pack up to this size is one window
constexpr uint64_t kWindow = 8 << 10;
constexpr size_t kMaxWindows = 2048;
constexpr uint64_t kOverlap = 256;

}  // namespace

PackBytes::PackBytes(std::string all) : size_(all.size()), window_bytes_(size_) {
  const auto kept = std::make_shared<const std::string>(std::move(all));
  windows_[0].bytes = *kept;
  windows_[0].keep = kept;
}

PackBytes::PackBytes(Opener open, uint64_t size) : open_(std::move(open)), size_(size), window_bytes_(size <= kWhole ? size : kWindow) {}

Status PackBytes::Load(uint64_t number) {
  if (windows_.size() >= kMaxWindows) {
    // Half of them go at once, so that few searches are needed.
    std::vector<uint64_t> uses;
    for (const auto& [other, window] : windows_) uses.push_back(window.last_use);
    const auto middle = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
    std::nth_element(uses.begin(), middle, uses.end());
    std::erase_if(windows_, [oldest = *middle](const auto& entry) { return entry.second.last_use < oldest; });
    last_ = nullptr;
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
  if (last_ == nullptr || last_number_ != number) {
    if (windows_.count(number) == 0) PADDOCK_TRY(Load(number));
    last_ = &windows_[number];
    last_number_ = number;
  }
  const Window& window = *last_;
  last_->last_use = ++uses_;
  if (at + std::min<uint64_t>(least, size_ - offset) > window.bytes.size()) return Error(Code::kCorrupt, "pack is shorter than it was");
  return window.bytes.substr(at);
}

}  // namespace paddock::git
