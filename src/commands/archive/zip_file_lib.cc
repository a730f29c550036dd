#include "commands/archive/zip_file.h"

#include <algorithm>

namespace paddock {
namespace {

class StoredSource final : public ByteSource {
 public:
  StoredSource(vfs::OpenFile& file, uint64_t offset, uint64_t size, std::optional<codec::ZipCipher> cipher)
      : file_(file), at_(offset), left_(size), cipher_(std::move(cipher)) {}
  Result<Block> ReadBlock(size_t max) override {
    const size_t count = static_cast<size_t>(std::min<uint64_t>({left_, max, 128 << 10}));
    if (count == 0) return Block{};
    PADDOCK_ASSIGN(const uint64_t place, file_.Seek(static_cast<int64_t>(at_), vfs::Whence::kStart));
    static_cast<void>(place);
    PADDOCK_ASSIGN(Block block, file_.ReadBlock(count));
    at_ += block.bytes.size();
    left_ -= block.bytes.size();
    if (!cipher_) return block;
    plain_ = block.bytes;
    cipher_->Decrypt(plain_.data(), plain_.size());
    return Block{nullptr, plain_};
  }
  void GiveBack(size_t) override {}

 private:
  vfs::OpenFile& file_;
  uint64_t at_, left_;
  std::optional<codec::ZipCipher> cipher_;
  std::string plain_;
};

class Copier final : public codec::Coder {
 public:
  Result<Step> Run(std::string_view in, bool, char* out, size_t room) override {
    const size_t count = std::min(in.size(), room);
    in.copy(out, count);
    return Step{count, count, true};
  }
};

}  // namespace

Result<std::unique_ptr<ZipFile>> ZipFile::Open(vfs::FileSystem& fs, const std::string& path, Budget& budget) {
  PADDOCK_ASSIGN(vfs::OpenFilePtr file, fs.Open(path, vfs::OpenFlags::Read()));
  return Open(std::move(file), budget);
}

Result<std::unique_ptr<ZipFile>> ZipFile::Open(vfs::OpenFilePtr file, Budget& budget) {
  PADDOCK_ASSIGN(const vfs::Attributes attributes, file->GetAttributes());
  if (attributes.is_directory()) return Code::kIsDirectory;
  std::unique_ptr<ZipFile> zip(new ZipFile(std::move(file), budget));  // allow(raw-new): a private constructor
  zip->size_ = attributes.size;
  PADDOCK_ASSIGN(zip->directory_, codec::ReadZipDirectory(zip->size_, [&](uint64_t offset, size_t count) { return zip->ReadAt(offset, count); }, budget));
  return zip;
}

Result<std::unique_ptr<ZipFile>> ZipFile::OpenJoined(vfs::OpenFilePtr file, const std::vector<uint64_t>& starts, Budget& budget) {
  PADDOCK_ASSIGN(std::unique_ptr<ZipFile> zip, Open(std::move(file), budget));
  zip->directory_.displacement = 0;   // the stated places are those in their parts
  for (codec::ZipEntry& entry : zip->directory_.entries) {
    budget.Step();
    if (entry.part >= starts.size() || entry.offset >= zip->size_) return Error(Code::kCorrupt, "an entry lies in a part that there is not");
    entry.offset += starts[entry.part];
  }
  return zip;
}

Result<uint16_t> ZipFile::PartsBefore(vfs::OpenFilePtr file, Budget& budget) {
  PADDOCK_ASSIGN(const vfs::Attributes attributes, file->GetAttributes());
  if (attributes.is_directory()) return Code::kIsDirectory;
  ZipFile zip(std::move(file), budget);
  zip.size_ = attributes.size;
  return codec::ReadZipPart(zip.size_, [&](uint64_t offset, size_t count) { return zip.ReadAt(offset, count); });
}

Result<std::string> ZipFile::ReadAt(uint64_t offset, size_t count) {
  std::string bytes;
  if (offset >= size_) return bytes;
  PADDOCK_ASSIGN(const uint64_t place, file_->Seek(static_cast<int64_t>(offset), vfs::Whence::kStart));
  static_cast<void>(place);
  while (bytes.size() < count) {
    PADDOCK_ASSIGN(const Block block, file_->ReadBlock(count - bytes.size()));
    if (block.bytes.empty()) break;
    budget_.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
    bytes += block.bytes;
  }
  return bytes;
}

Result<uint64_t> ZipFile::DataOf(const codec::ZipEntry& entry) {
  return codec::FindZipData(entry, directory_, [this](uint64_t offset, size_t count) { return ReadAt(offset, count); });
}

std::unique_ptr<ByteSource> ZipFile::StoredBytes(uint64_t offset, uint64_t size, std::optional<codec::ZipCipher> cipher) {
  return std::make_unique<StoredSource>(*file_, offset, size, std::move(cipher));
}

bool ZipFile::HasOverlaps() {
  std::vector<std::pair<uint64_t, uint64_t>> spans;
  for (const codec::ZipEntry& entry : directory_.entries) {
    const auto data = DataOf(entry);
    if (!data) continue;
    spans.emplace_back(entry.offset + static_cast<uint64_t>(directory_.displacement), *data + entry.packed);
  }
  std::sort(spans.begin(), spans.end());
  for (size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].second) return true;
  }
  return false;
}

codec::CoderPtr ZipDecoder(uint16_t method, Budget& budget) {
  switch (method) {
    case codec::kZipStored: return std::make_unique<Copier>();
    case codec::kZipDeflated: return codec::NewInflater(&budget);
    case codec::kZipBzip2: return codec::NewBzip2Decoder(&budget);
    default: return nullptr;
  }
}

}  // namespace paddock
