#include "commands/archive/zip_split.h"

#include <algorithm>
#include <cstdio>

#include "commands/archive/zip_tools.h"

namespace paddock::zip {
namespace {

constexpr size_t kPiece = 128 << 10;
constexpr size_t kMostParts = 0xffff;
constexpr uint64_t kMost32 = UINT32_MAX;

// "a.zip" and 7: "a.z07".
std::string PartName(const std::string& target, size_t number) {
  char text[24];
  std::snprintf(text, sizeof text, ".z%02zu", number);
  return (target.ends_with(".zip") ? target.substr(0, target.size() - 4) : target) + text;
}

void PutNumber(std::string& bytes, size_t at, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

// Writes one part after the other. A part gets its name when it is whole.
class PartWriter {
 public:
  PartWriter(Invocation& in, const std::string& target, uint64_t size) : in_(in), target_(target), size_(size) {}
  ~PartWriter() {
    if (file_ != nullptr) static_cast<void>(in_.fs.RemoveFile(draft_));
  }
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;

  // What may lie in two parts.
  Status PutBytes(std::string_view bytes) {
    while (!bytes.empty()) {
      PADDOCK_TRY(MakeRoom(1));
      const size_t count = static_cast<size_t>(std::min<uint64_t>(bytes.size(), size_ - at_));
      PADDOCK_TRY(file_->Write(bytes.substr(0, count)));
      at_ += count;
      bytes.remove_prefix(count);
    }
    return {};
  }
  // A head, which may not.
  Status PutWhole(std::string_view bytes) {
    PADDOCK_TRY(MakeRoom(bytes.size()));
    return PutBytes(bytes);
  }
  // Goes on to the next part unless `count` bytes fit into this one.
  Status MakeRoom(uint64_t count) {
    if (count > size_) return Error(Code::kCorrupt, "an entry's head is larger than a part");
    if (file_ != nullptr && count <= size_ - at_) return {};
    if (file_ != nullptr) {
      PADDOCK_TRY(Close(PartName(target_, ++done_)));
      if (done_ >= kMostParts) return Error(Code::kCorrupt, "too many parts");
    }
    PADDOCK_ASSIGN(file_, OpenDraft(in_, target_.substr(0, target_.rfind('/') + 1), draft_));
    at_ = 0;
    return {};
  }
  Status Finish() { return Close(target_); }

  size_t part() const { return done_; }   // from 0
  uint64_t at() const { return at_; }

 private:
  Status Close(const std::string& name) {
    file_.reset();
    const Status renamed = in_.fs.Rename(draft_, name);
    if (!renamed) static_cast<void>(in_.fs.RemoveFile(draft_));
    return renamed;
  }

  Invocation& in_;
  const std::string& target_;
  const uint64_t size_;
  vfs::OpenFilePtr file_;
  std::string draft_;
  uint64_t at_ = 0;
  size_t done_ = 0;
};

// All parts as one file. One of them is open at a time.
class JoinedParts final : public vfs::OpenFile {
 public:
  JoinedParts(vfs::FileSystem& fs, std::vector<std::string> names, std::vector<uint64_t> starts, uint64_t size)
      : fs_(fs), names_(std::move(names)), starts_(std::move(starts)), size_(size) {}

  Result<Block> ReadBlock(size_t max) override {
    while (at_ < size_) {
      const auto part = static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), at_) - starts_.begin()) - 1;
      if (file_ == nullptr || part != part_) {
        PADDOCK_ASSIGN(file_, fs_.Open(names_[part], vfs::OpenFlags::Read()));
        part_ = part;
      }
      PADDOCK_TRY(file_->Seek(static_cast<int64_t>(at_ - starts_[part]), vfs::Whence::kStart));
      const uint64_t end = part + 1 < starts_.size() ? starts_[part + 1] : size_;
      PADDOCK_ASSIGN(Block block, file_->ReadBlock(static_cast<size_t>(std::min<uint64_t>(max, end - at_))));
      at_ += block.bytes.size();
      if (block.bytes.empty()) return Error(Code::kCorrupt, "a part has become shorter");
      return block;
    }
    return Block{};
  }
  void GiveBack(size_t count) override { at_ -= std::min<uint64_t>(at_, count); }
  Status Write(std::string_view) override { return Code::kBadDescriptor; }
  Result<uint64_t> Seek(int64_t offset, vfs::Whence whence) override {
    const uint64_t base = whence == vfs::Whence::kStart ? 0 : whence == vfs::Whence::kCurrent ? at_ : size_;
    return at_ = base + static_cast<uint64_t>(offset);
  }
  Result<vfs::Attributes> GetAttributes() const override {
    vfs::Attributes attributes;
    attributes.size = size_;
    return attributes;
  }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return false; }
  std::string description() const override { return names_.back(); }

 private:
  vfs::FileSystem& fs_;
  const std::vector<std::string> names_;
  const std::vector<uint64_t> starts_;
  const uint64_t size_;
  vfs::OpenFilePtr file_;
  size_t part_ = 0;
  uint64_t at_ = 0;
};

}  // namespace

