// MemoryVolume: the copy-on-write file tree of the virtual tier.
//
// Files, directories, symlinks, hard links, FIFOs and device nodes with modes, owners and times.
// Fork() is O(1): both sides share every node until one writes it (persistent inode table, chunked
// file contents). Forks may live on different threads; shared nodes are immutable.
//
// Access times follow a stricter relatime: reading a file stamps it only when it was modified or
// changed since the last stamp, so that a fork which only reads copies nothing. Directories and
// symlinks keep theirs. Names and symlink targets are charged to Quota::bytes like contents.
#pragma once

#include <memory>
#include <unordered_map>

#include "base/budget.h"
#include "base/fiber.h"
#include "vfs/volume.h"

namespace paddock::vfs {

class FileContent;
class MemoryTree;
struct TreeChanges;

struct Quota {
  uint64_t bytes = 1ull << 30;  // file contents really held
  uint64_t inodes = 1'000'000;
  uint64_t file_bytes =
      1ull << 40;  // apparent size of one file (sparse files cost only what they hold)
};

class MemoryVolume final : public Volume {
 public:
  // `clock` stamps times. FIFOs need a scheduler: set it before a process opens one.
  MemoryVolume(const Clock& clock, const Quota& quota);
  ~MemoryVolume() override;

  // A volume with the same content that changes on its own. O(1).
  std::shared_ptr<MemoryVolume> Fork() const;
  void set_scheduler(Scheduler* scheduler);
  void set_quota(const Quota& quota);
  // Create() of a regular file and a write of its content.
  Result<NodeId> CreateFile(NodeId directory, std::string_view name, uint32_t mode, std::string_view content);
  // Create() of a regular file that starts with this content; for what restores many. Shares it.
  Result<NodeId> CreateFile(NodeId directory, std::string_view name, const NewNode& node, FileContent content);
  // The content of a regular file; null for anything else. Valid until the file changes.
  const FileContent* ContentOf(NodeId node) const;
  // Changes Attributes::special of a node and nothing else: where an overlay keeps its marks.
  Status SetSpecial(NodeId node, uint64_t special);

  NodeId root() const override;
  Result<NodeId> Lookup(NodeId directory, std::string_view name) override;
  Result<NodeId> Parent(NodeId directory) override;
  Result<Attributes> GetAttributes(NodeId node) override;
  Status SetAttributes(NodeId node, const AttributeChange& change) override;
  Result<std::string> ReadLink(NodeId node) override;
  Result<std::vector<DirectoryEntry>> List(NodeId directory) override;
  Result<NodeId> Create(NodeId directory, std::string_view name, const NewNode& node) override;
  Status Link(NodeId directory, std::string_view name, NodeId node) override;
  Status Remove(NodeId directory, std::string_view name, bool is_directory) override;
  Status Rename(NodeId from, std::string_view from_name, NodeId to, std::string_view to_name,
                bool exclusive) override;
  Result<OpenFilePtr> Open(NodeId node, const OpenFlags& flags) override;
  SpaceInfo Space() const override;
  Result<std::string> Name(NodeId directory) override;
  std::shared_ptr<const void> Hold(NodeId node) override;
  void set_device(uint64_t device) override;
  uint64_t device() const override;

  // See vfs/tree_changes.h, which has functions for the three.
  Result<TreeChanges> ChangesSince(const MemoryVolume& before) const;
  Status Apply(const TreeChanges& changes);
  std::shared_ptr<MemoryVolume> Renumbered(std::unordered_map<NodeId, NodeId>& numbers) const;

 private:
  explicit MemoryVolume(std::shared_ptr<MemoryTree> tree);
  std::shared_ptr<MemoryTree> tree_;  // shared with open files, which may outlive the volume
};

}  // namespace paddock::vfs
