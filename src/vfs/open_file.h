// An open file description: what a descriptor refers to, shared by dup and inherited by children.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/stream.h"
#include "vfs/attributes.h"

namespace paddock::vfs {

struct OpenFlags {
  bool read = false;
  bool write = false;
  bool append = false;  // every write goes to the end
  bool create = false;
  bool exclusive = false;  // with create: fail with kExists
  bool truncate = false;
  bool directory = false;     // fail with kNotDirectory for anything else
  bool no_follow = false;     // fail with kLoop when the last component is a symlink
  bool nonblocking = false;   // opening a FIFO does not wait for the other end
  bool drops_set_id = false;  // writing takes set-user-id away (View sets it for all but root)

  static OpenFlags Read() { return {.read = true}; }
  static OpenFlags Write() { return {.write = true, .create = true, .truncate = true}; }
  static OpenFlags Append() { return {.write = true, .append = true, .create = true}; }
  static OpenFlags ReadWrite() { return {.read = true, .write = true, .create = true}; }
};

enum class Whence { kStart, kCurrent, kEnd };

// Errors of all operations: kBadDescriptor when the description is not open for that direction,
// kIsDirectory, kNoSpace, kQuota, kIo. Destruction closes.
class OpenFile : public ByteSource, public ByteSink {
 public:
  // ByteSource and ByteSink read and write at the offset and move it.

  virtual Result<uint64_t> Seek(int64_t offset, Whence whence);  // default: kIllegalSeek
  virtual Result<Attributes> GetAttributes() const = 0;
  virtual Status Truncate(uint64_t size);  // default: kInvalid
  virtual bool is_terminal() const { return false; }
  // False when a read would have to wait (read -t 0, select).
  virtual bool IsReadReady() const { return true; }
  // True for descriptions open for reading, for writing.
  virtual bool is_readable() const = 0;
  virtual bool is_writable() const = 0;
  // What /proc/self/fd/N and lsof show: a path, or "pipe:[7]".
  virtual std::string description() const = 0;
  // Tells the path it was opened by (absolute); for descriptions that do not know one themselves.
  virtual void set_path(std::string path) { static_cast<void>(path); }

  // A lock on the file that this description holds (flock(2)); it goes when the description is closed.
  const std::shared_ptr<void>& lock() const { return lock_; }
  void set_lock(std::shared_ptr<void> lock) { lock_ = std::move(lock); }

 private:
  std::shared_ptr<void> lock_;
};

using OpenFilePtr = std::shared_ptr<OpenFile>;

}  // namespace paddock::vfs