std::optional<uint64_t> ReadPartSize(std::string_view text) {
  if (text == "-") return 0;
  uint64_t value = 0;
  size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(text[at] - '0'), kMost32);
  if (at == 0 || text.size() > at + 1) return std::nullopt;
  if (at == text.size()) return value < 1024 ? value << 20 : value;
  const size_t unit = std::string_view("kKmMgGtT").find(text[at]);
  if (unit == std::string_view::npos) return std::nullopt;
  return std::min<uint64_t>(value, 1 << 20) << (10 * (unit / 2 + 1));
}

Status WriteParts(Invocation& in, const std::string& draft, const std::string& target, uint64_t size) {
  PADDOCK_ASSIGN(const std::unique_ptr<ZipFile> zip, ZipFile::Open(in.fs, draft, in.budget));
  const codec::ZipDirectory& directory = zip->directory();
  if (zip->size() >= kMost32 || directory.entries.size() >= 0xffff) return Error(Code::kCorrupt, "too large to be split");
  PartWriter writer(in, target, size);
  PADDOCK_TRY(writer.PutWhole(std::string_view("PK\7\10", 4)));
  struct Place {
    size_t part;
    uint64_t offset;
  };
  std::vector<Place> places;
  for (const codec::ZipEntry& entry : directory.entries) {
    in.budget.Step(4);
    PADDOCK_ASSIGN(const uint64_t data, zip->DataOf(entry));
    const uint64_t start = entry.offset + static_cast<uint64_t>(directory.displacement);
    PADDOCK_ASSIGN(const std::string head, zip->ReadAt(start, static_cast<size_t>(data - start)));
    PADDOCK_TRY(writer.MakeRoom(head.size()));
    places.push_back({writer.part(), writer.at()});
    PADDOCK_TRY(writer.PutWhole(head));
    for (const std::unique_ptr<ByteSource> bytes = zip->StoredBytes(data, entry.packed);;) {
      PADDOCK_ASSIGN(const Block block, bytes->ReadBlock(kPiece));
      if (block.bytes.empty()) break;
      in.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
      PADDOCK_TRY(writer.PutBytes(block.bytes));
    }
    if ((entry.flags & codec::kZipHasDescriptor) != 0) PADDOCK_TRY(writer.PutWhole(codec::EncodeZipDescriptor(entry)));
  }
  Place start{0, 0};
  uint64_t record_bytes = 0, on_last = 0;
  size_t last = 0;
  for (size_t i = 0; i <= directory.entries.size(); ++i) {
    in.budget.Step(4);
    const bool is_end = i == directory.entries.size();
    std::string record = is_end ? codec::EncodeZipEnd(i, 0, record_bytes, directory.comment) : codec::EncodeZipRecord(directory.entries[i]);
    if (i == 0) start = {writer.part(), writer.at()};   // before there is room: a part's end is the next one's beginning
    PADDOCK_TRY(writer.MakeRoom(record.size()));
    if (writer.part() != last) on_last = 0;
    last = writer.part();
    if (is_end) {
      PutNumber(record, 4, last, 2);
      PutNumber(record, 6, start.part, 2);
      PutNumber(record, 8, on_last, 2);
      PutNumber(record, 16, start.offset, 4);
    } else {
      PutNumber(record, 34, places[i].part, 2);
      PutNumber(record, 42, places[i].offset, 4);
      record_bytes += record.size();
      ++on_last;
    }
    PADDOCK_TRY(writer.PutWhole(record));
  }
  return writer.Finish();
}

Result<OpenedArchive> OpenArchive(Invocation& in, const std::string& path) {
  OpenedArchive opened;
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in.fs.Open(path, vfs::OpenFlags::Read()));
  PADDOCK_ASSIGN(const size_t before, ZipFile::PartsBefore(file, in.budget));
  if (before == 0) {
    PADDOCK_ASSIGN(opened.zip, ZipFile::Open(file, in.budget));
    return opened;
  }
  std::vector<std::string> names;
  std::vector<uint64_t> starts;
  uint64_t size = 0;
  for (size_t i = 1; i <= before + 1; ++i) {
    in.budget.Step(4);
    const std::string name = i <= before ? PartName(path, i) : path;
    const auto attributes = in.fs.Stat(name);
    if (!attributes || !attributes->is_file()) {
      opened.missing = name;
      return opened;
    }
    if (i == 1) opened.part_size = attributes->size;
    names.push_back(name);
    starts.push_back(size);
    size += attributes->size;
  }
  PADDOCK_ASSIGN(opened.zip, ZipFile::OpenJoined(std::make_shared<JoinedParts>(in.fs, names, starts, size), starts, in.budget));
  return opened;
}

}  // namespace paddock::zip
