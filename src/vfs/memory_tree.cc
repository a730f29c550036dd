#include "vfs/memory_tree.h"

#include <algorithm>
#include <utility>

namespace paddock::vfs {
namespace {

constexpr uint64_t kDirectoryBytes = 4096;  // what stat shows

}  // namespace

MemoryTree::MemoryTree(const Clock& clock, const Quota& quota) : clock_(clock), quota_(quota) {
  auto root = std::make_shared<Inode>();
  root->type = FileType::kDirectory;
  root->mode = 0755;
  root->links = 2;
  root->access_time = root->modify_time = root->change_time = clock_.RealNow();
  root->body = Directory{};
  inodes_.Set(kRoot, std::move(root));
  used_inodes_ = 1;
}

MemoryTree::MemoryTree(const MemoryTree& other)
    : clock_(other.clock_),
      quota_(other.quota_),
      device_(other.device_),
      inodes_(other.inodes_),
      next_(other.next_),
      used_bytes_(other.used_bytes_),
      used_inodes_(other.used_inodes_) {
  // Files without a name live on only where they are open.
  for (const auto& [node, count] : other.holders_) {
    const Inode* inode = Find(node);
    if (inode != nullptr && inode->links == 0) Forget(node);
  }
}

const MemoryTree::Inode* MemoryTree::FindDirectory(NodeId node, Code& failure) const {
  const Inode* inode = Find(node);
  failure = inode == nullptr ? Code::kNoEntry : Code::kNotDirectory;
  return inode != nullptr && inode->directory() != nullptr ? inode : nullptr;
}

MemoryTree::Inode* MemoryTree::ChangeDirectory(NodeId node, Nanoseconds now) {
  Inode* inode = inodes_.Change(node);
  inode->modify_time = inode->change_time = now;
  return inode;
}

Result<NodeId> MemoryTree::Lookup(NodeId directory, std::string_view name) const {
  Code failure;
  const Inode* inode = FindDirectory(directory, failure);
  if (inode == nullptr) return failure;
  const NameTree::Entry* entry = inode->directory()->names.Find(name);
  if (entry == nullptr) return Code::kNoEntry;
  return entry->inode;
}

Result<NodeId> MemoryTree::Parent(NodeId directory) const {
  Code failure;
  const Inode* inode = FindDirectory(directory, failure);
  if (inode == nullptr) return failure;
  return inode->directory()->parent;
}

Result<std::string> MemoryTree::Name(NodeId directory) const {
  Code failure;
  const Inode* inode = FindDirectory(directory, failure);
  if (inode == nullptr) return failure;
  if (inode->links == 0) return Code::kNoEntry;
  return inode->directory()->name;
}

Result<Attributes> MemoryTree::GetAttributes(NodeId node) const {
  const Inode* inode = Find(node);
  if (inode == nullptr) return Code::kNoEntry;
  Attributes result;
  result.type = inode->type;
  result.mode = inode->mode;
  result.uid = inode->uid;
  result.gid = inode->gid;
  result.links = inode->links;
  result.inode = node;
  result.device = device_;
  result.special = inode->special;
  result.access_time = inode->access_time;
  result.modify_time = inode->modify_time;
  result.change_time = inode->change_time;
  if (const FileContent* content = inode->content()) {
    result.size = content->size();
    result.blocks = content->blocks();
  } else if (inode->directory() != nullptr) {
    result.size = kDirectoryBytes;
    result.blocks = kDirectoryBytes / 512;
  } else if (const std::string* target = std::get_if<std::string>(&inode->body)) {
    result.size = target->size();
  }
  return result;
}

Status MemoryTree::SetAttributes(NodeId node, const AttributeChange& change) {
  if (change.size) PADDOCK_TRY(Resize(node, *change.size));
  Inode* inode = inodes_.Change(node);
  if (inode == nullptr) return Code::kNoEntry;
  if (change.mode) inode->mode = *change.mode & kModeBits;
  if (change.uid) inode->uid = *change.uid;
  if (change.gid) inode->gid = *change.gid;
  if (change.access_time) inode->access_time = *change.access_time;
  if (change.modify_time) inode->modify_time = *change.modify_time;
  inode->change_time = clock_.RealNow();
  return {};
}

Status MemoryTree::SetSpecial(NodeId node, uint64_t special) {
  Inode* inode = inodes_.Change(node);
  if (inode == nullptr) return Code::kNoEntry;
  inode->special = special;
  return {};
}

Result<std::string> MemoryTree::ReadLink(NodeId node) const {
  const Inode* inode = Find(node);
  if (inode == nullptr) return Code::kNoEntry;
  const std::string* target = std::get_if<std::string>(&inode->body);
  if (target == nullptr) return Code::kInvalid;
  return *target;
}

Result<std::vector<DirectoryEntry>> MemoryTree::List(NodeId directory) const {
  Code failure;
  const Inode* inode = FindDirectory(directory, failure);
  if (inode == nullptr) return failure;
  const NameTree& names = inode->directory()->names;
  std::vector<DirectoryEntry> entries;
  entries.reserve(names.size());
  names.ForEach([&entries](const NameTree::Entry& entry) {
    entries.push_back({entry.name, entry.type, entry.inode});
  });
  return entries;
}

Status MemoryTree::Charge(uint64_t bytes) {
  if (bytes > quota_.bytes || used_bytes_ > quota_.bytes - bytes) return Code::kNoSpace;
  used_bytes_ += bytes;
  return {};
}

Status MemoryTree::CheckNewEntry(NodeId directory, std::string_view name) const {
  Code failure;
  const Inode* inode = FindDirectory(directory, failure);
  if (inode == nullptr) return failure;
  if (name.size() > kLongestName) return Code::kNameTooLong;
  if (inode->directory()->names.Find(name) != nullptr) return Code::kExists;
  if (inode->links == 0) return Code::kNoEntry;
  return {};
}

void MemoryTree::AddEntry(NodeId directory, std::string_view name, NodeId node, FileType type,
                          Nanoseconds now) {
  Inode* parent = ChangeDirectory(directory, now);
  parent->directory()->names.Insert({std::string(name), node, type});
  if (type == FileType::kDirectory) ++parent->links;
}

void MemoryTree::EraseEntry(NodeId directory, std::string_view name, FileType type,
                            Nanoseconds now) {
  Inode* parent = ChangeDirectory(directory, now);
  used_bytes_ -= EntryCost(name);
  parent->directory()->names.Erase(name);
  if (type == FileType::kDirectory) --parent->links;
}

Result<NodeId> MemoryTree::Create(NodeId directory, std::string_view name, const NewNode& node) {
  PADDOCK_TRY(CheckNewEntry(directory, name));
  if (used_inodes_ >= quota_.inodes) return Code::kNoSpace;
  PADDOCK_TRY(Charge(EntryCost(name) + node.target.size()));
  const NodeId id = next_++;
  const Nanoseconds now = clock_.RealNow();
  auto inode = std::make_shared<Inode>();
  inode->type = node.type;
  inode->mode = node.mode & kModeBits;
  inode->uid = node.uid;
  inode->gid = node.gid;
  inode->links = 1;
  inode->special = node.special;
  inode->access_time = inode->modify_time = inode->change_time = now;
  if (node.type == FileType::kFile) {
    inode->body = FileContent{};
  } else if (node.type == FileType::kSymlink) {
    inode->body = node.target;
  } else if (node.type == FileType::kDirectory) {
    inode->links = 2;
    inode->body = Directory{{}, directory, std::string(name)};
  }
  inodes_.Set(id, std::move(inode));
  ++used_inodes_;
  AddEntry(directory, name, id, node.type, now);
  return id;
}

Result<NodeId> MemoryTree::CreateFile(NodeId directory, std::string_view name, const NewNode& node, FileContent content) {
  if (content.size() > quota_.file_bytes) return Code::kFileTooBig;
  const uint64_t bytes = content.held_bytes();
  PADDOCK_TRY(Charge(bytes));
  auto made = Create(directory, name, node);
  if (!made) {
    used_bytes_ -= bytes;
    return made;
  }
  inodes_.Change(*made)->body = std::move(content);
  return made;
}

Status MemoryTree::Link(NodeId directory, std::string_view name, NodeId node) {
  PADDOCK_TRY(CheckNewEntry(directory, name));
  const Inode* inode = Find(node);
  if (inode == nullptr || inode->links == 0) return Code::kNoEntry;
  if (inode->directory() != nullptr) return Code::kNotPermitted;
  if (inode->links >= kMaxLinks) return Code::kTooManyLinks;
  PADDOCK_TRY(Charge(EntryCost(name)));
  const Nanoseconds now = clock_.RealNow();
  const FileType type = inode->type;
  Inode* changed = inodes_.Change(node);
  ++changed->links;
  changed->change_time = now;
  AddEntry(directory, name, node, type, now);
  return {};
}

Status MemoryTree::Remove(NodeId directory, std::string_view name, bool is_directory) {
  Code failure;
  const Inode* parent = FindDirectory(directory, failure);
  if (parent == nullptr) return failure;
  const NameTree::Entry* entry = parent->directory()->names.Find(name);
  if (entry == nullptr) return Code::kNoEntry;
  const NodeId node = entry->inode;
  const FileType type = entry->type;
  if (is_directory && type != FileType::kDirectory) return Code::kNotDirectory;
  if (!is_directory && type == FileType::kDirectory) return Code::kIsDirectory;
  if (is_directory && Find(node)->directory()->names.size() > 0) return Code::kNotEmpty;
  const Nanoseconds now = clock_.RealNow();
  EraseEntry(directory, name, type, now);
  DropLink(node, now);
  return {};
}

void MemoryTree::DropLink(NodeId node, Nanoseconds now) {
  Inode* inode = inodes_.Change(node);
  inode->links = inode->directory() != nullptr ? 0 : inode->links - 1;
  inode->change_time = now;
  if (inode->links > 0) return;
  if (holders_.count(node) == 0) return Forget(node);
  // ".." still leads out of a directory without a name, whatever becomes of the one above.
  if (const Directory* directory = inode->directory()) Hold(directory->parent);
}

void MemoryTree::Forget(NodeId node) {
  const Inode* inode = Find(node);
  if (const FileContent* content = inode->content()) used_bytes_ -= content->held_bytes();
  if (const auto* target = std::get_if<std::string>(&inode->body)) used_bytes_ -= target->size();
  --used_inodes_;
  inodes_.Erase(node);
  if (!fifos_.empty()) fifos_.erase(node);
}

void MemoryTree::Release(NodeId node) {
  for (;;) {
    const auto it = holders_.find(node);
    if (--it->second > 0) return;
    holders_.erase(it);
    const Inode* inode = Find(node);
    if (inode == nullptr || inode->links > 0) return;
    const bool holds_parent = inode->directory() != nullptr;
    const NodeId parent = holds_parent ? inode->directory()->parent : node;
    Forget(node);
    if (!holds_parent) return;
    node = parent;
  }
}

bool MemoryTree::IsWithin(NodeId directory, NodeId ancestor) const {
  while (directory != ancestor) {
    if (directory == kRoot) return false;
    const Inode* inode = Find(directory);
    if (inode == nullptr || inode->directory() == nullptr) return false;
    directory = inode->directory()->parent;
  }
  return true;
}

Status MemoryTree::CheckRename(const Inode& source, NodeId source_id, NodeId to,
                               const NameTree::Entry* target) const {
  const bool moves_directory = source.directory() != nullptr;
  if (moves_directory && IsWithin(to, source_id)) return Code::kInvalid;
  if (target == nullptr) return {};
  const Inode* replaced = Find(target->inode);
  if (moves_directory && replaced->directory() == nullptr) return Code::kNotDirectory;
  if (!moves_directory && replaced->directory() != nullptr) return Code::kIsDirectory;
  if (moves_directory && replaced->directory()->names.size() > 0) return Code::kNotEmpty;
  return {};
}

Status MemoryTree::Rename(NodeId from, std::string_view from_name, NodeId to,
                          std::string_view to_name, bool exclusive) {
  Code failure;
  const Inode* from_inode = FindDirectory(from, failure);
  if (from_inode == nullptr) return failure;
  const NameTree::Entry* entry = from_inode->directory()->names.Find(from_name);
  if (entry == nullptr) return Code::kNoEntry;
  const Inode* to_inode = FindDirectory(to, failure);
  if (to_inode == nullptr) return failure;
  if (to_inode->links == 0) return Code::kNoEntry;
  if (to_name.size() > kLongestName) return Code::kNameTooLong;
  const NameTree::Entry* target = to_inode->directory()->names.Find(to_name);
  if (target != nullptr && exclusive) return Code::kExists;
  if (target != nullptr && target->inode == entry->inode) return {};
  const NodeId node = entry->inode;
  const FileType type = entry->type;
  PADDOCK_TRY(CheckRename(*Find(node), node, to, target));
  if (target == nullptr) PADDOCK_TRY(Charge(EntryCost(to_name)));

  const Nanoseconds now = clock_.RealNow();
  EraseEntry(from, from_name, type, now);
  if (target != nullptr) {
    // Erasing may have moved the entry, so look again.
    target = Find(to)->directory()->names.Find(to_name);
    const NodeId replaced = target->inode;
    Inode* parent = ChangeDirectory(to, now);
    parent->directory()->names.Replace(to_name, node, type);
    // A directory takes the place of a directory: the parent's link count stays.
    DropLink(replaced, now);
  } else {
    AddEntry(to, to_name, node, type, now);
  }
  Inode* moved = inodes_.Change(node);
  moved->change_time = now;
  if (Directory* directory = moved->directory()) {
    directory->parent = to;
    directory->name = to_name;
  }
  return {};
}

Result<Block> MemoryTree::Read(NodeId node, uint64_t offset, size_t max) {
  const Inode* inode = Find(node);
  if (inode == nullptr || inode->content() == nullptr) return Code::kIo;
  Block block = inode->content()->Read(offset, max);
  const bool is_stale =
      inode->access_time < inode->modify_time || inode->access_time < inode->change_time;
  if (is_stale && !block.bytes.empty()) inodes_.Change(node)->access_time = clock_.RealNow();
  return block;
}

Status MemoryTree::Write(NodeId node, uint64_t& offset, std::string_view bytes,
                         const OpenFlags& flags) {
  const Inode* old = Find(node);
  if (old == nullptr || old->content() == nullptr) return Code::kIo;
  if (flags.append) offset = old->content()->size();
  if (bytes.empty()) return {};
  if (offset >= quota_.file_bytes) return Code::kFileTooBig;
  Status status;
  if (bytes.size() > quota_.file_bytes - offset) {
    status = Code::kFileTooBig;
    bytes = bytes.substr(0, static_cast<size_t>(quota_.file_bytes - offset));
  }
  Inode* inode = inodes_.Change(node);
  FileContent& content = *inode->content();
  const uint64_t start = offset;
  if (flags.drops_set_id) inode->mode = WithoutSetId(inode->mode);
  while (!bytes.empty()) {
    std::string_view piece =
        bytes.substr(0, FileContent::kChunkBytes - offset % FileContent::kChunkBytes);
    const uint64_t cost = content.CostOf(offset, piece.size());
    const uint64_t room = quota_.bytes - std::min(quota_.bytes, used_bytes_);
    if (cost > room) {
      // Within a chunk the bytes at the end are those that cost.
      status = Code::kNoSpace;
      piece.remove_suffix(static_cast<size_t>(std::min<uint64_t>(cost - room, piece.size())));
    }
    const uint64_t before = content.held_bytes();
    content.Write(offset, piece);
    used_bytes_ += content.held_bytes() - before;
    offset += piece.size();
    if (cost > room) break;
    bytes.remove_prefix(piece.size());
  }
  if (offset != start) inode->modify_time = inode->change_time = clock_.RealNow();
  return status;
}

Status MemoryTree::Resize(NodeId node, uint64_t size) {
  const Inode* old = Find(node);
  if (old == nullptr) return Code::kNoEntry;
  if (old->directory() != nullptr) return Code::kIsDirectory;
  if (old->content() == nullptr) return Code::kInvalid;
  if (size > quota_.file_bytes) return Code::kFileTooBig;
  Inode* inode = inodes_.Change(node);
  FileContent& content = *inode->content();
  used_bytes_ -= content.held_bytes();
  content.Resize(size);
  used_bytes_ += content.held_bytes();
  inode->modify_time = inode->change_time = clock_.RealNow();
  return {};
}

Status MemoryTree::WriteExtent(NodeId node, const ExtentPtr& extent, uint64_t offset, uint64_t size) {
  const Inode* old = Find(node);
  if (old == nullptr || old->content() == nullptr) return Code::kIo;
  if (old->content()->size() != 0 || offset > extent->bytes.size() || size > extent->bytes.size() - offset) return Code::kInvalid;
  if (size > quota_.file_bytes) return Code::kFileTooBig;
  if (size > quota_.bytes - std::min(quota_.bytes, used_bytes_)) return Code::kNoSpace;
  if (size == 0) return {};
  Inode* inode = inodes_.Change(node);
  *inode->content() = FileContent::Of(extent, offset, size);
  used_bytes_ += size;
  inode->modify_time = inode->change_time = clock_.RealNow();
  return {};
}

std::shared_ptr<PipeQueue> MemoryTree::FifoQueue(NodeId node) {
  if (scheduler_ == nullptr) return nullptr;
  std::weak_ptr<PipeQueue>& slot = fifos_[node];
  std::shared_ptr<PipeQueue> queue = slot.lock();
  if (queue == nullptr) {
    queue = std::make_shared<PipeQueue>(*scheduler_, 64 << 10);
    slot = queue;
  }
  return queue;
}

SpaceInfo MemoryTree::Space() const {
  return {"memory", "tmpfs", quota_.bytes, used_bytes_, quota_.inodes, used_inodes_};
}

}  // namespace paddock::vfs
