#include "vfs/view.h"

#include <algorithm>
#include <utility>

#include "base/memory_meter.h"
#include "vfs/special_volumes.h"

namespace paddock::vfs {
namespace {

constexpr uint32_t kSetUid = 04000;
constexpr uint32_t kSetGid = 02000;
constexpr uint32_t kSticky = 01000;
constexpr uint32_t kRead = 4;
constexpr uint32_t kWrite = 2;
constexpr uint32_t kSearch = 1;
constexpr int kMaxListedDescriptor = 1023;

bool IsDescriptor(const Attributes& attributes) {
  return (attributes.special & ~kDescriptorMask) == kDescriptorNode;
}

// True for what a read-only mount protects: writing to a device or FIFO changes no file.
bool IsStored(const Attributes& attributes) {
  return attributes.is_file() || attributes.is_directory() || attributes.is_symlink();
}

// The last component as it is written: "." and ".." have errors of their own.
std::string_view LastComponent(std::string_view path) {
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// True if a directory is `ancestor` or below it, in the same volume.
bool IsWithin(const Place& directory, const Place& ancestor) {
  Place place = directory;
  while (!(place == ancestor)) {
    ChargeExec(1);
    const auto parent = place.volume->Parent(place.node);
    if (!parent || *parent == place.node) return false;
    place.node = *parent;
  }
  return true;
}

// A directory, open: it can be stat'ed and held, not read.
class OpenDirectory final : public OpenFile {
 public:
  OpenDirectory(VolumePtr volume, NodeId node)
      : volume_(std::move(volume)), node_(node), hold_(volume_->Hold(node)) {}
  Result<Block> ReadBlock(size_t /*max*/) override { return Code::kIsDirectory; }
  void GiveBack(size_t /*count*/) override {}
  Status Write(std::string_view /*bytes*/) override { return Code::kBadDescriptor; }
  Result<uint64_t> Seek(int64_t /*offset*/, Whence /*whence*/) override { return uint64_t{0}; }
  Result<Attributes> GetAttributes() const override { return volume_->GetAttributes(node_); }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return false; }
  std::string description() const override { return path_; }
  void set_path(std::string path) override { path_ = std::move(path); }

 private:
  VolumePtr volume_;
  NodeId node_;
  std::shared_ptr<const void> hold_;
  std::string path_;
};

}  // namespace

View::View(Namespace& names, const Clock& clock, const Credentials& who, uint32_t umask)
    : names_(names), clock_(clock), who_(who), umask_(umask), cwd_place_(names.root()) {
  cwd_hold_ = cwd_place_.volume->Hold(cwd_place_.node);
}

Result<Walked> View::Walk(std::string_view path, Follow follow) const {
  return names_.Walk(cwd_place_, path, follow, who_);
}

Result<Walked> View::Find(std::string_view path, Follow follow) const {
  auto walked = Walk(path, follow);
  if (walked && !walked->exists()) return Code::kNoEntry;
  return walked;
}

Result<Walked> View::FindFree(std::string_view path, bool is_directory) const {
  PADDOCK_ASSIGN(Walked walked, Walk(path, Follow::kNever));
  if (walked.exists()) return Code::kExists;
  if (walked.has_trailing_slash && !is_directory) return Code::kNoEntry;
  PADDOCK_TRY(CheckMayAdd(walked));
  return walked;
}

bool View::IsOwner(const Attributes& attributes) const {
  return who_.uid == 0 || who_.uid == attributes.uid;
}

std::string View::AbsolutePath(std::string_view path) const { return JoinPath(cwd_, path); }

Status View::CheckMayAdd(const Walked& walked) const {
  if (walked.parent.volume->is_read_only()) return Code::kReadOnly;
  if (!MayAccess(walked.parent_attributes, who_, kWrite | kSearch)) return Code::kAccess;
  return {};
}

Status View::CheckMayDelete(const Walked& victim) const {
  const Attributes& directory = victim.parent_attributes;
  if (!MayAccess(directory, who_, kWrite | kSearch)) return Code::kAccess;
  const bool is_restricted = (directory.mode & kSticky) != 0;
  if (is_restricted && !IsOwner(victim.attributes) && !IsOwner(directory)) {
    return Code::kNotPermitted;
  }
  return {};
}

Status View::ChangeDirectory(std::string_view path, std::string_view logical) {
  PADDOCK_ASSIGN(const Walked walked, Find(path, Follow::kYes));
  const Attributes& attributes = walked.attributes;
  if (!attributes.is_directory()) return Code::kNotDirectory;
  if (!MayAccess(attributes, who_, kSearch)) return Code::kAccess;
  std::string cwd(logical);
  if (cwd.empty()) {
    PADDOCK_ASSIGN(cwd, names_.PathOf(walked.place));
  }
  cwd_hold_ = walked.place.volume->Hold(walked.place.node);
  cwd_place_ = walked.place;
  cwd_ = std::move(cwd);
  return {};
}

Result<std::string> View::PhysicalCwd() const { return names_.PathOf(cwd_place_); }

Result<Attributes> View::Stat(std::string_view path, Follow follow) {
  PADDOCK_ASSIGN(const Walked walked, Find(path, follow));
  const Attributes& attributes = walked.attributes;
  if (follow == Follow::kYes && IsDescriptor(attributes) && attributes.is_symlink()) {
    PADDOCK_ASSIGN(const OpenFilePtr file, OpenDescriptor(attributes.special));
    return file->GetAttributes();
  }
  return attributes;
}

Result<OpenFilePtr> View::OpenDescriptor(uint64_t special) const {
  if (!open_descriptor_) return Code::kNoEntry;
  auto file = open_descriptor_(static_cast<int>(special & kDescriptorMask));
  if (!file && file.error().code == Code::kBadDescriptor) return Code::kNoEntry;
  return file;
}

Status View::CheckMayOpen(const Place& place, const Attributes& attributes,
                          const OpenFlags& flags) const {
  const bool writes = flags.write || flags.truncate;
  if (attributes.is_directory() && (writes || flags.create)) return Code::kIsDirectory;
  if (writes && place.volume->is_read_only() && IsStored(attributes)) return Code::kReadOnly;
  const uint32_t bits = (flags.read ? kRead : 0) | (writes ? kWrite : 0);
  if (!MayAccess(attributes, who_, bits)) return Code::kAccess;
  return {};
}

Result<OpenFilePtr> View::OpenExisting(const Walked& walked, const OpenFlags& flags) const {
  if (flags.create && flags.exclusive) return Code::kExists;
  const Attributes& attributes = walked.attributes;
  if (flags.directory && !attributes.is_directory()) return Code::kNotDirectory;
  if (attributes.is_symlink()) {
    if (flags.no_follow) return Code::kLoop;
    if (IsDescriptor(attributes)) return OpenDescriptor(attributes.special);
  }
  PADDOCK_TRY(CheckMayOpen(walked.place, attributes, flags));
  if (flags.truncate && attributes.is_file()) PADDOCK_TRY(DropSetId(walked.place, attributes));
  if (attributes.is_directory()) {
    return OpenFilePtr(
        std::make_shared<OpenDirectory>(names_.Find(walked.place.volume), walked.place.node));
  }
  return OpenIn(walked.place, flags);
}

Result<OpenFilePtr> View::OpenIn(const Place& place, OpenFlags flags) const {
  flags.drops_set_id = who_.uid != 0;
  return place.volume->Open(place.node, flags);
}

Status View::DropSetId(const Place& place, const Attributes& attributes) const {
  AttributeChange change;
  change.mode = WithoutSetId(attributes.mode);
  if (who_.uid == 0 || *change.mode == attributes.mode) return {};
  return place.volume->SetAttributes(place.node, change);
}

Result<OpenFilePtr> View::Open(std::string_view path, const OpenFlags& flags, uint32_t mode) {
  const bool follows = !flags.no_follow && !(flags.create && flags.exclusive);
  const Follow follow = flags.create ? (follows ? Follow::kCreate : Follow::kNever)
                                     : (follows ? Follow::kYes : Follow::kNo);
  PADDOCK_ASSIGN(const Walked walked, Walk(path, follow));
  if (flags.create && walked.has_trailing_slash) return Code::kIsDirectory;
  Result<OpenFilePtr> file = Code::kNoEntry;
  if (walked.exists()) {
    file = OpenExisting(walked, flags);
  } else if (flags.create) {
    PADDOCK_TRY(CheckMayAdd(walked));
    NewNode node;
    node.mode = mode & 07777 & ~umask_;
    PADDOCK_ASSIGN(const NodeId created, Add(walked, std::move(node)));
    file = OpenIn({walked.parent.volume, created}, flags);
  }
  if (file) (*file)->set_path(AbsolutePath(path));
  if (file && flags.write && file_size_limit_ != nullptr) file = LimitFileSize(std::move(*file), flags.append, file_size_limit_);
  return file;
}

Result<NodeId> View::Add(const Walked& walked, NewNode node) const {
  const Attributes& parent = walked.parent_attributes;
  node.uid = who_.uid;
  node.gid = who_.gid;
  if ((parent.mode & kSetGid) != 0) {
    node.gid = parent.gid;
    if (node.type == FileType::kDirectory) node.mode |= kSetGid;
  }
  return walked.parent.volume->Create(walked.parent.node, walked.name, node);
}

Result<std::vector<DirectoryEntry>> View::List(std::string_view path) {
  PADDOCK_ASSIGN(const Walked walked, Find(path, Follow::kYes));
  const Attributes& attributes = walked.attributes;
  if (!attributes.is_directory()) return Code::kNotDirectory;
  if (!MayAccess(attributes, who_, kRead)) return Code::kAccess;
  auto entries = walked.place.volume->List(walked.place.node);
  if (!entries || attributes.special != kDescriptorDirectory) return entries;
  entries->clear();
  for (int number = 0; open_descriptor_ && number <= kMaxListedDescriptor; ++number) {
    if (!open_descriptor_(number)) continue;
    std::string name = std::to_string(number);
    auto node = walked.place.volume->Lookup(walked.place.node, name);
    if (node) entries->push_back({std::move(name), FileType::kSymlink, *node});
  }
  std::sort(entries->begin(), entries->end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return entries;
}

Result<std::string> View::ReadLink(std::string_view path) {
  PADDOCK_ASSIGN(const Walked walked, Find(path, Follow::kNo));
  auto target = walked.place.volume->ReadLink(walked.place.node);
  if (target && !target->empty()) return target;
  const Attributes& attributes = walked.attributes;
  if (!attributes.is_symlink() || !IsDescriptor(attributes)) return Code::kInvalid;
  PADDOCK_ASSIGN(const OpenFilePtr file, OpenDescriptor(attributes.special));
  return file->description();
}

Status View::MakeDirectory(std::string_view path, uint32_t mode) {
  PADDOCK_ASSIGN(const Walked walked, FindFree(path, true));
  NewNode node;
  node.type = FileType::kDirectory;
  node.mode = mode & 01777 & ~umask_;
  PADDOCK_TRY(Add(walked, std::move(node)));
  return {};
}

Status View::MakeNode(std::string_view path, FileType type, uint32_t mode, uint64_t special) {
  if (type == FileType::kDirectory) return Code::kNotPermitted;
  if (type == FileType::kSymlink) return Code::kInvalid;
  PADDOCK_ASSIGN(const Walked walked, FindFree(path, false));
  const bool is_device = type == FileType::kCharDevice || type == FileType::kBlockDevice;
  if (is_device && who_.uid != 0) return Code::kNotPermitted;
  NewNode node;
  node.type = type;
  node.mode = mode & 07777 & ~umask_;
  node.special = is_device ? special : 0;
  PADDOCK_TRY(Add(walked, std::move(node)));
  return {};
}

Status View::MakeSymlink(std::string_view target, std::string_view path) {
  if (target.empty()) return Code::kNoEntry;
  if (target.size() >= kMaxPath) return Code::kNameTooLong;
  if (target.find('\0') != std::string_view::npos) return Code::kInvalid;
  PADDOCK_ASSIGN(const Walked walked, FindFree(path, false));
  NewNode node;
  node.type = FileType::kSymlink;
  node.mode = 0777;
  node.target = target;
  PADDOCK_TRY(Add(walked, std::move(node)));
  return {};
}

Status View::MakeLink(std::string_view existing, std::string_view path, Follow follow) {
  PADDOCK_ASSIGN(const Walked old, Find(existing, follow));
  PADDOCK_ASSIGN(const Walked walked, Walk(path, Follow::kNever));
  if (walked.exists()) return Code::kExists;
  if (walked.has_trailing_slash) return Code::kNoEntry;
  if (walked.parent.volume->is_read_only()) return Code::kReadOnly;
  if (old.place.volume != walked.parent.volume) return Code::kCrossDevice;
  const Attributes& attributes = old.attributes;
  // As with fs.protected_hardlinks=1, the default of Linux distributions.
  const bool is_harmless = attributes.is_file() && (attributes.mode & kSetUid) == 0 &&
                           MayAccess(attributes, who_, kRead | kWrite);
  if (!IsOwner(attributes) && !is_harmless) return Code::kNotPermitted;
  PADDOCK_TRY(CheckMayAdd(walked));
  if (attributes.is_directory()) return Code::kNotPermitted;
  return walked.parent.volume->Link(walked.parent.node, walked.name, old.place.node);
}

Status View::RemoveFile(std::string_view path) {
  PADDOCK_ASSIGN(const Walked walked, Walk(path, Follow::kNever));
  if (walked.name.empty()) return Code::kIsDirectory;
  if (walked.parent.volume->is_read_only()) return Code::kReadOnly;
  if (!walked.exists()) return Code::kNoEntry;
  const Attributes& victim = walked.attributes;
  if (walked.has_trailing_slash) {
    return victim.is_directory() ? Code::kIsDirectory : Code::kNotDirectory;
  }
  PADDOCK_TRY(CheckMayDelete(walked));
  if (victim.is_directory()) return Code::kIsDirectory;
  return walked.parent.volume->Remove(walked.parent.node, walked.name, false);
}

Status View::RemoveDirectory(std::string_view path) {
  PADDOCK_ASSIGN(const Walked walked, Walk(path, Follow::kNever));
  if (walked.name.empty()) {
    const std::string_view last = LastComponent(path);
    if (last == "..") return Code::kNotEmpty;
    return last == "." ? Code::kInvalid : Code::kBusy;
  }
  if (walked.parent.volume->is_read_only()) return Code::kReadOnly;
  if (!walked.exists()) return Code::kNoEntry;
  const Attributes& victim = walked.attributes;
  PADDOCK_TRY(CheckMayDelete(walked));
  if (!victim.is_directory()) return Code::kNotDirectory;
  if (walked.place.volume != walked.parent.volume) return Code::kBusy;
  return walked.parent.volume->Remove(walked.parent.node, walked.name, true);
}

Status View::CheckRename(const Walked& from, const Walked& to, bool exclusive) const {
  if (from.parent.volume != to.parent.volume) return Code::kCrossDevice;
  if (from.name.empty()) return Code::kBusy;
  if (to.name.empty()) return exclusive ? Code::kExists : Code::kBusy;
  if (from.parent.volume->is_read_only()) return Code::kReadOnly;
  if (!from.exists()) return Code::kNoEntry;
  if (to.exists() && exclusive) return Code::kExists;
  const Attributes& moved = from.attributes;
  const bool has_slash = from.has_trailing_slash || to.has_trailing_slash;
  if (!moved.is_directory() && has_slash) return Code::kNotDirectory;
  if (moved.is_directory() && IsWithin(to.parent, from.place)) return Code::kInvalid;
  if (to.exists() && IsWithin(from.parent, to.place)) return Code::kNotEmpty;
  if (from.place == to.place) return {};
  PADDOCK_TRY(CheckMayDelete(from));
  if (to.exists()) {
    const Attributes& replaced = to.attributes;
    PADDOCK_TRY(CheckMayDelete(to));
    if (moved.is_directory() && !replaced.is_directory()) return Code::kNotDirectory;
    if (!moved.is_directory() && replaced.is_directory()) return Code::kIsDirectory;
  } else {
    PADDOCK_TRY(CheckMayAdd(to));
  }
  // Moving a directory rewrites its "..".
  const bool changes_parent = moved.is_directory() && !(from.parent == to.parent);
  if (changes_parent && !MayAccess(moved, who_, kWrite)) return Code::kAccess;
  if (from.place.volume != from.parent.volume) return Code::kBusy;
  if (to.exists() && to.place.volume != to.parent.volume) return Code::kBusy;
  return {};
}

Status View::Rename(std::string_view from_path, std::string_view to_path, bool exclusive) {
  PADDOCK_ASSIGN(const Walked from, Walk(from_path, Follow::kNever));
  PADDOCK_ASSIGN(const Walked to, Walk(to_path, Follow::kNever));
  PADDOCK_TRY(CheckRename(from, to, exclusive));
  if (from.place == to.place) return {};
  return from.parent.volume->Rename(from.parent.node, from.name, to.parent.node, to.name,
                                    exclusive);
}

Status View::SetMode(std::string_view path, uint32_t mode, Follow follow) {
  PADDOCK_ASSIGN(const Walked walked, Find(path, follow));
  const Attributes& attributes = walked.attributes;
  if (attributes.is_symlink()) return Code::kNotSupported;
  if (walked.place.volume->is_read_only()) return Code::kReadOnly;
  if (!IsOwner(attributes)) return Code::kNotPermitted;
  if (who_.uid != 0 && who_.gid != attributes.gid) mode &= ~kSetGid;
  AttributeChange change;
  change.mode = mode & 07777;
  return walked.place.volume->SetAttributes(walked.place.node, change);
}

Status View::SetOwner(std::string_view path, std::optional<uint32_t> uid,
                      std::optional<uint32_t> gid, Follow follow) {
  PADDOCK_ASSIGN(const Walked walked, Find(path, follow));
  const Attributes& attributes = walked.attributes;
  if (walked.place.volume->is_read_only()) return Code::kReadOnly;
  if (who_.uid != 0) {
    const bool is_owner = IsOwner(attributes);
    if (uid && !(is_owner && *uid == attributes.uid)) return Code::kNotPermitted;
    const bool is_own_group = gid && (*gid == who_.gid || *gid == attributes.gid);
    if (gid && !(is_owner && is_own_group)) return Code::kNotPermitted;
  }
  AttributeChange change;
  change.uid = uid;
  change.gid = gid;
  if (!attributes.is_directory() && !attributes.is_symlink()) {
    const uint32_t mode = WithoutSetId(attributes.mode);
    if (mode != attributes.mode) change.mode = mode;
  }
  return walked.place.volume->SetAttributes(walked.place.node, change);
}

Status View::SetTimes(std::string_view path, std::optional<Nanoseconds> access,
                      std::optional<Nanoseconds> modify, Follow follow) {
  if (!access && !modify) return {};
  PADDOCK_ASSIGN(const Walked walked, Find(path, follow));
  const Attributes& attributes = walked.attributes;
  if (walked.place.volume->is_read_only()) return Code::kReadOnly;
  const bool is_touch = access == kNow && modify == kNow;
  if (!IsOwner(attributes)) {
    if (!is_touch) return Code::kNotPermitted;
    if (!MayAccess(attributes, who_, kWrite)) return Code::kAccess;
  }
  const Nanoseconds now = clock_.RealNow();
  AttributeChange change;
  change.access_time = access == kNow ? now : access;
  change.modify_time = modify == kNow ? now : modify;
  return walked.place.volume->SetAttributes(walked.place.node, change);
}

Status View::Truncate(std::string_view path, uint64_t size) {
  PADDOCK_ASSIGN(const Walked walked, Find(path, Follow::kYes));
  const Attributes& attributes = walked.attributes;
  if (attributes.is_directory()) return Code::kIsDirectory;
  if (!attributes.is_file()) return Code::kInvalid;
  if (walked.place.volume->is_read_only()) return Code::kReadOnly;
  if (!MayAccess(attributes, who_, kWrite)) return Code::kAccess;
  if (file_size_limit_ != nullptr && size > file_size_limit_->bytes && size > attributes.size) {
    file_size_limit_->on_reached();
    return Code::kFileTooBig;
  }
  PADDOCK_TRY(DropSetId(walked.place, attributes));
  AttributeChange change;
  change.size = size;
  return walked.place.volume->SetAttributes(walked.place.node, change);
}

Status View::Access(std::string_view path, uint32_t bits) {
  PADDOCK_ASSIGN(const Walked walked, Find(path, Follow::kYes));
  const Attributes& attributes = walked.attributes;
  if (attributes.is_symlink() && IsDescriptor(attributes)) {
    // Pipes belong to nobody in particular; what counts is how the descriptor is open.
    PADDOCK_ASSIGN(const OpenFilePtr file, OpenDescriptor(attributes.special));
    const uint32_t granted = (file->is_readable() ? kRead : 0) | (file->is_writable() ? kWrite : 0);
    return (bits & ~granted) == 0 ? Status{} : Status{Code::kAccess};
  }
  if ((bits & kWrite) != 0 && walked.place.volume->is_read_only() && IsStored(attributes)) {
    return Code::kReadOnly;
  }
  if (!MayAccess(attributes, who_, bits)) return Code::kAccess;
  return {};
}

Result<SpaceInfo> View::Space(std::string_view path) {
  PADDOCK_ASSIGN(const Walked walked, Find(path, Follow::kYes));
  return walked.place.volume->Space();
}

}  // namespace paddock::vfs
