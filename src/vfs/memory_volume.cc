#include "vfs/memory_volume.h"

#include <limits>
#include <utility>

#include "vfs/memory_tree.h"
#include "vfs/tree_changes.h"

namespace paddock::vfs {
namespace {

// A regular file of a memory tree, open.
class MemoryFile final : public OpenFile, public TakesExtents {
 public:
  MemoryFile(std::shared_ptr<MemoryTree> tree, NodeId node, const OpenFlags& flags)
      : inode_(std::move(tree), node), flags_(flags) {}

  Result<Block> ReadBlock(size_t max) override {
    if (!flags_.read) return Code::kBadDescriptor;
    auto block = inode_.tree().Read(inode_.node(), offset_, max);
    if (block) offset_ += block->bytes.size();
    return block;
  }
  void GiveBack(size_t count) override { offset_ -= std::min<uint64_t>(offset_, count); }

  Status Write(std::string_view bytes) override {
    if (!flags_.write) return Code::kBadDescriptor;
    return inode_.tree().Write(inode_.node(), offset_, bytes, flags_);
  }

  Status WriteExtent(const ExtentPtr& extent, uint64_t offset, uint64_t size) override {
    if (!flags_.write) return Code::kBadDescriptor;
    PADDOCK_TRY(inode_.tree().WriteExtent(inode_.node(), extent, offset, size));
    offset_ = size;
    return {};
  }

  Result<uint64_t> Seek(int64_t offset, Whence whence) override {
    uint64_t base = 0;
    if (whence == Whence::kCurrent) base = offset_;
    if (whence == Whence::kEnd) base = inode_.tree().Find(inode_.node())->content()->size();
    int64_t result;
    if (__builtin_add_overflow(static_cast<int64_t>(base), offset, &result)) return Code::kOverflow;
    if (result < 0) return Code::kInvalid;
    offset_ = static_cast<uint64_t>(result);
    return offset_;
  }
  Result<Attributes> GetAttributes() const override {
    return inode_.tree().GetAttributes(inode_.node());
  }
  Status Truncate(uint64_t size) override {
    if (!flags_.write) return Code::kInvalid;
    return inode_.tree().Resize(inode_.node(), size);
  }
  bool is_readable() const override { return flags_.read; }
  bool is_writable() const override { return flags_.write; }
  std::string description() const override { return path_; }
  void set_path(std::string path) override { path_ = std::move(path); }

