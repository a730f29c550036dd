// View: a virtual process's FileSystem: a Namespace seen with a working directory, credentials, a
// umask.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "vfs/file_system.h"
#include "vfs/limited_file.h"

namespace paddock::vfs {

class View final : public FileSystem {
 public:
  // `clock` stamps times. The namespace outlives the view. Starts in "/".
  View(Namespace& names, const Clock& clock, const Credentials& who, uint32_t umask);
  // A child's copy.
  View(const View&) = default;

  // Changes the working directory to `path` (kNotDirectory, kAccess, kNoEntry). `logical` is what
  // cwd() then answers; empty means the canonical path.
  Status ChangeDirectory(std::string_view path, std::string_view logical = {});
  // The canonical path of the working directory, or kNoEntry when it was removed.
  Result<std::string> PhysicalCwd() const;
  void set_umask(uint32_t umask) { umask_ = umask; }
  void set_credentials(const Credentials& who) { who_ = who; }

  // How /dev/stdin, /dev/fd/N and /proc/self/fd/N open: the process's descriptor N again.
  using DescriptorOpener = std::function<Result<OpenFilePtr>(int descriptor)>;
  void set_descriptor_opener(DescriptorOpener opener) { open_descriptor_ = std::move(opener); }

  // How large files may become through what is opened from here on; null: as large as there is room.
  const FileSizeLimitPtr& file_size_limit() const { return file_size_limit_; }
  void set_file_size_limit(FileSizeLimitPtr limit) { file_size_limit_ = std::move(limit); }

  Result<Attributes> Stat(std::string_view path, Follow follow = Follow::kYes) override;
  Result<OpenFilePtr> Open(std::string_view path, const OpenFlags& flags,
                           uint32_t mode = 0666) override;
  Result<std::vector<DirectoryEntry>> List(std::string_view path) override;
  Result<std::string> ReadLink(std::string_view path) override;
  Status MakeDirectory(std::string_view path, uint32_t mode = 0777) override;
  Status MakeNode(std::string_view path, FileType type, uint32_t mode,
                  uint64_t special = 0) override;
  Status MakeSymlink(std::string_view target, std::string_view path) override;
  Status MakeLink(std::string_view existing, std::string_view path,
                  Follow follow = Follow::kNo) override;
  Status RemoveFile(std::string_view path) override;
  Status RemoveDirectory(std::string_view path) override;
  Status Rename(std::string_view from, std::string_view to, bool exclusive = false) override;
  Status SetMode(std::string_view path, uint32_t mode, Follow follow = Follow::kYes) override;
  Status SetOwner(std::string_view path, std::optional<uint32_t> uid, std::optional<uint32_t> gid,
                  Follow follow = Follow::kYes) override;
  Status SetTimes(std::string_view path, std::optional<Nanoseconds> access,
                  std::optional<Nanoseconds> modify, Follow follow = Follow::kYes) override;
  Status Truncate(std::string_view path, uint64_t size) override;
  Status Access(std::string_view path, uint32_t bits) override;
  Result<std::string> Canonical(std::string_view path,
                                MustExist must_exist = MustExist::kAll) override;
  Result<SpaceInfo> Space(std::string_view path) override;
  const std::string& cwd() const override { return cwd_; }
  const Credentials& credentials() const override { return who_; }
  uint32_t umask() const override { return umask_; }

  Namespace& names() { return names_; }

 private:
  Result<Walked> Walk(std::string_view path, Follow follow) const;
  // Like Walk(), but the last component must exist.
  Result<Walked> Find(std::string_view path, Follow follow) const;
  // Where a new entry goes: kExists, kNoEntry for a slash behind the name (unless a directory is
  // made), kReadOnly, kAccess.
  Result<Walked> FindFree(std::string_view path, bool is_directory) const;
  // Whether a name may come into, or go from, the directory that holds it.
  Status CheckMayAdd(const Walked& walked) const;
  Status CheckMayDelete(const Walked& victim) const;
  Status CheckMayOpen(const Place& place, const Attributes& attributes,
                      const OpenFlags& flags) const;
  Status CheckRename(const Walked& from, const Walked& to, bool exclusive) const;
  Result<OpenFilePtr> OpenExisting(const Walked& walked, const OpenFlags& flags) const;
  Result<OpenFilePtr> OpenIn(const Place& place, OpenFlags flags) const;
  Status DropSetId(const Place& place, const Attributes& attributes) const;
  Result<OpenFilePtr> OpenDescriptor(uint64_t special) const;
  Result<NodeId> Add(const Walked& walked, NewNode node) const;
  bool IsOwner(const Attributes& attributes) const;
  std::string AbsolutePath(std::string_view path) const;

  Namespace& names_;
  const Clock& clock_;
  Credentials who_;
  uint32_t umask_;
  Place cwd_place_;
  std::shared_ptr<const void> cwd_hold_;
  std::string cwd_ = "/";
  DescriptorOpener open_descriptor_;
  FileSizeLimitPtr file_size_limit_;
};

}  // namespace paddock::vfs
