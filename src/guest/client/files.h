// GuestFiles: the files inside, with the agent's rights. Paths are absolute, or relative to /.
//
// All calls are safe from any thread, wait for the agent, and fail with its errno as the code ("PATH: Permission denied"),
// with the connection's error when it has ended, or with kTimedOut. What they hold is bounded by what the caller asks for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guest/client/time.h"
#include "guest/client/open_file.h"

namespace paddock::guest {

class Connection;
class DataStream;

// A file that is being written. The name shows the new content when Commit() has returned; dropped before, nothing has
// happened (but for kAppend).
class GuestFileWriter {
 public:
  ~GuestFileWriter();
  GuestFileWriter(const GuestFileWriter&) = delete;
  Status Write(std::string_view bytes, Deadline deadline = kNoDeadline);
  Status Commit(Deadline deadline = kNoDeadline);

 private:
  friend class GuestFiles;
  GuestFileWriter(std::shared_ptr<Connection> connection, std::shared_ptr<DataStream> stream, std::string path);
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<DataStream> stream_;
  const std::string path_;
};

// Changes under a path, until it is dropped.
class GuestWatch {
 public:
  ~GuestWatch();
  GuestWatch(const GuestWatch&) = delete;
  // The events that have come, at least one. kTimedOut when none came.
  Result<std::vector<WatchEvent>> Next(Deadline deadline = kNoDeadline);

 private:
  friend class GuestFiles;
  GuestWatch(std::shared_ptr<Connection> connection, std::shared_ptr<DataStream> stream, std::string path);
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<DataStream> stream_;
  const std::string path_;
};

class GuestFiles {
 public:
  explicit GuestFiles(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

  // Why nothing can be asked any more, or nothing: the connection has not ended.
  Status connection() const;

  // One call with one answer: everything of FileOperation, see there. The reply is the operation's.
  Result<std::string> Call(const FileRequest& request, Deadline deadline = kNoDeadline);
  Result<FileStat> Stat(std::string path, bool follows = true, Deadline deadline = kNoDeadline);
  Result<std::string> ReadLink(std::string path, Deadline deadline = kNoDeadline);
  Status MakeDirectory(std::string path, uint16_t mode = 0755, bool makes_parents = false, Deadline deadline = kNoDeadline);
  Status Remove(std::string path, bool is_recursive = false, Deadline deadline = kNoDeadline);
  Status Rename(std::string from, std::string to, Deadline deadline = kNoDeadline);
  Status ChangeMode(std::string path, uint16_t mode, Deadline deadline = kNoDeadline);
  Status MakeSymlink(std::string path, std::string target, Deadline deadline = kNoDeadline);

  // From version 2 of the protocol on; kUnavailable where the agent is older.
  Result<FileAttributes> Attributes(std::string path, bool follows, Deadline deadline = kNoDeadline);
  Result<FileSpace> Space(std::string path, Deadline deadline = kNoDeadline);
  Status SetTimes(const SetTimesRequest& request, Deadline deadline = kNoDeadline);
  Result<std::unique_ptr<GuestFile>> Open(const OpenRequest& request, Deadline deadline = kNoDeadline);

  // In no order. kLimit when there are more than `max_entries`.
  Result<std::vector<DirectoryEntry>> List(const std::string& path, size_t max_entries = 1'000'000, Deadline deadline = kNoDeadline);
  // Gives the content to `sink` piece by piece; its error ends the reading. Returns the file's status at the end.
  Result<FileStat> Read(const ReadRequest& request, const std::function<Status(std::string_view)>& sink,
                        Deadline deadline = kNoDeadline);
  // kLimit when it is longer than `max_bytes`.
  Result<std::string> ReadAll(const std::string& path, size_t max_bytes, Deadline deadline = kNoDeadline);
  Result<std::unique_ptr<GuestFileWriter>> OpenWriter(const WriteRequest& request);
  Status WriteAll(const WriteRequest& request, std::string_view content, Deadline deadline = kNoDeadline);
  Result<std::unique_ptr<GuestWatch>> Watch(const WatchRequest& request, Deadline deadline = kNoDeadline);

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace paddock::guest
