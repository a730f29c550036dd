// RootedFiles: a directory of another file system, seen as one of its own.
#pragma once

#include "sandbox/file_watch.h"
#include "vfs/file_system.h"

namespace paddock::tools {

// An event of what lies below `root`, as who sees only that is told.
sandbox::FileEvent Below(const std::string& root, sandbox::FileEvent event);

// Paths are absolute; what they name lies below `root` of `files`, which outlives this. ".." does not lead out. A symlink does: it
// means what it means in `files`, so this is a view, not a wall.
class RootedFiles final : public vfs::FileSystem {
 public:
  RootedFiles(vfs::FileSystem& files, std::string root) : files_(files), root_(std::move(root)) {}

  Result<vfs::Attributes> Stat(std::string_view path, vfs::Follow follow) override { return files_.Stat(In(path), follow); }
  Result<vfs::OpenFilePtr> Open(std::string_view path, const vfs::OpenFlags& flags, uint32_t mode) override {
    return files_.Open(In(path), flags, mode);
  }
  Result<std::vector<vfs::DirectoryEntry>> List(std::string_view path) override { return files_.List(In(path)); }
  Result<std::string> ReadLink(std::string_view path) override { return files_.ReadLink(In(path)); }
  Status MakeDirectory(std::string_view path, uint32_t mode) override { return files_.MakeDirectory(In(path), mode); }
  Status MakeNode(std::string_view path, vfs::FileType type, uint32_t mode, uint64_t special) override {
    return files_.MakeNode(In(path), type, mode, special);
  }
  Status MakeSymlink(std::string_view target, std::string_view path) override { return files_.MakeSymlink(target, In(path)); }
  Status MakeLink(std::string_view existing, std::string_view path, vfs::Follow follow) override {
    return files_.MakeLink(In(existing), In(path), follow);
  }
  Status RemoveFile(std::string_view path) override { return files_.RemoveFile(In(path)); }
  Status RemoveDirectory(std::string_view path) override { return files_.RemoveDirectory(In(path)); }
  Status Rename(std::string_view from, std::string_view to, bool exclusive) override { return files_.Rename(In(from), In(to), exclusive); }
  Status SetMode(std::string_view path, uint32_t mode, vfs::Follow follow) override { return files_.SetMode(In(path), mode, follow); }
  Status SetOwner(std::string_view path, std::optional<uint32_t> uid, std::optional<uint32_t> gid, vfs::Follow follow) override {
    return files_.SetOwner(In(path), uid, gid, follow);
  }
  Status SetTimes(std::string_view path, std::optional<Nanoseconds> access, std::optional<Nanoseconds> modify, vfs::Follow follow) override {
    return files_.SetTimes(In(path), access, modify, follow);
  }
  Status Truncate(std::string_view path, uint64_t size) override { return files_.Truncate(In(path), size); }
  Status Access(std::string_view path, uint32_t bits) override { return files_.Access(In(path), bits); }
  Result<std::string> Canonical(std::string_view path, MustExist must_exist) override;
  Result<vfs::SpaceInfo> Space(std::string_view path) override { return files_.Space(In(path)); }
  const std::string& cwd() const override { return cwd_; }
  const vfs::Credentials& credentials() const override { return files_.credentials(); }
  uint32_t umask() const override { return files_.umask(); }

 private:
  std::string In(std::string_view path) const;

  vfs::FileSystem& files_;
  const std::string root_;
  const std::string cwd_ = "/";
};

}  // namespace paddock::tools
