// What an overlay notes in Attributes::special of its upper volume's nodes, and how files of both
// layers look from outside. Not an interface of the folder.
#pragma once

#include <cstdint>

#include "vfs/attributes.h"

namespace paddock::vfs {

// A character device that hides a name of the lower volume.
inline constexpr uint64_t kWhiteoutMark = uint64_t{1} << 62;
// A directory below which nothing of the lower volume shows.
inline constexpr uint64_t kOpaqueMark = uint64_t{1} << 61;
// With the inode number of the lower volume that the node was copied from.
inline constexpr uint64_t kOriginMark = uint64_t{1} << 60;
inline constexpr uint64_t kOriginMask = kOriginMark - 1;
inline constexpr uint64_t kAnyMark = kWhiteoutMark | kOpaqueMark | kOriginMark;

inline bool IsWhiteout(const Attributes& upper) {
  return upper.type == FileType::kCharDevice && upper.special == kWhiteoutMark;
}
inline bool IsOpaque(const Attributes& upper) { return (upper.special & kOpaqueMark) != 0; }

// Inode numbers of the upper volume must not meet those of the lower one.
inline constexpr uint64_t kUpperInodes = uint64_t{1} << 48;

// Attributes of an upper node as the overlay shows them.
inline Attributes ShowUpper(Attributes attributes, uint64_t device) {
  const uint64_t special = attributes.special;
  attributes.device = device;
  attributes.inode |= kUpperInodes;
  if ((special & kAnyMark) != 0) {
    if ((special & kOriginMark) != 0) attributes.inode = special & kOriginMask;
    attributes.special = 0;
  }
  return attributes;
}
inline Attributes ShowLower(Attributes attributes, uint64_t device) {
  attributes.device = device;
  return attributes;
}

}  // namespace paddock::vfs
