// Volume: one tree of nodes, the interface behind every mount (memory tree, host folder, overlay,
// /dev, /proc; later a container's or a snapshot's files).
//
// It works on single nodes and names, never on paths: walking paths, following symlinks, crossing
// mounts and checking permissions happen once, in Namespace. Nothing here follows a symlink. A name
// handed in is not empty, not "." or "..", and has no '/' or NUL; implementations may rely on it.
// Permissions are not checked here.
//
// A volume belongs to one sandbox and is used from one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "vfs/attributes.h"
#include "vfs/open_file.h"

namespace paddock::vfs {

// Names a node within its volume for as long as the node is linked, open or held.
using NodeId = uint64_t;

struct NewNode {
  FileType type = FileType::kFile;
  uint32_t mode = 0644;
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::string target;    // of a symlink
  uint64_t special = 0;  // of a device
};

// The attributes to change; absent ones stay.
struct AttributeChange {
  std::optional<uint32_t> mode;
  std::optional<uint32_t> uid;
  std::optional<uint32_t> gid;
  std::optional<uint64_t> size;
  std::optional<Nanoseconds> access_time;
  std::optional<Nanoseconds> modify_time;
};

class Volume {
 public:
  virtual ~Volume() = default;

  virtual NodeId root() const = 0;
  virtual Result<NodeId> Lookup(NodeId directory,
                                std::string_view name) = 0;  // kNoEntry, kNotDirectory
  virtual Result<NodeId> Parent(NodeId directory) = 0;       // the root's parent is itself
  // The name under which a directory hangs in its parent. The default looks through the parent's
  // entries.
  virtual Result<std::string> Name(NodeId directory);
  virtual Result<Attributes> GetAttributes(NodeId node) = 0;
  virtual Status SetAttributes(NodeId node, const AttributeChange& change) = 0;
  virtual Result<std::string> ReadLink(NodeId node) = 0;                   // kInvalid if no symlink
  virtual Result<std::vector<DirectoryEntry>> List(NodeId directory) = 0;  // sorted by name (bytes)
  // Errors of the four: kExists, kNoEntry, kNotDirectory, kIsDirectory, kNotEmpty, kReadOnly,
  // kNoSpace, kQuota, kNameTooLong.
  virtual Result<NodeId> Create(NodeId directory, std::string_view name, const NewNode& node) = 0;
  virtual Status Link(NodeId directory, std::string_view name, NodeId node) = 0;
  virtual Status Remove(NodeId directory, std::string_view name, bool is_directory) = 0;
  // Replaces an existing target as rename(2) does; `exclusive` fails with kExists instead.
  virtual Status Rename(NodeId from, std::string_view from_name, NodeId to,
                        std::string_view to_name, bool exclusive) = 0;
  // Opens a file, FIFO or device that exists. create, exclusive and no_follow are not its business.
  virtual Result<OpenFilePtr> Open(NodeId node, const OpenFlags& flags) = 0;
  // Keeps a node usable after its last name is gone, until the result is dropped (a working
  // directory). The default keeps nothing.
  virtual std::shared_ptr<const void> Hold(NodeId node);
  virtual SpaceInfo Space() const = 0;
  virtual bool is_read_only() const { return false; }
  // The number that Attributes::device holds from now on, given when the volume is mounted. Volumes
  // that several namespaces share keep a number of their own.
  virtual void set_device(uint64_t device) = 0;
  virtual uint64_t device() const = 0;
};

using VolumePtr = std::shared_ptr<Volume>;

}  // namespace paddock::vfs
