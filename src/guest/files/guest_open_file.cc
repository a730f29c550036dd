#include "guest/files/guest_open_file.h"

#include <algorithm>

namespace paddock::guest {
namespace {

vfs::FileType TypeOf(FileKind kind) {
  switch (kind) {
    case FileKind::kDirectory: return vfs::FileType::kDirectory;
    case FileKind::kSymlink: return vfs::FileType::kSymlink;
    case FileKind::kFifo: return vfs::FileType::kFifo;
    case FileKind::kSocket: return vfs::FileType::kSocket;
    case FileKind::kCharacterDevice: return vfs::FileType::kCharDevice;
    case FileKind::kBlockDevice: return vfs::FileType::kBlockDevice;
    case FileKind::kRegular:
    case FileKind::kOther: break;
  }
  return vfs::FileType::kFile;
}

}  // namespace

Error Plain(const GuestFiles& files, const Error& error) {
  if (const Status connection = files.connection(); !connection) return connection.error();
  // Not an answer of the agent's about the file.
  if (error.code == Code::kTimedOut) return {error.code, "the guest does not answer"};
  return static_cast<int>(error.code) >= static_cast<int>(Code::kSyntax) ? error : Error(error.code);
}

vfs::Attributes ToAttributes(const FileAttributes& from) {
  vfs::Attributes attributes;
  attributes.type = TypeOf(from.stat.kind);
  attributes.mode = from.stat.mode;
  attributes.uid = from.stat.uid;
  attributes.gid = from.stat.gid;
  attributes.links = from.stat.links;
  attributes.size = from.stat.size;
  attributes.inode = from.stat.inode;
  attributes.device = from.stat.device;
  attributes.special = uint64_t{from.device_major} << 8 | (from.device_minor & 0xff);
  attributes.blocks = from.blocks;
  attributes.access_time = Nanoseconds(from.accessed_ns);
  attributes.modify_time = Nanoseconds(from.stat.modified_ns);
  attributes.change_time = Nanoseconds(from.changed_ns);
  return attributes;
}

Result<Block> GuestOpenFile::ReadBlock(size_t max) {
  if (is_directory()) return Code::kIsDirectory;
  if (!parts_.flags.read) return Code::kBadDescriptor;
  if (max == 0) return Block{};
  const std::lock_guard lock(mutex_);
  auto bytes = parts_.file->Read(offset_, max, Limit());
  if (!bytes) return Plain(parts_.files, bytes.error());
  offset_ += bytes->size();
  const auto keep = std::make_shared<const std::string>(std::move(*bytes));
  return Block{keep, *keep};
}

void GuestOpenFile::GiveBack(size_t count) {
  const std::lock_guard lock(mutex_);
  if (is_regular()) offset_ -= std::min<uint64_t>(count, offset_);
}

Status GuestOpenFile::Write(std::string_view bytes) {
  if (!parts_.flags.write) return Code::kBadDescriptor;
  const std::lock_guard lock(mutex_);
  while (!bytes.empty()) {
    if (parts_.may_grow && is_regular()) PADDOCK_TRY(parts_.may_grow());
    const std::string_view piece = bytes.substr(0, kMaxActBytes);
    const auto end = parts_.file->Write(offset_, piece, Limit());
    if (!end) return Plain(parts_.files, end.error());
    offset_ = *end;
    bytes.remove_prefix(piece.size());
  }
  return {};
}

Result<uint64_t> GuestOpenFile::Seek(int64_t offset, vfs::Whence whence) {
  const std::lock_guard lock(mutex_);
  uint64_t base = 0;
  if (whence == vfs::Whence::kCurrent) base = offset_;
  if (whence == vfs::Whence::kEnd) {
    const auto attributes = parts_.file->Attributes(Limit());
    if (!attributes) return Plain(parts_.files, attributes.error());
    base = attributes->stat.size;
  }
  if (base > INT64_MAX) return Code::kOverflow;
  int64_t target = 0;
  if (__builtin_add_overflow(static_cast<int64_t>(base), offset, &target) || target < 0) return Code::kInvalid;
  offset_ = static_cast<uint64_t>(target);
  return offset_;
}

Result<vfs::Attributes> GuestOpenFile::GetAttributes() const {
  const auto attributes = parts_.file->Attributes(Limit());
  if (!attributes) return Plain(parts_.files, attributes.error());
  return ToAttributes(*attributes);
}

Status GuestOpenFile::Truncate(uint64_t size) {
  if (!parts_.flags.write || !is_regular()) return Code::kInvalid;
  const Status truncated = parts_.file->Truncate(size, Limit());
  return truncated ? truncated : Plain(parts_.files, truncated.error());
}

}  // namespace paddock::guest
