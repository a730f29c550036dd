// The objects of a tree as values, and their canonical encodings: equal values have equal bytes, and
// what decodes is in canonical order and within the limits below. docs/store-format.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/trees/object_id.h"
#include "vfs/attributes.h"

namespace paddock::trees {

inline constexpr size_t kChunkBytes = 64 << 10;   // vfs::FileContent::kChunkBytes
inline constexpr size_t kPageBytes = 4 << 10;     // the grain of holes
inline constexpr size_t kMapFanOut = 1024;        // children of one kMap node
inline constexpr unsigned kMaxMapLevel = 4;       // 1024^5 chunks: beyond any 64-bit offset that is used
inline constexpr size_t kMaxDirectoryNode = 512;  // entries of one kDirectory node
inline constexpr unsigned kMaxDirectoryLevel = 8;
inline constexpr size_t kLongestName = 255;
inline constexpr size_t kLongestTarget = 64 << 10;
inline constexpr uint64_t kMaxFileBytes = uint64_t{1} << 46;
inline constexpr size_t kMaxObjectBytes = 64 << 20;  // of any canonical body

// Where the bytes of a file are.
struct Content {
  enum class Form : uint8_t {
    kHole = 0,   // nothing but a hole of `size` bytes; empty files
    kChunk = 1,  // one chunk of exactly `size` bytes
    kMap = 2     // several chunks, or one beside a hole
  };
  uint64_t size = 0;
  Form form = Form::kHole;
  ObjectId id;
  bool operator==(const Content&) const = default;
};

struct Entry {
  std::string name;
  vfs::FileType type = vfs::FileType::kFile;
  uint32_t mode = 0;
  uint32_t uid = 0;
  uint32_t gid = 0;
  Nanoseconds modify_time{0};
  Content content;        // kFile
  ObjectId directory;     // kDirectory
  std::string target;     // kSymlink
  uint64_t special = 0;   // kCharDevice, kBlockDevice
  bool operator==(const Entry&) const = default;
};

// A directory, or a part of one. Level 0 holds entries; above it are the nodes below with the last name
// that each holds.
struct DirectoryNode {
  struct Child {
    std::string last_name;
    ObjectId id;
  };
  unsigned level = 0;
  std::vector<Entry> entries;    // sorted by name (bytes), names unique
  std::vector<Child> children;
};

// Which chunks make a file. Level 0 holds chunks, each above it a node for 1024^level chunks.
struct MapNode {
  struct Child {
    uint32_t digit = 0;   // position in this node, ascending
    uint32_t pages = 0;   // level 0: bit k says that the 4 KiB page k was written; never 0
    ObjectId id;
  };
  unsigned level = 0;
  std::vector<Child> children;   // never empty
};

// The root of a tree: attributes of its directory, and the files with several names.
struct TreeNode {
  uint32_t mode = 0755;
  uint32_t uid = 0;
  uint32_t gid = 0;
  Nanoseconds modify_time{0};
  ObjectId directory;
  Content links;   // the bytes of EncodeLinks()
};

// Paths below the root, without a leading slash, of one file each: every group sorted and of two or more,
// groups sorted by their first path.
using LinkGroups = std::vector<std::vector<std::string>>;

std::string Encode(const DirectoryNode& node);
// The parts of a level 0 node, for those who have many entries: appends one; the body of `count` of them.
void AppendEntry(std::string& body, const Entry& entry);
std::string EncodeLeaf(size_t count, std::string_view body);
std::string Encode(const MapNode& node);
std::string Encode(const TreeNode& node);
std::string EncodeLinks(const LinkGroups& groups);

// Errors: kSyntax with the reason.
Result<DirectoryNode> DecodeDirectory(std::string_view body);
Result<MapNode> DecodeMap(std::string_view body);
Result<TreeNode> DecodeTree(std::string_view body);
Result<LinkGroups> DecodeLinks(std::string_view bytes);

// True for what may be the name of an entry.
bool IsName(std::string_view name);

// The bytes that a chunk at `index` holds, by its pages and the size of its file.
inline size_t ChunkLength(uint64_t file_size, uint64_t index, uint32_t pages) {
  const uint64_t until_end = file_size - index * kChunkBytes;
  const uint64_t written = static_cast<uint64_t>(32 - __builtin_clz(pages)) * kPageBytes;
  return static_cast<size_t>(until_end < written ? until_end : written);
}
// Bits of all the pages of `bytes` bytes.
inline uint32_t PagesOf(uint64_t bytes) {
  const uint64_t count = (bytes + kPageBytes - 1) / kPageBytes;
  return static_cast<uint32_t>((uint64_t{1} << count) - 1);
}

}  // namespace paddock::trees
