#include "guest/files/guest_file_system.h"

#include <algorithm>

#include "guest/files/guest_open_file.h"

namespace paddock::guest {
namespace {

constexpr uint32_t kPermissions = 07777;
constexpr uint32_t kAsItIs = ~uint32_t{0};

struct TypeName {
  uint64_t magic;
  const char* name;
};

// What df calls the file systems that sandboxes lie on. Source: statfs(2), linux/magic.h.
constexpr TypeName kTypeNames[] = {
    {0x01021994, "tmpfs"}, {0x794c7630, "overlay"}, {0xef53, "ext4"},       {0x58465342, "xfs"},      {0x9123683e, "btrfs"},
    {0x9fa0, "proc"},      {0x62656572, "sysfs"},   {0x1cd1, "devpts"},     {0x6969, "nfs"},          {0x65735546, "fuse"},
    {0x01021997, "9p"},    {0x73717368, "squashfs"}, {0xe0f5e1e2, "erofs"}, {0x2fc12fc1, "zfs"},      {0x63677270, "cgroup2"},
    {0x27e0eb, "cgroup"},  {0x19800202, "mqueue"},  {0x858458f6, "ramfs"},  {0xf2f52010, "f2fs"},     {0xff534d42, "cifs"},
};

std::string TypeNameOf(uint64_t magic) {
  for (const TypeName& type : kTypeNames) {
    if (type.magic == magic) return type.name;
  }
  return "unknown";
}

bool Follows(vfs::Follow follow) { return follow == vfs::Follow::kYes; }

bool IsPath(std::string_view text) {
  return text.size() < vfs::kMaxPath && text.find('\0') == std::string_view::npos && text.starts_with('/');
}

uint16_t FlagsOf(const vfs::OpenFlags& flags) {
  unsigned wire = 0;
  if (flags.read) wire |= kOpenRead;
  if (flags.write) wire |= kOpenWrite;
  if (flags.append) wire |= kOpenAppend;
  if (flags.create) wire |= kOpenCreate;
  if (flags.exclusive) wire |= kOpenExclusive;
  if (flags.truncate) wire |= kOpenTruncate;
  if (flags.directory) wire |= kOpenDirectory;
  if (flags.no_follow) wire |= kOpenNoFollow;
  return static_cast<uint16_t>(wire);
}

std::optional<FileKind> KindOf(vfs::FileType type) {
  switch (type) {
    case vfs::FileType::kFile: return FileKind::kRegular;
    case vfs::FileType::kFifo: return FileKind::kFifo;
    case vfs::FileType::kSocket: return FileKind::kSocket;
    case vfs::FileType::kCharDevice: return FileKind::kCharacterDevice;
    case vfs::FileType::kBlockDevice: return FileKind::kBlockDevice;
    case vfs::FileType::kDirectory:
    case vfs::FileType::kSymlink: break;
  }
  return std::nullopt;
}

}  // namespace

GuestFileSystem::GuestFileSystem(GuestFiles files, GuestFileSystemOptions options)
    : files_(std::move(files)), options_(std::move(options)) {}

Result<std::string> GuestFileSystem::Inside(std::string_view path) const {
  if (path.empty()) return Code::kNoEntry;
  if (path.find('\0') != std::string_view::npos) return Code::kInvalid;
  if (path.size() >= vfs::kMaxPath) return Code::kNameTooLong;
  std::string inside = vfs::JoinPath(options_.cwd, path);
  if (inside.size() >= vfs::kMaxPath) return Code::kNameTooLong;
  return inside;
}

Result<std::string> GuestFileSystem::Call(std::string_view path, FileRequest request) {
  PADDOCK_ASSIGN(request.path, Inside(path));
  auto reply = files_.Call(request, Limit());
  if (!reply) return Plain(files_, reply.error());
  return reply;
}

Status GuestFileSystem::Do(std::string_view path, FileRequest request) {
  PADDOCK_TRY(Call(path, std::move(request)));
  return {};
}

Result<vfs::Attributes> GuestFileSystem::Stat(std::string_view path, vfs::Follow follow) {
  PADDOCK_ASSIGN(const std::string reply, Call(path, {.operation = FileOperation::kAttributes, .flag = Follows(follow)}));
  PADDOCK_ASSIGN(const FileAttributes attributes, DecodeFileAttributes(reply));
  return ToAttributes(attributes);
}

Result<vfs::OpenFilePtr> GuestFileSystem::Open(std::string_view path, const vfs::OpenFlags& flags, uint32_t mode) {
  OpenRequest request;
  PADDOCK_ASSIGN(request.path, Inside(path));
  request.flags = FlagsOf(flags);
  request.mode = static_cast<uint16_t>(mode & kPermissions & ~options_.umask);
  if (flags.create) PADDOCK_TRY(MayGrow());
  auto file = files_.Open(request, Limit());
  if (!file) return Plain(files_, file.error());
  GuestOpenFile::Parts parts{.files = files_,
                             .file = std::move(*file),
                             .flags = flags,
                             .path = request.path,
                             .timeout = options_.timeout,
                             .may_grow = options_.may_grow};
  return vfs::OpenFilePtr(std::make_shared<GuestOpenFile>(std::move(parts)));
}

Result<std::vector<vfs::DirectoryEntry>> GuestFileSystem::List(std::string_view path) {
  PADDOCK_ASSIGN(const std::string inside, Inside(path));
  auto found = files_.List(inside, options_.max_entries, Limit());
  if (!found) return Plain(files_, found.error());
  std::vector<vfs::DirectoryEntry> entries;
  entries.reserve(found->size());
  for (DirectoryEntry& entry : *found) {
    entries.push_back({std::move(entry.name), ToAttributes({.stat = entry.stat}).type, entry.stat.inode});
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return entries;
}

Result<std::string> GuestFileSystem::ReadLink(std::string_view path) {
  PADDOCK_ASSIGN(std::string target, Call(path, {.operation = FileOperation::kReadLink}));
  if (target.empty() || target.size() >= vfs::kMaxPath || target.find('\0') != std::string::npos) return Code::kIo;
  return target;
}

Status GuestFileSystem::MakeDirectory(std::string_view path, uint32_t mode) {
  PADDOCK_TRY(MayGrow());
  // As mkdir(2): no set-id bits.
  return Do(path, {.operation = FileOperation::kMakeDirectory, .mode = static_cast<uint16_t>(mode & 01777 & ~options_.umask)});
}

Status GuestFileSystem::MakeNode(std::string_view path, vfs::FileType type, uint32_t mode, uint64_t special) {
  const std::optional<FileKind> kind = KindOf(type);
  if (!kind) return type == vfs::FileType::kDirectory ? Code::kNotPermitted : Code::kInvalid;
  PADDOCK_TRY(MayGrow());
  return Do(path, {.operation = FileOperation::kMakeNode,
                   .mode = static_cast<uint16_t>(mode & kPermissions & ~options_.umask),
                   .uid = static_cast<uint32_t>(special >> 8),
                   .gid = static_cast<uint32_t>(special & 0xff),
                   .number = static_cast<int64_t>(*kind)});
}

Status GuestFileSystem::MakeSymlink(std::string_view target, std::string_view path) {
  if (target.empty()) return Code::kNoEntry;
  if (target.size() >= vfs::kMaxPath) return Code::kNameTooLong;
  if (target.find('\0') != std::string_view::npos) return Code::kInvalid;
  PADDOCK_TRY(MayGrow());
  return Do(path, {.operation = FileOperation::kMakeSymlink, .other = std::string(target)});
}

Status GuestFileSystem::MakeLink(std::string_view existing, std::string_view path, vfs::Follow follow) {
  PADDOCK_ASSIGN(std::string other, Inside(existing));
  PADDOCK_TRY(MayGrow());
  return Do(path, {.operation = FileOperation::kMakeLink, .other = std::move(other), .flag = Follows(follow)});
}

Status GuestFileSystem::RemoveFile(std::string_view path) { return Do(path, {.operation = FileOperation::kUnlink}); }

Status GuestFileSystem::RemoveDirectory(std::string_view path) {
  return Do(path, {.operation = FileOperation::kRemoveDirectory});
}

Status GuestFileSystem::Rename(std::string_view from, std::string_view to, bool exclusive) {
  PADDOCK_ASSIGN(std::string other, Inside(to));
  return Do(from, {.operation = FileOperation::kRename, .other = std::move(other), .flag = exclusive});
}

Status GuestFileSystem::SetMode(std::string_view path, uint32_t mode, vfs::Follow follow) {
  return Do(path, {.operation = FileOperation::kChangeMode,
                   .mode = static_cast<uint16_t>(mode & kPermissions),
                   .flag = !Follows(follow)});
}

Status GuestFileSystem::SetOwner(std::string_view path, std::optional<uint32_t> uid, std::optional<uint32_t> gid,
                                 vfs::Follow follow) {
  if (uid == kAsItIs || gid == kAsItIs) return Code::kInvalid;
  return Do(path, {.operation = FileOperation::kChangeOwner,
                   .flag = Follows(follow),
                   .uid = uid.value_or(kAsItIs),
                   .gid = gid.value_or(kAsItIs)});
}

Status GuestFileSystem::SetTimes(std::string_view path, std::optional<Nanoseconds> access, std::optional<Nanoseconds> modify,
                                 vfs::Follow follow) {
  if (!access && !modify) return {};
  const auto choose = [](const std::optional<Nanoseconds>& time, TimeChoice& choice, int64_t& nanoseconds) {
    if (!time) return;
    choice = *time == vfs::kNow ? TimeChoice::kNow : TimeChoice::kSet;
    if (choice == TimeChoice::kSet) nanoseconds = time->count();
  };
  SetTimesRequest request;
  PADDOCK_ASSIGN(request.path, Inside(path));
  request.follows = Follows(follow);
  choose(access, request.access, request.accessed_ns);
  choose(modify, request.modify, request.modified_ns);
  const Status set = files_.SetTimes(request, Limit());
  return set ? set : Plain(files_, set.error());
}

Status GuestFileSystem::Truncate(std::string_view path, uint64_t size) {
  if (size > INT64_MAX) return Code::kFileTooBig;
  return Do(path, {.operation = FileOperation::kTruncate, .number = static_cast<int64_t>(size)});
}

Status GuestFileSystem::Access(std::string_view path, uint32_t bits) {
  return Do(path, {.operation = FileOperation::kAccess, .mode = static_cast<uint16_t>(bits & 7)});
}

Result<std::string> GuestFileSystem::Canonical(std::string_view path, MustExist must_exist) {
  const int64_t number = must_exist == MustExist::kAll ? 0 : must_exist == MustExist::kParent ? 1 : 2;
  PADDOCK_ASSIGN(std::string canonical, Call(path, {.operation = FileOperation::kCanonical, .number = number}));
  if (!IsPath(canonical)) return Code::kIo;
  return canonical;
}

Result<vfs::SpaceInfo> GuestFileSystem::Space(std::string_view path) {
  PADDOCK_ASSIGN(const std::string reply, Call(path, {.operation = FileOperation::kSpace}));
  PADDOCK_ASSIGN(const FileSpace space, DecodeFileSpace(reply));
  vfs::SpaceInfo info;
  info.type = TypeNameOf(space.type);
  info.source = info.type;   // what is mounted is the host's business
  info.total_bytes = space.total_bytes;
  info.used_bytes = space.total_bytes - space.free_bytes;
  info.total_inodes = space.total_inodes;
  info.used_inodes = space.total_inodes - space.free_inodes;
  return info;
}

}  // namespace paddock::guest
