// MemoryTree: the inodes of a MemoryVolume and the rules between them: entries, link counts,
// quotas.
//
// Not an interface of the folder: MemoryVolume and its open files share one. Copying a tree is a
// fork.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "vfs/file_content.h"
#include "vfs/memory_volume.h"
#include "vfs/name_tree.h"
#include "vfs/pipe_queue.h"

namespace paddock::vfs {

class MemoryTree {
 public:
  static constexpr NodeId kRoot = 2;
  static constexpr NodeId kFirst = 11;   // number of the first node that is made
  static constexpr size_t kLongestName = 255;
  static constexpr uint32_t kMaxLinks = 65000;
  static constexpr uint32_t kModeBits = 07777;
  // What a name costs of the quota.
  static uint64_t EntryCost(std::string_view name) { return 32 + name.size(); }

  struct Directory {
    NameTree names;
    NodeId parent = kRoot;
    std::string name;  // under which `parent` knows it
  };
  struct Inode {
    FileType type = FileType::kFile;
    uint32_t mode = 0;
    uint32_t uid = 0;
    uint32_t gid = 0;
    uint32_t links = 0;  // 0: only open files or holders are left
    uint64_t special = 0;
    Nanoseconds access_time{0};
    Nanoseconds modify_time{0};
    Nanoseconds change_time{0};
    std::variant<std::monostate, FileContent, Directory, std::string> body;  // a string is a target

    const Directory* directory() const { return std::get_if<Directory>(&body); }
    Directory* directory() { return std::get_if<Directory>(&body); }
    const FileContent* content() const { return std::get_if<FileContent>(&body); }
    FileContent* content() { return std::get_if<FileContent>(&body); }
  };

  MemoryTree(const Clock& clock, const Quota& quota);
  // Forks: shares all nodes; open files and FIFO queues stay with the original.
  MemoryTree(const MemoryTree& other);
  MemoryTree& operator=(const MemoryTree&) = delete;

  void set_scheduler(Scheduler* scheduler) { scheduler_ = scheduler; }
  void set_quota(const Quota& quota) { quota_ = quota; }
  void set_device(uint64_t device) { device_ = device; }
  uint64_t device() const { return device_; }

  // As the Volume functions of these names.
  Result<NodeId> Lookup(NodeId directory, std::string_view name) const;
  Result<NodeId> Parent(NodeId directory) const;
  Result<std::string> Name(NodeId directory) const;
  Result<Attributes> GetAttributes(NodeId node) const;
  Status SetAttributes(NodeId node, const AttributeChange& change);
  Status SetSpecial(NodeId node, uint64_t special);
  Result<std::string> ReadLink(NodeId node) const;
  Result<std::vector<DirectoryEntry>> List(NodeId directory) const;
  Result<NodeId> Create(NodeId directory, std::string_view name, const NewNode& node);
  Result<NodeId> CreateFile(NodeId directory, std::string_view name, const NewNode& node, FileContent content);
  Status Link(NodeId directory, std::string_view name, NodeId node);
  Status Remove(NodeId directory, std::string_view name, bool is_directory);
  Status Rename(NodeId from, std::string_view from_name, NodeId to, std::string_view to_name,
                bool exclusive);
  SpaceInfo Space() const;

  // Contents of a regular file.
  Result<Block> Read(NodeId node, uint64_t offset, size_t max);
  // Writes what fits; `offset` moves behind it, to the end of the file first if `flags` append.
  Status Write(NodeId node, uint64_t& offset, std::string_view bytes, const OpenFlags& flags);
  Status Resize(NodeId node, uint64_t size);
  // Of a file that is empty: as TakesExtents::WriteExtent().
  Status WriteExtent(NodeId node, const ExtentPtr& extent, uint64_t offset, uint64_t size);

  // As the functions of vfs/tree_changes.h.
  Result<TreeChanges> ChangesSince(const MemoryTree& before) const;
  Status Apply(const TreeChanges& changes);
  std::shared_ptr<MemoryTree> Renumbered(std::unordered_map<NodeId, NodeId>& numbers) const;

  // The queue that all openers of a FIFO share; null without a scheduler.
  std::shared_ptr<PipeQueue> FifoQueue(NodeId node);

  const Inode* Find(NodeId node) const { return inodes_.Find(node); }
  void Hold(NodeId node) { ++holders_[node]; }
  void Release(NodeId node);

 private:
  const Inode* FindDirectory(NodeId node, Code& failure) const;
  Inode* ChangeDirectory(NodeId node, Nanoseconds now);
  Status CheckNewEntry(NodeId directory, std::string_view name) const;
  Status CheckRename(const Inode& source, NodeId source_id, NodeId to,
                     const NameTree::Entry* target) const;
  bool IsWithin(NodeId directory, NodeId ancestor) const;
  void AddEntry(NodeId directory, std::string_view name, NodeId node, FileType type,
                Nanoseconds now);
  void EraseEntry(NodeId directory, std::string_view name, FileType type, Nanoseconds now);
  void DropLink(NodeId node, Nanoseconds now);
  void Forget(NodeId node);
  Status Charge(uint64_t bytes);
  class Changer;   // of Apply()

  const Clock& clock_;
  Quota quota_;
  Scheduler* scheduler_ = nullptr;
  uint64_t device_ = 0;
  PersistentMap<Inode> inodes_;
  NodeId next_ = kFirst;
  uint64_t used_bytes_ = 0;
  uint64_t used_inodes_ = 0;
  std::unordered_map<NodeId, uint32_t> holders_;
  std::map<NodeId, std::weak_ptr<PipeQueue>> fifos_;
};

// Keeps an inode while it lives.
class HeldInode {
 public:
  HeldInode(std::shared_ptr<MemoryTree> tree, NodeId node) : tree_(std::move(tree)), node_(node) {
    tree_->Hold(node_);
  }
  ~HeldInode() { tree_->Release(node_); }
  HeldInode(const HeldInode&) = delete;
  HeldInode& operator=(const HeldInode&) = delete;
  MemoryTree& tree() const { return *tree_; }
  NodeId node() const { return node_; }

 private:
  std::shared_ptr<MemoryTree> tree_;
  NodeId node_;
};

}  // namespace paddock::vfs
