// HostFile: a regular file of the host, open. Not an interface of the folder.
#pragma once

#include <functional>
#include <string>

#include "vfs/host/beneath.h"
#include "vfs/open_file.h"

struct stat;

namespace paddock::vfs {

class HostFile final : public OpenFile {
 public:
  // Turns what fstat says into what the sandbox sees.
  using Translate = std::function<Attributes(const struct stat&)>;

  HostFile(HostDescriptor file, const OpenFlags& flags, Translate translate)
      : file_(std::move(file)), flags_(flags), translate_(std::move(translate)) {}

  Result<Block> ReadBlock(size_t max) override;
  void GiveBack(size_t count) override;
  Status Write(std::string_view bytes) override;
  Result<uint64_t> Seek(int64_t offset, Whence whence) override;
  Result<Attributes> GetAttributes() const override;
  Status Truncate(uint64_t size) override;
  bool is_readable() const override { return flags_.read; }
  bool is_writable() const override { return flags_.write; }
  std::string description() const override { return path_; }
  void set_path(std::string path) override { path_ = std::move(path); }

 private:
  const HostDescriptor file_;
  const OpenFlags flags_;
  const Translate translate_;
  uint64_t offset_ = 0;
  std::string path_;
};

}  // namespace paddock::vfs
