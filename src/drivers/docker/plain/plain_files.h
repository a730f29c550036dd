// PlainFileSystem: the files in a container without an agent, by the image's own tools: sh, stat, find, readlink, mkdir, ln, unlink and so on, as GNU, BusyBox
// and toybox have them. All of it happens inside, as the container's user; no archive of the engine's is unpacked or asked for, which would
// be done as root and past the container's mounts.
//
// Unlike files through an agent: an open file is a path that is looked at again for each read and write (kIo once another file is there); several steps of
// an operation are seen by others; a rename across file systems copies; times are as fine as the image's touch; devices and sockets are not made.
#pragma once

#include <memory>
#include <string>

#include "drivers/docker/plain/inside.h"
#include "vfs/file_system.h"

namespace paddock::docker {

// Safe from any thread. Errors as FileSystem has them; besides, with a message: kNotSupported for a tool that the image does not have, those of Inside.
class PlainFileSystem final : public vfs::FileSystem {
 public:
  PlainFileSystem(std::shared_ptr<Inside> inside, std::string cwd, vfs::Credentials credentials)
      : inside_(std::move(inside)), cwd_(std::move(cwd)), credentials_(credentials) {}

  Result<vfs::Attributes> Stat(std::string_view path, vfs::Follow follow = vfs::Follow::kYes) override;
  Result<vfs::OpenFilePtr> Open(std::string_view path, const vfs::OpenFlags& flags, uint32_t mode = 0666) override;
  Result<std::vector<vfs::DirectoryEntry>> List(std::string_view path) override;
  Result<std::string> ReadLink(std::string_view path) override;
  Status MakeDirectory(std::string_view path, uint32_t mode = 0777) override;
  Status MakeNode(std::string_view path, vfs::FileType type, uint32_t mode, uint64_t special = 0) override;
  Status MakeSymlink(std::string_view target, std::string_view path) override;
  Status MakeLink(std::string_view existing, std::string_view path, vfs::Follow follow = vfs::Follow::kNo) override;
  Status RemoveFile(std::string_view path) override;
  Status RemoveDirectory(std::string_view path) override;
  Status Rename(std::string_view from, std::string_view to, bool exclusive = false) override;
  Status SetMode(std::string_view path, uint32_t mode, vfs::Follow follow = vfs::Follow::kYes) override;
  Status SetOwner(std::string_view path, std::optional<uint32_t> uid, std::optional<uint32_t> gid, vfs::Follow follow = vfs::Follow::kYes) override;
  Status SetTimes(std::string_view path, std::optional<Nanoseconds> access, std::optional<Nanoseconds> modify, vfs::Follow follow = vfs::Follow::kYes) override;
  Status Truncate(std::string_view path, uint64_t size) override;
  Status Access(std::string_view path, uint32_t bits) override;
  Result<std::string> Canonical(std::string_view path, MustExist must_exist = MustExist::kAll) override;
  Result<vfs::SpaceInfo> Space(std::string_view path) override;
  const std::string& cwd() const override { return cwd_; }
  const vfs::Credentials& credentials() const override { return credentials_; }
  uint32_t umask() const override { return 022; }

 private:
  // The path as it is inside. kNoEntry, kInvalid, kNameTooLong.
  Result<std::string> Inner(std::string_view path) const;

  const std::shared_ptr<Inside> inside_;
  const std::string cwd_;
  const vfs::Credentials credentials_;
};

}  // namespace paddock::docker
