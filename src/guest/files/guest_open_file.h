// An open file of a GuestFileSystem.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "guest/client/files.h"
#include "vfs/open_file.h"

namespace paddock::guest {

// The error without its message, as a FileSystem gives it, unless the connection has ended: then why.
Error Plain(const GuestFiles& files, const Error& error);
vfs::Attributes ToAttributes(const FileAttributes& from);

// Its offset is the host's; the agent only knows the descriptor. Safe from any thread.
class GuestOpenFile final : public vfs::OpenFile {
 public:
  struct Parts {
    GuestFiles files;
    std::unique_ptr<GuestFile> file;
    vfs::OpenFlags flags;
    std::string path;
    std::chrono::milliseconds timeout;
    std::function<Status()> may_grow;
  };
  explicit GuestOpenFile(Parts parts) : parts_(std::move(parts)) {}

  Result<Block> ReadBlock(size_t max) override;
  void GiveBack(size_t count) override;
  Status Write(std::string_view bytes) override;
  Result<uint64_t> Seek(int64_t offset, vfs::Whence whence) override;
  Result<vfs::Attributes> GetAttributes() const override;
  Status Truncate(uint64_t size) override;
  bool is_readable() const override { return parts_.flags.read || is_directory(); }
  bool is_writable() const override { return parts_.flags.write; }
  std::string description() const override { return parts_.path; }

 private:
  bool is_directory() const { return parts_.file->opened().stat.kind == FileKind::kDirectory; }
  bool is_regular() const { return parts_.file->opened().stat.kind == FileKind::kRegular; }
  Deadline Limit() const { return In(parts_.timeout); }

  const Parts parts_;
  std::mutex mutex_;
  uint64_t offset_ = 0;
};

}  // namespace paddock::guest