 private:
  const HeldInode inode_;
  const OpenFlags flags_;
  uint64_t offset_ = 0;
  std::string path_;
};

Result<OpenFilePtr> OpenFifo(const std::shared_ptr<MemoryTree>& tree, NodeId node,
                             const OpenFlags& flags) {
  const std::shared_ptr<PipeQueue> queue = tree->FifoQueue(node);
  if (queue == nullptr) return Code::kNoDevice;
  const bool only_writes = flags.write && !flags.read;
  if (only_writes && flags.nonblocking && !queue->HasReaders()) return Code::kNoDevice;
  PipeEnd::Origin origin;
  origin.attributes = [held = std::make_shared<const HeldInode>(tree, node)] {
    return held->tree().GetAttributes(held->node());
  };
  auto end = std::make_shared<PipeEnd>(queue, flags.read, flags.write, std::move(origin));
  if (!flags.nonblocking && flags.read != flags.write) {
    PADDOCK_TRY(flags.read ? queue->AwaitWriter() : queue->AwaitReader());
  }
  return OpenFilePtr(std::move(end));
}

}  // namespace

MemoryVolume::MemoryVolume(const Clock& clock, const Quota& quota)
    : tree_(std::make_shared<MemoryTree>(clock, quota)) {}
MemoryVolume::MemoryVolume(std::shared_ptr<MemoryTree> tree) : tree_(std::move(tree)) {}
MemoryVolume::~MemoryVolume() = default;

std::shared_ptr<MemoryVolume> MemoryVolume::Fork() const {
  auto tree = std::make_shared<MemoryTree>(*tree_);
  return std::shared_ptr<MemoryVolume>(
      new MemoryVolume(std::move(tree)));  // allow(raw-new): private constructor
}

Result<TreeChanges> MemoryVolume::ChangesSince(const MemoryVolume& before) const {
  return tree_->ChangesSince(*before.tree_);
}
Status MemoryVolume::Apply(const TreeChanges& changes) { return tree_->Apply(changes); }
std::shared_ptr<MemoryVolume> MemoryVolume::Renumbered(std::unordered_map<NodeId, NodeId>& numbers) const {
  return std::shared_ptr<MemoryVolume>(
      new MemoryVolume(tree_->Renumbered(numbers)));  // allow(raw-new): private constructor
}

void MemoryVolume::set_scheduler(Scheduler* scheduler) { tree_->set_scheduler(scheduler); }
void MemoryVolume::set_quota(const Quota& quota) { tree_->set_quota(quota); }
Status MemoryVolume::SetSpecial(NodeId node, uint64_t special) {
  return tree_->SetSpecial(node, special);
}
void MemoryVolume::set_device(uint64_t device) { tree_->set_device(device); }
uint64_t MemoryVolume::device() const { return tree_->device(); }

NodeId MemoryVolume::root() const { return MemoryTree::kRoot; }
Result<NodeId> MemoryVolume::Lookup(NodeId directory, std::string_view name) {
  return tree_->Lookup(directory, name);
}
Result<NodeId> MemoryVolume::Parent(NodeId directory) { return tree_->Parent(directory); }
Result<std::string> MemoryVolume::Name(NodeId directory) { return tree_->Name(directory); }
Result<Attributes> MemoryVolume::GetAttributes(NodeId node) { return tree_->GetAttributes(node); }
Status MemoryVolume::SetAttributes(NodeId node, const AttributeChange& change) {
  return tree_->SetAttributes(node, change);
}
Result<std::string> MemoryVolume::ReadLink(NodeId node) { return tree_->ReadLink(node); }
Result<std::vector<DirectoryEntry>> MemoryVolume::List(NodeId directory) {
  return tree_->List(directory);
}
Result<NodeId> MemoryVolume::Create(NodeId directory, std::string_view name, const NewNode& node) {
  return tree_->Create(directory, name, node);
}
Result<NodeId> MemoryVolume::CreateFile(NodeId directory, std::string_view name, uint32_t mode,
                                        std::string_view content) {
  PADDOCK_ASSIGN(const NodeId node, tree_->Create(directory, name, {.mode = mode}));
  uint64_t offset = 0;
  PADDOCK_TRY(tree_->Write(node, offset, content, OpenFlags::Write()));
  // Its first reader has nothing to stamp then, and copies no node of a fork.
  PADDOCK_TRY(tree_->Read(node, 0, 1));
  return node;
}
Result<NodeId> MemoryVolume::CreateFile(NodeId directory, std::string_view name, const NewNode& node,
                                        FileContent content) {
  return tree_->CreateFile(directory, name, node, std::move(content));
}
const FileContent* MemoryVolume::ContentOf(NodeId node) const {
  const MemoryTree::Inode* inode = tree_->Find(node);
  return inode == nullptr ? nullptr : inode->content();
}
Status MemoryVolume::Link(NodeId directory, std::string_view name, NodeId node) {
  return tree_->Link(directory, name, node);
}
Status MemoryVolume::Remove(NodeId directory, std::string_view name, bool is_directory) {
  return tree_->Remove(directory, name, is_directory);
}
Status MemoryVolume::Rename(NodeId from, std::string_view from_name, NodeId to,
                            std::string_view to_name, bool exclusive) {
  return tree_->Rename(from, from_name, to, to_name, exclusive);
}
std::shared_ptr<const void> MemoryVolume::Hold(NodeId node) {
  return std::make_shared<const HeldInode>(tree_, node);
}
SpaceInfo MemoryVolume::Space() const { return tree_->Space(); }

Result<OpenFilePtr> MemoryVolume::Open(NodeId node, const OpenFlags& flags) {
  const MemoryTree::Inode* inode = tree_->Find(node);
  if (inode == nullptr) return Code::kNoEntry;
  switch (inode->type) {
    case FileType::kFile:
      if (flags.truncate) PADDOCK_TRY(tree_->Resize(node, 0));
      return OpenFilePtr(std::make_shared<MemoryFile>(tree_, node, flags));
    case FileType::kFifo:
      return OpenFifo(tree_, node, flags);
    case FileType::kDirectory:
      return Code::kIsDirectory;
    case FileType::kSymlink:
      return Code::kLoop;
    case FileType::kCharDevice:
    case FileType::kBlockDevice:
      return Code::kAccess;  // as on a file system mounted with "nodev"
    case FileType::kSocket:
      return Code::kNoDevice;
  }
  return Code::kInternal;
}

}  // namespace paddock::vfs
