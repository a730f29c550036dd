#include "vfs/host/host_volume.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>
#include <utility>

#include "vfs/host/beneath.h"
#include "vfs/host/host_file.h"
#include "vfs/host/host_volume_internal.h"
#include "vfs/host/recent_directories.h"
#include "vfs/host/seen_directories.h"
#include "vfs/node_table.h"
#include "vfs/stat_each.h"

namespace paddock::vfs {
namespace {

constexpr uint32_t kShownModeBits = 01777;
constexpr uint32_t kForeignId = 65534;
constexpr size_t kMaxNodes = 200'000;

// Opens a name of a directory that is held open, with open(2) flags, following nothing.
Result<HostDescriptor> OpenName(int directory, const char* name, int flags) {
  flags |= O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  int number;
  do {
    number = openat(directory, name, flags);
  } while (number < 0 && errno == EINTR);
  if (number >= 0) return HostDescriptor(number);
  return errno == ELOOP ? Code::kNoEntry : CodeOf(errno);
}

// The table keeps nothing but the names.
struct Nothing {};
using HostNodes = NodeTable<Nothing>;

FileType TypeOf(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return FileType::kDirectory;
    case S_IFLNK:
      return FileType::kSymlink;
    case S_IFIFO:
      return FileType::kFifo;
    case S_IFCHR:
      return FileType::kCharDevice;
    case S_IFBLK:
      return FileType::kBlockDevice;
    case S_IFSOCK:
      return FileType::kSocket;
    default:
      return FileType::kFile;
  }
}

Nanoseconds TimeOf(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

timespec SpecOf(const std::optional<Nanoseconds>& time) {
  if (!time) return {0, UTIME_OMIT};
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
  return {seconds.count(), (*time - seconds).count()};
}

// How host owners appear; see the header.
struct OwnerMap {
  Credentials shown;
  uid_t host_uid = 0;  // of the directory
  gid_t host_gid = 0;
  uid_t own_uid = 0;  // of this program
  gid_t own_gid = 0;

  uint32_t Uid(uid_t uid) const {
    if (uid == host_uid || (own_uid != 0 && uid == own_uid)) return shown.uid;
    return uid == 0 ? 0 : kForeignId;
  }
  uint32_t Gid(gid_t gid) const {
    if (gid == host_gid || (own_uid != 0 && gid == own_gid)) return shown.gid;
    return gid == 0 ? 0 : kForeignId;
  }
};

class HostVolume final : public Volume, public NameLooker {
 public:
  HostVolume(BeneathOpener opener, HostAccess access, const OwnerMap& owners, dev_t root_device,
             HostMemory memory)
      : opener_(std::move(opener)),
        access_(access),
        shared_(std::make_shared<Shared>(owners, root_device)),
        seen_(memory) {}

  NodeId root() const override { return HostNodes::kRoot; }

  Result<NodeId> Lookup(NodeId directory, std::string_view name) override {
    if (const SeenDirectories::Seen* seen = seen_.Find(directory, name);
        seen != nullptr && table().Intern(directory, name) == seen->node) {
      recent_node_ = seen->node;
      recent_ = shared_->Translate(seen->found);
      recent_directories_.Saw(seen->node, seen->found);
      return seen->node;
    }
    auto found = StatIn(directory, name);
    if (!found) {
      if (found.error().code == Code::kNoEntry) table().Forget(directory, name);
      return found.error();
    }
    const NodeId node = table().Intern(directory, name);
    recent_node_ = node;
    recent_ = shared_->Translate(*found);
    if (recent_.is_directory()) {
      recent_directories_.Saw(node, *found);
      seen_.Add(directory, name, node, *found);
    }
    looked_ = {node, RecentDirectories::CoarseNow(), *found};
    return node;
  }

  Result<NodeId> Parent(NodeId directory) override {
    if (directory == HostNodes::kRoot) return directory;
    const auto parent = table().ParentOf(directory);
    if (!parent) return Code::kNoEntry;
    return *parent;
  }

  Result<std::string> Name(NodeId directory) override {
    const std::string* name = table().NameOf(directory);
    if (name == nullptr) return Code::kNoEntry;
    return *name;
  }

  // A walk looks a name up and asks for its attributes next; that takes one look at the host.
  Result<Attributes> GetAttributes(NodeId node) override {
    if (node == std::exchange(recent_node_, 0)) return recent_;
    if (const SeenDirectories::Seen* seen = seen_.Find(node, ""); seen != nullptr) {
      recent_directories_.Saw(node, seen->found);
      return shared_->Translate(seen->found);
    }
    const auto path = table().PathOf(node);
    if (!path) return OfRemoved(node);
    PADDOCK_ASSIGN(const struct stat found, StatPath(*path));
    recent_directories_.Saw(node, found);
    if (S_ISDIR(found.st_mode)) seen_.Add(node, "", node, found);
    return shared_->Translate(found);
  }

  std::vector<Result<Attributes>> LookAtEach(
      NodeId directory, const std::vector<std::string_view>& names) override;

  Status SetAttributes(NodeId node, const AttributeChange& change) override;

  Result<std::string> ReadLink(NodeId node) override {
    PADDOCK_ASSIGN(const std::string path, PathOf(node));
    PADDOCK_ASSIGN(const HostDescriptor link, opener_.Open(path, O_PATH));
    char target[4096];
    const ssize_t length = readlinkat(link.get(), "", target, sizeof target);
    // ENOENT is what an O_PATH descriptor of something else answers.
    if (length < 0) return errno == ENOENT ? Code::kInvalid : CodeOf(errno);
    return std::string(target, static_cast<size_t>(length));
  }

  Result<std::vector<DirectoryEntry>> List(NodeId directory) override;
  Result<NodeId> Create(NodeId directory, std::string_view name, const NewNode& node) override;
  Status Link(NodeId directory, std::string_view name, NodeId node) override;
  Status Remove(NodeId directory, std::string_view name, bool is_directory) override;
  Status Rename(NodeId from, std::string_view from_name, NodeId to, std::string_view to_name,
                bool exclusive) override;
  Result<OpenFilePtr> Open(NodeId node, const OpenFlags& flags) override;

  std::shared_ptr<const void> Hold(NodeId node) override {
    struct Held {
      std::shared_ptr<Shared> shared;
      NodeId node;
      ~Held() { shared->table.Release(node); }
    };
    table().Hold(node);
    return std::make_shared<const Held>(shared_, node);
  }

  SpaceInfo Space() const override {
    SpaceInfo info{"host", "host", 0, 0, 0, 0};
    struct statvfs found;
    if (fstatvfs(opener_.root(), &found) != 0) return info;
    info.total_bytes = found.f_blocks * found.f_frsize;
    info.used_bytes = (found.f_blocks - found.f_bfree) * found.f_frsize;
    info.total_inodes = found.f_files;
    info.used_inodes = found.f_files - found.f_ffree;
    return info;
  }
  bool is_read_only() const override { return access_ == HostAccess::kReadOnly; }
  void set_device(uint64_t device) override { shared_->device = device; }
  uint64_t device() const override { return shared_->device; }

 private:
  // What open files and holders need after the volume is gone.
  struct Shared {
    Shared(const OwnerMap& map, dev_t root) : owners(map), root_device(root) {}
    Attributes Translate(const struct stat& found) const;

    HostNodes table{kMaxNodes};
    OwnerMap owners;
    dev_t root_device;
    uint64_t device = 0;
  };

  HostNodes& table() { return shared_->table; }

  // Of a directory that is held or has such a one below: it can only be walked out of.
  Result<Attributes> OfRemoved(NodeId node) {
    if (table().Find(node) == nullptr) return Code::kNoEntry;
    Attributes removed;
    removed.type = FileType::kDirectory;
    removed.mode = 0755;
    removed.links = 0;
    removed.uid = shared_->owners.shown.uid;
    removed.gid = shared_->owners.shown.gid;
    removed.inode = node;
    removed.device = device();
    return removed;
  }

  Result<std::string> PathOf(NodeId node) {
    auto path = table().PathOf(node);
    if (!path) return Code::kNoEntry;
    return std::move(*path);
  }
  Result<std::string> PathIn(NodeId directory, std::string_view name) {
    PADDOCK_TRY(CheckName(name));
    PADDOCK_ASSIGN(std::string path, PathOf(directory));
    if (!path.empty()) path += '/';
    path += name;
    return path;
  }
  // Names come checked; a slip there must not become a way out.
  static Status CheckName(std::string_view name) {
    const bool is_special = name.empty() || name == "." || name == "..";
    if (is_special || name.find('/') != name.npos || name.find('\0') != name.npos)
      return Code::kInvalid;
    return {};
  }
  Result<struct stat> StatPath(const std::string& path) {
    struct stat found;
    if (path.empty()) {
      if (fstat(opener_.root(), &found) != 0) return CodeOf(errno);
      return found;
    }
    PADDOCK_ASSIGN(const HostDescriptor file, opener_.Open(path, O_PATH));
    if (fstat(file.get(), &found) != 0) return CodeOf(errno);
    return found;
  }
  Result<struct stat> StatIn(NodeId directory, std::string_view name) {
    PADDOCK_ASSIGN(const int holder, OpenHolder(directory, name));
    struct stat found;
    if (fstatat(holder, std::string(name).c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
      return CodeOf(errno);
    }
    return found;
  }
  Result<Attributes> StatAt(int holder, const char* name) const {
    struct stat found;
    if (fstatat(holder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return CodeOf(errno);
    return shared_->Translate(found);
  }
  // The directory that holds a name, open until the next look at the host.
  Result<int> OpenHolder(NodeId directory, std::string_view name) {
    PADDOCK_TRY(CheckName(name));
    PADDOCK_ASSIGN(const std::string path, PathOf(directory));
    if (path.size() + 1 + name.size() >= PATH_MAX) return Code::kNameTooLong;
    return recent_directories_.Open(opener_, directory, path);
  }
  // The same for a name that is about to come, go or change.
  Result<int> OpenHolderForChange(NodeId directory, std::string_view name) {
    recent_node_ = 0;
    seen_.Clear();
    if (is_read_only()) return Code::kReadOnly;
    return OpenHolder(directory, name);
  }
  // The same with a descriptor of the caller's own, for calls that need two.
  Result<HostDescriptor> OpenForChange(NodeId directory, std::string_view name) {
    ForgetLooks();
    if (is_read_only()) return Code::kReadOnly;
    PADDOCK_TRY(CheckName(name));
    PADDOCK_ASSIGN(const std::string path, PathOf(directory));
    return opener_.Open(path, O_PATH | O_DIRECTORY);
  }
  void ForgetLooks() {
    recent_node_ = 0;
    seen_.Clear();
    recent_directories_.Distrust();
  }
  Result<HostDescriptor> OpenRegular(NodeId node, int flags);
  Status ChangeMode(const std::string& path, uint32_t mode);
  void GiveToOwner(int directory, const char* name) const;

  BeneathOpener opener_;
  const HostAccess access_;
  std::shared_ptr<Shared> shared_;
  NodeId recent_node_ = 0;  // whose attributes are at hand
  Attributes recent_;
  RecentDirectories recent_directories_;
  SeenDirectories seen_;
  // The last look at a name. Opening what was looked at in the same tick need not look again.
  struct Look {
    NodeId node = 0;
    std::chrono::nanoseconds time{0};
    struct stat found;
  };
  Look looked_{};
  // The file that was created last, open: its maker may write it even if its mode says otherwise.
  NodeId fresh_node_ = 0;
  HostDescriptor fresh_;
};

Attributes HostVolume::Shared::Translate(const struct stat& found) const {
  Attributes result;
  result.type = TypeOf(found.st_mode);
  result.mode = found.st_mode & kShownModeBits;
  result.uid = owners.Uid(found.st_uid);
  result.gid = owners.Gid(found.st_gid);
  result.links = static_cast<uint32_t>(found.st_nlink);
  result.size = static_cast<uint64_t>(found.st_size);
  result.inode = found.st_ino;
  result.device = device;
  // What is mounted below the directory differs from it, as inode numbers start again there.
  if (found.st_dev != root_device) result.device |= static_cast<uint64_t>(found.st_dev) << 16;
  result.blocks = static_cast<uint64_t>(found.st_blocks);
  const bool is_device = S_ISCHR(found.st_mode) || S_ISBLK(found.st_mode);
  if (is_device) result.special = uint64_t{major(found.st_rdev)} << 8 | minor(found.st_rdev);
  result.access_time = TimeOf(found.st_atim);
  result.modify_time = TimeOf(found.st_mtim);
  result.change_time = TimeOf(found.st_ctim);
  return result;
}

// The directory is opened anew each time, and closed at the end: it is not held while others may
// move it.
std::vector<Result<Attributes>> HostVolume::LookAtEach(
    NodeId directory, const std::vector<std::string_view>& names) {
  const auto path = PathOf(directory);
  Result<HostDescriptor> holder = Code::kNoEntry;
  if (path) holder = opener_.Open(*path, O_PATH | O_DIRECTORY);
  std::vector<Result<Attributes>> result;
  result.reserve(names.size());
  std::string text;
  for (const std::string_view name : names) {
    const Status fits = holder ? CheckName(name) : Status(holder.error());
    text = name;
    if (!fits) result.emplace_back(fits.error());
    else result.push_back(StatAt(holder->get(), text.c_str()));
  }
  return result;
}

Result<std::vector<DirectoryEntry>> HostVolume::List(NodeId directory) {
  const auto path = table().PathOf(directory);
  if (!path) {
    PADDOCK_TRY(OfRemoved(directory));
    return std::vector<DirectoryEntry>();
  }
  PADDOCK_ASSIGN(HostDescriptor file, opener_.Open(*path, O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(file.get()), closedir);
  if (stream == nullptr) return CodeOf(errno);
  const int number = file.Release();  // closedir() closes it
  std::vector<DirectoryEntry> entries;
  for (errno = 0; const dirent* entry = readdir(stream.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    FileType type = TypeOf(DTTOIF(entry->d_type));
    if (entry->d_type == DT_UNKNOWN) {
      struct stat found;
      if (fstatat(number, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
      type = TypeOf(found.st_mode);
    }
    entries.push_back({std::string(name), type, entry->d_ino});
  }
  if (errno != 0) return CodeOf(errno);
  std::sort(entries.begin(), entries.end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return entries;
}

// Files of a directory that this program's user does not own belong to its owner, as far as we may.
void HostVolume::GiveToOwner(int directory, const char* name) const {
  const OwnerMap& owners = shared_->owners;
  if (owners.own_uid != 0 || owners.host_uid == 0) return;
  if (fchownat(directory, name, owners.host_uid, owners.host_gid, AT_SYMLINK_NOFOLLOW) != 0) return;
}

Result<NodeId> HostVolume::Create(NodeId directory, std::string_view name, const NewNode& node) {
  PADDOCK_ASSIGN(const int parent, OpenHolderForChange(directory, name));
  const std::string text(name);
  const mode_t mode = node.mode & kShownModeBits;
  HostDescriptor made;
  int result = -1;
  switch (node.type) {
    case FileType::kFile:
      made = HostDescriptor(openat(parent, text.c_str(),
                                   O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, mode));
      result = made.get() < 0 ? -1 : fchmod(made.get(), mode);
      break;
    case FileType::kDirectory:
      result = mkdirat(parent, text.c_str(), mode);
      break;
    case FileType::kSymlink:
      result = symlinkat(node.target.c_str(), parent, text.c_str());
      break;
    default:
      return Code::kNotPermitted;
  }
  if (result != 0) return CodeOf(errno);
  GiveToOwner(parent, text.c_str());
  if (node.type == FileType::kDirectory) {
    // The host's umask may have taken bits that the sandbox's left.
    PADDOCK_ASSIGN(const std::string path, PathIn(directory, name));
    PADDOCK_TRY(ChangeMode(path, mode));
  }
  table().Forget(directory, name);
  const NodeId created = table().Intern(directory, name);
  fresh_node_ = created;
  fresh_ = std::move(made);
  return created;
}

Status HostVolume::Link(NodeId directory, std::string_view name, NodeId node) {
  const auto old_parent = table().ParentOf(node);
  const std::string* old_name = table().NameOf(node);
  if (!old_parent || old_name == nullptr || node == HostNodes::kRoot) return Code::kNotPermitted;
  PADDOCK_ASSIGN(const HostDescriptor from, OpenForChange(*old_parent, *old_name));
  PADDOCK_ASSIGN(const HostDescriptor to, OpenForChange(directory, name));
  if (linkat(from.get(), old_name->c_str(), to.get(), std::string(name).c_str(), 0) != 0) {
    return CodeOf(errno);
  }
  return {};
}

Status HostVolume::Remove(NodeId directory, std::string_view name, bool is_directory) {
  PADDOCK_ASSIGN(const int parent, OpenHolderForChange(directory, name));
  if (unlinkat(parent, std::string(name).c_str(), is_directory ? AT_REMOVEDIR : 0) != 0) {
    return CodeOf(errno);
  }
  table().Forget(directory, name);
  return {};
}

Status HostVolume::Rename(NodeId from, std::string_view from_name, NodeId to,
                          std::string_view to_name, bool exclusive) {
  PADDOCK_ASSIGN(const HostDescriptor old_parent, OpenForChange(from, from_name));
  PADDOCK_ASSIGN(const HostDescriptor new_parent, OpenForChange(to, to_name));
  const unsigned flags = exclusive ? RENAME_NOREPLACE : 0;
  if (renameat2(old_parent.get(), std::string(from_name).c_str(), new_parent.get(),
                std::string(to_name).c_str(), flags) != 0) {
    return CodeOf(errno);
  }
  table().Move(from, from_name, to, to_name);
  return {};
}

// Looks before it opens, because opening a device acts on it, and again afterwards, because the
// name may lead elsewhere by then. O_NONBLOCK keeps a FIFO that came in between from stopping us.
Result<HostDescriptor> HostVolume::OpenRegular(NodeId node, int flags) {
  if (node == HostNodes::kRoot) return Code::kIsDirectory;
  const auto parent = table().ParentOf(node);
  const std::string* name = table().NameOf(node);
  if (!parent || name == nullptr) return Code::kNoEntry;
  PADDOCK_ASSIGN(const int holder, OpenHolder(*parent, *name));
  struct stat before = looked_.found;
  const bool is_looked_at = std::exchange(looked_.node, 0) == node &&
                            looked_.time == RecentDirectories::CoarseNow();
  if (!is_looked_at && fstatat(holder, name->c_str(), &before, AT_SYMLINK_NOFOLLOW) != 0) {
    return CodeOf(errno);
  }
  switch (before.st_mode & S_IFMT) {
    case S_IFREG:
      break;
    case S_IFDIR:
      return Code::kIsDirectory;
    case S_IFLNK:
      return Code::kLoop;
    case S_IFIFO:
    case S_IFSOCK:
      return Code::kNoDevice;
    default:
      return Code::kAccess;
  }
  PADDOCK_ASSIGN(HostDescriptor file, OpenName(holder, name->c_str(), flags));
  struct stat after;
  if (fstat(file.get(), &after) != 0) return CodeOf(errno);
  const bool is_same = before.st_dev == after.st_dev && before.st_ino == after.st_ino;
  if (!is_same || !S_ISREG(after.st_mode)) return Code::kNoEntry;
  return file;
}

Result<OpenFilePtr> HostVolume::Open(NodeId node, const OpenFlags& flags) {
  const bool writes = flags.write || flags.truncate;
  if (writes && is_read_only()) return Code::kReadOnly;
  int host_flags = writes ? (flags.read ? O_RDWR : O_WRONLY) : O_RDONLY;
  if (flags.append) host_flags |= O_APPEND;
  HostDescriptor file;
  if (node == std::exchange(fresh_node_, 0) && fresh_.get() >= 0) {
    file = std::move(fresh_);
    if (flags.append && fcntl(file.get(), F_SETFL, O_APPEND) != 0) return CodeOf(errno);
  } else {
    PADDOCK_ASSIGN(file, OpenRegular(node, host_flags));
  }
  if (flags.truncate && ftruncate(file.get(), 0) != 0) return CodeOf(errno);
  auto translate = [shared = shared_](const struct stat& found) {
    return shared->Translate(found);
  };
  return OpenFilePtr(std::make_shared<HostFile>(std::move(file), flags, std::move(translate)));
}

Status HostVolume::ChangeMode(const std::string& path, uint32_t mode) {
  PADDOCK_ASSIGN(const HostDescriptor seen, opener_.Open(path, O_PATH));
  struct stat before;
  if (fstat(seen.get(), &before) != 0) return CodeOf(errno);
  const bool is_plain = S_ISREG(before.st_mode) || S_ISDIR(before.st_mode);
  if (!is_plain) return Code::kNotPermitted;
  // The link of /proc names the very file that is open, whatever happens to its path.
  const std::string self = "/proc/self/fd/" + std::to_string(seen.get());
  if (chmod(self.c_str(), mode & kShownModeBits) == 0) return {};
  if (errno != ENOENT) return CodeOf(errno);
  PADDOCK_ASSIGN(const HostDescriptor file, opener_.Open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (fchmod(file.get(), mode & kShownModeBits) != 0) return CodeOf(errno);
  return {};
}

Status HostVolume::SetAttributes(NodeId node, const AttributeChange& change) {
  ForgetLooks();
  if (is_read_only()) return Code::kReadOnly;
  PADDOCK_ASSIGN(const std::string path, PathOf(node));
  PADDOCK_ASSIGN(const struct stat found, StatPath(path));
  const Attributes now = shared_->Translate(found);
  if (change.uid.value_or(now.uid) != now.uid || change.gid.value_or(now.gid) != now.gid) {
    return Code::kNotPermitted;
  }
  if (change.size) {
    PADDOCK_ASSIGN(const HostDescriptor file, OpenRegular(node, O_WRONLY));
    if (ftruncate(file.get(), static_cast<off_t>(*change.size)) != 0) return CodeOf(errno);
  }
  if (change.mode) PADDOCK_TRY(ChangeMode(path, *change.mode));
  if (!change.access_time && !change.modify_time) return {};
  const timespec times[2] = {SpecOf(change.access_time), SpecOf(change.modify_time)};
  const size_t slash = path.rfind('/');
  const std::string directory = path.substr(0, slash == std::string::npos ? 0 : slash);
  const std::string name = path.empty() ? "." : path.substr(slash + 1);
  PADDOCK_ASSIGN(const HostDescriptor parent, opener_.Open(directory, O_PATH | O_DIRECTORY));
  if (utimensat(parent.get(), name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) return CodeOf(errno);
  return {};
}

}  // namespace

Result<VolumePtr> MakeHostVolumeWith(const std::string& directory, HostAccess access,
                                     const Credentials& owner, bool uses_openat2,
                                     HostMemory memory) {
  HostDescriptor root(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) return CodeOf(errno);
  struct stat found;
  if (fstat(root.get(), &found) != 0) return CodeOf(errno);
  const OwnerMap owners{owner, found.st_uid, found.st_gid, geteuid(), getegid()};
  return VolumePtr(std::make_shared<HostVolume>(BeneathOpener(std::move(root), uses_openat2),
                                                access, owners, found.st_dev, memory));
}

Result<VolumePtr> MakeHostVolume(const std::string& directory, HostAccess access,
                                 const Credentials& owner) {
  return MakeHostVolumeWith(directory, access, owner, BeneathOpener::HasOpenat2(),
                            HostMemory::kOneTick);
}

}  // namespace paddock::vfs
