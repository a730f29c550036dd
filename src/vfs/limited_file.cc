#include "vfs/limited_file.h"

namespace paddock::vfs {
namespace {

class LimitedFile final : public OpenFile {
 public:
  LimitedFile(OpenFilePtr file, bool appends, FileSizeLimitPtr limit) : file_(std::move(file)), appends_(appends), limit_(std::move(limit)) {}

  Status Write(std::string_view bytes) override { return WriteWithin(*file_, appends_, *limit_, bytes); }
  Status Truncate(uint64_t size) override {
    if (size > limit_->bytes) {
      PADDOCK_ASSIGN(const Attributes attributes, file_->GetAttributes());
      if (size > attributes.size) {
        limit_->on_reached();
        return Code::kFileTooBig;
      }
    }
    return file_->Truncate(size);
  }

  Result<Block> ReadBlock(size_t max) override { return file_->ReadBlock(max); }
  void GiveBack(size_t count) override { file_->GiveBack(count); }
  Result<uint64_t> Seek(int64_t offset, Whence whence) override { return file_->Seek(offset, whence); }
  Result<Attributes> GetAttributes() const override { return file_->GetAttributes(); }
  bool is_terminal() const override { return file_->is_terminal(); }
  bool IsReadReady() const override { return file_->IsReadReady(); }
  bool is_readable() const override { return file_->is_readable(); }
  bool is_writable() const override { return file_->is_writable(); }
  std::string description() const override { return file_->description(); }
  void set_path(std::string path) override { file_->set_path(std::move(path)); }

 private:
  OpenFilePtr file_;
  bool appends_;
  FileSizeLimitPtr limit_;
};

}  // namespace

Status WriteWithin(OpenFile& file, bool appends, const FileSizeLimit& limit, std::string_view bytes) {
  const auto attributes = file.GetAttributes();
  if (bytes.empty() || !attributes || !attributes->is_file()) return file.Write(bytes);
  const auto at = appends ? Result<uint64_t>(attributes->size) : file.Seek(0, Whence::kCurrent);
  if (!at || (*at < limit.bytes && bytes.size() <= limit.bytes - *at)) return file.Write(bytes);
  if (*at < limit.bytes) PADDOCK_TRY(file.Write(bytes.substr(0, limit.bytes - *at)));
  limit.on_reached();
  return Code::kFileTooBig;
}

OpenFilePtr LimitFileSize(OpenFilePtr file, bool appends, FileSizeLimitPtr limit) {
  const auto attributes = file->GetAttributes();
  if (!attributes || !attributes->is_file()) return file;
  return std::make_shared<LimitedFile>(std::move(file), appends, std::move(limit));
}

}  // namespace paddock::vfs
