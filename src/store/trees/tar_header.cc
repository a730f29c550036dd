#include "store/trees/tar_header.h"

#include <algorithm>

#include "codec/tar.h"

namespace paddock::trees {
namespace {

using vfs::FileType;

char KindOf(FileType type) {
  switch (type) {
    case FileType::kFile: return '0';
    case FileType::kSymlink: return '2';
    case FileType::kCharDevice: return '3';
    case FileType::kBlockDevice: return '4';
    case FileType::kDirectory: return '5';
    case FileType::kFifo: return '6';
    case FileType::kSocket: break;
  }
  return '\0';
}

}  // namespace

std::string EncodeTarHeader(const TarEntry& entry) {
  constexpr uint64_t kMostDevice = 07777777;   // what the field holds: pax has no record for more
  codec::TarMember member;
  member.name = entry.path;
  member.type = entry.is_hard_link ? '1' : KindOf(entry.type);
  member.mode = entry.mode;
  member.uid = entry.uid;
  member.gid = entry.gid;
  member.size = member.stored = entry.size;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(entry.modify_time);
  member.modified = seconds.count();
  member.modified_nanos = static_cast<int32_t>((entry.modify_time - seconds).count());
  member.link = entry.target;
  member.major = std::min(entry.special >> 8, kMostDevice);
  member.minor = entry.special & 0xff;
  codec::TarHeaderOptions options;
  options.format = codec::TarFormat::kPax;
  return codec::EncodeTarHeader(member, options).value();   // what has no room goes into records
}

}  // namespace paddock::trees
