// Archives in several files: NAME.001, NAME.002 and so on are the pieces of one.

#include <algorithm>
#include <cstdio>

#include "base/budget.h"
#include "commands/archive/7z.h"

namespace paddock::seven_zip {
namespace {

std::string VolumeName(const std::string& path, uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, ".%03llu", static_cast<unsigned long long>(number));
  return path + text;
}

// The volumes one behind the other, to be read.
class JoinedFile final : public vfs::OpenFile {
 public:
  void Add(vfs::OpenFilePtr file, uint64_t size) {
    parts_.push_back({std::move(file), size_});
    size_ += size;
  }
  uint64_t count() const { return parts_.size(); }

  Result<Block> ReadBlock(size_t max) override {
    if (at_ >= size_) return Block();
    const auto behind = std::upper_bound(parts_.begin(), parts_.end(), at_, [](uint64_t at, const Part& part) { return at < part.start; });
    const Part& part = *std::prev(behind);
    const uint64_t end = behind == parts_.end() ? size_ : behind->start;
    PADDOCK_TRY(part.file->Seek(static_cast<int64_t>(at_ - part.start), vfs::Whence::kStart));
    PADDOCK_ASSIGN(Block block, part.file->ReadBlock(static_cast<size_t>(std::min<uint64_t>(max, end - at_))));
    at_ += block.bytes.size();
    return block;
  }
  void GiveBack(size_t count) override { at_ -= count; }
  Status Write(std::string_view) override { return Code::kBadDescriptor; }
  Result<uint64_t> Seek(int64_t offset, vfs::Whence whence) override {
    const auto base = static_cast<int64_t>(whence == vfs::Whence::kStart ? 0 : whence == vfs::Whence::kEnd ? size_ : at_);
    int64_t target = 0;
    if (__builtin_add_overflow(base, offset, &target) || target < 0) return Code::kInvalid;
    return at_ = static_cast<uint64_t>(target);
  }
  Result<vfs::Attributes> GetAttributes() const override {
    PADDOCK_ASSIGN(vfs::Attributes attributes, parts_[0].file->GetAttributes());
    attributes.size = size_;
    return attributes;
  }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return false; }
  std::string description() const override { return parts_[0].file->description(); }

 private:
  struct Part {
    vfs::OpenFilePtr file;
    uint64_t start;
  };
  std::vector<Part> parts_;
  uint64_t size_ = 0, at_ = 0;
};

}  // namespace

Result<Volumes> OpenVolumes(vfs::FileSystem& fs, const std::string& path, Budget& budget) {
  Volumes volumes;
  PADDOCK_ASSIGN(volumes.file, fs.Open(path, vfs::OpenFlags::Read()));
  if (!path.ends_with(".001")) return volumes;
  const std::string base = path.substr(0, path.size() - 4);
  auto joined = std::make_shared<JoinedFile>();
  vfs::OpenFilePtr next = volumes.file;
  while (true) {
    budget.Step(16);
    PADDOCK_ASSIGN(const vfs::Attributes attributes, next->GetAttributes());
    if (joined->count() == 0) volumes.first_size = attributes.size;
    joined->Add(std::move(next), attributes.size);
    auto opened = fs.Open(VolumeName(base, joined->count() + 1), vfs::OpenFlags::Read());
    if (!opened) break;
    next = std::move(*opened);
  }
  volumes.count = joined->count();
  volumes.file = std::move(joined);
  return volumes;
}

Result<uint64_t> CutVolumes(vfs::FileSystem& fs, const std::string& draft, const std::string& path, const std::vector<uint64_t>& sizes, Budget& budget) {
  PADDOCK_ASSIGN(const vfs::OpenFilePtr from, fs.Open(draft, vfs::OpenFlags::Read()));
  uint64_t count = 0, left = 0;
  vfs::OpenFilePtr to;
  while (true) {
    const uint64_t most = left > 0 ? left : sizes[std::min<size_t>(count, sizes.size() - 1)];
    PADDOCK_ASSIGN(const Block block, from->ReadBlock(static_cast<size_t>(std::min<uint64_t>(most, 128 << 10))));
    if (block.bytes.empty()) break;
    budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 8));
    if (left == 0) {
      left = most;
      PADDOCK_ASSIGN(to, fs.Open(VolumeName(path, ++count), {.write = true, .create = true, .truncate = true}));
    }
    PADDOCK_TRY(to->Write(block.bytes));
    left -= block.bytes.size();
  }
  PADDOCK_TRY(fs.RemoveFile(draft));
  return count;
}

}  // namespace paddock::seven_zip
