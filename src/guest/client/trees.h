// GuestTrees: whole trees out of and into a sandbox, as tar archives. Streams: neither end holds more than a window of one.
//
// Calls, errors and threads as of GuestFiles; kUnavailable where the agent is too old.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "guest/client/time.h"
#include "guest/protocol/tree_messages.h"

namespace paddock::guest {

class Connection;
class DataStream;

// An archive that is being unpacked. Dropped before Commit(), it stops where it is; what was made stays.
class GuestUnpacker {
 public:
  ~GuestUnpacker();
  GuestUnpacker(const GuestUnpacker&) = delete;
  // The next bytes of the archive. kInvalid, kNotSupported: it is none, or a broken one.
  Status Write(std::string_view bytes, Deadline deadline = kNoDeadline);
  // The archive is complete. Entries that could not be made are in the report, and no error.
  Result<TreeReport> Commit(Deadline deadline = kNoDeadline);

 private:
  friend class GuestTrees;
  GuestUnpacker(std::shared_ptr<Connection> connection, std::shared_ptr<DataStream> stream, std::string path);
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<DataStream> stream_;
  const std::string path_;
};

class GuestTrees {
 public:
  explicit GuestTrees(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

  // Gives the archive to `sink` piece by piece, without a lock held; its error ends the packing. The archive is as hostile as
  // the tree: whoever unpacks it must not trust a name in it.
  Result<TreeReport> Pack(const PackRequest& request, const std::function<Status(std::string_view)>& sink,
                          Deadline deadline = kNoDeadline);
  Result<std::unique_ptr<GuestUnpacker>> OpenUnpacker(const UnpackRequest& request, Deadline deadline = kNoDeadline);
  // The whole of an archive that is at hand.
  Result<TreeReport> Unpack(const UnpackRequest& request, std::string_view archive, Deadline deadline = kNoDeadline);

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace paddock::guest
