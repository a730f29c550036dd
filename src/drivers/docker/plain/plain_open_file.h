// PlainOpenFile: an open file of PlainFileSystem's: a path, an offset, and which file it is.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "drivers/docker/plain/inside.h"
#include "vfs/open_file.h"

namespace paddock::docker {

class PlainOpenFile final : public vfs::OpenFile {
 public:
  // `attributes`: as it was when it was opened; a file, a directory or a harmless device.
  PlainOpenFile(std::shared_ptr<Inside> inside, std::string path, const vfs::OpenFlags& flags, const vfs::Attributes& attributes);

  Result<Block> ReadBlock(size_t max) override;
  void GiveBack(size_t count) override;
  Status Write(std::string_view bytes) override;
  Result<uint64_t> Seek(int64_t offset, vfs::Whence whence) override;
  Result<vfs::Attributes> GetAttributes() const override;
  Status Truncate(uint64_t size) override;
  bool is_readable() const override { return flags_.read; }
  bool is_writable() const override { return flags_.write; }
  std::string description() const override { return path_; }

 private:
  bool is_regular() const { return type_ == vfs::FileType::kFile; }
  // What a script begins with, so that it is still the same file.
  std::string SameFile() const;
  Status WritePiece(std::string_view bytes);

  const std::shared_ptr<Inside> inside_;
  const std::string path_, quoted_;
  const vfs::OpenFlags flags_;
  const vfs::FileType type_;
  const std::string identity_;
  mutable std::mutex mutex_;
  uint64_t offset_ = 0;   // guarded by mutex_
};

}  // namespace paddock::docker
