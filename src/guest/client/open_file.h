// GuestFile: a file inside that stays open, read and written at offsets.
#pragma once

#include <memory>
#include <string>

#include "guest/client/time.h"
#include "guest/protocol/open_file_messages.h"

namespace paddock::guest {

class Connection;

// Safe from any thread; one act after the other. Destroying it closes the file, without waiting. Errors: the errno of the act,
// which leaves the file open; kTimedOut and those of the connection, after which nothing but kIo comes.
class GuestFile {
 public:
  ~GuestFile();
  GuestFile(const GuestFile&) = delete;

  // What it was when it was opened.
  const FileAttributes& opened() const;
  // At most kMaxActBytes, none at the end. kIsDirectory.
  Result<std::string> Read(uint64_t offset, size_t length, Deadline deadline = kNoDeadline);
  // Writes all of it, in pieces, and gives the offset behind. With kOpenAppend each piece goes to the end, wherever that is.
  Result<uint64_t> Write(uint64_t offset, std::string_view bytes, Deadline deadline = kNoDeadline);
  Result<FileAttributes> Attributes(Deadline deadline = kNoDeadline);
  Status Truncate(uint64_t size, Deadline deadline = kNoDeadline);

 private:
  friend class GuestFiles;
  class State;
  GuestFile(std::shared_ptr<Connection> connection, std::shared_ptr<State> state);
  static Result<std::unique_ptr<GuestFile>> Open(std::shared_ptr<Connection> connection, const OpenRequest& request,
                                                 Deadline deadline);
  Result<FileDone> Do(const FileAct& act, Deadline deadline);

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<State> state_;
};

}  // namespace paddock::guest
