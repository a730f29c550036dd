// GuestFileSystem: the files inside a real wall, through its agent: the FileSystem of process sandboxes, later of containers and
// virtual machines.
//
// Every operation is done inside, by the agent and with the agent's rights: no path of the inside is ever opened on the host, and
// nothing that comes back is believed beyond its bounds. Two things differ from a View: FIFOs, sockets and devices other than
// null, zero, full and random are not opened (kNoDevice), since the agent must not wait; and every operation has a time limit.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "guest/client/files.h"
#include "vfs/file_system.h"

namespace paddock::guest {

struct GuestFileSystemOptions {
  std::string cwd = "/";                 // absolute; relative paths start there
  vfs::Credentials credentials;          // of the agent
  uint32_t umask = 022;                  // of what is made; the agent's own does not count
  std::chrono::milliseconds timeout{60'000};   // of one operation; kTimedOut
  size_t max_entries = 1'000'000;        // of a listed directory; kLimit
  // Asked before something inside grows or comes into being; its error ends the operation. May be empty.
  std::function<Status()> may_grow;
};

// Safe from any thread, also while programs run inside: handlers of their output (ProcessHandlers) may then run on the thread of
// an operation. Errors as FileSystem has them; besides, with a message: kTimedOut, kUnavailable (an old agent) and, when
// the connection has ended, its error. May outlive the client; every operation then fails.
class GuestFileSystem final : public vfs::FileSystem {
 public:
  GuestFileSystem(GuestFiles files, GuestFileSystemOptions options);

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
  Status SetOwner(std::string_view path, std::optional<uint32_t> uid, std::optional<uint32_t> gid,
                  vfs::Follow follow = vfs::Follow::kYes) override;
  Status SetTimes(std::string_view path, std::optional<Nanoseconds> access, std::optional<Nanoseconds> modify,
                  vfs::Follow follow = vfs::Follow::kYes) override;
  Status Truncate(std::string_view path, uint64_t size) override;
  Status Access(std::string_view path, uint32_t bits) override;
  Result<std::string> Canonical(std::string_view path, MustExist must_exist = MustExist::kAll) override;
  Result<vfs::SpaceInfo> Space(std::string_view path) override;
  const std::string& cwd() const override { return options_.cwd; }
  const vfs::Credentials& credentials() const override { return options_.credentials; }
  uint32_t umask() const override { return options_.umask; }

 private:
  // The path as the agent gets it. kNoEntry, kInvalid, kNameTooLong.
  Result<std::string> Inside(std::string_view path) const;
  Result<std::string> Call(std::string_view path, FileRequest request);
  Status Do(std::string_view path, FileRequest request);
  Status MayGrow() const { return options_.may_grow ? options_.may_grow() : Status(); }
  Deadline Limit() const { return In(options_.timeout); }

  GuestFiles files_;
  const GuestFileSystemOptions options_;
};

}  // namespace paddock::guest
