// Tree changes as bytes. The layout is told in docs/persistence.md.

#include <algorithm>
#include <unordered_map>

#include "base/packed.h"
#include "vfs/tree_changes.h"

namespace paddock::vfs {
namespace {

constexpr uint64_t kVersion = 1;
constexpr uint64_t kVersionWithExtents = 2;   // written only where there are some
constexpr size_t kMostExtents = 10'000;

// What follows of a node.
enum Part : uint64_t {
  kCreated = 1 << 0,
  kMode = 1 << 1,
  kOwner = 1 << 2,
  kSpecial = 1 << 3,
  kTimes = 1 << 4,
  kSize = 1 << 5,
  kChunks = 1 << 6,
  kEntries = 1 << 7,
  kAllParts = (1 << 8) - 1,
};

constexpr uint64_t kMaxType = static_cast<uint64_t>(FileType::kSocket);
constexpr uint64_t kMax32 = 0xFFFFFFFF;

// Times of a node lie near each other: the modification is told, the others as what they are away from it. Sums wrap.
int64_t Away(Nanoseconds time, Nanoseconds from) {
  return static_cast<int64_t>(static_cast<uint64_t>(time.count()) - static_cast<uint64_t>(from.count()));
}
Nanoseconds Back(int64_t away, Nanoseconds from) {
  return Nanoseconds(static_cast<int64_t>(static_cast<uint64_t>(from.count()) + static_cast<uint64_t>(away)));
}

// The extents of some changes, in the order in which they are met.
class ExtentTable {
 public:
  ExtentTable(const TreeChanges& changes, const ExtentSource* source) {
    if (source == nullptr) return;
    for (const TreeChanges::Node& node : changes.nodes) {
      for (const FileContent::ChunkChange& chunk : node.chunks) {
        const Extent* const extent = chunk.extent.get();
        if (extent == nullptr || extent == last_ || numbers_.contains(extent) || !source->Has(*extent)) continue;
        last_ = extent;
        names_.push_back(&extent->name);
        numbers_[extent] = names_.size();
      }
    }
  }
  bool empty() const { return names_.empty(); }
  void Write(PackedWriter& out) const {
    out.Number(names_.size());
    for (const ExtentName* name : names_) {
      out.Bytes(name->name);
      out.Number(name->size);
      out.Number(name->checksum);
    }
  }
  // From 1 on; 0: it is none of these.
  uint64_t NumberOf(const ExtentPtr& extent) const {
    const auto found = extent == nullptr ? numbers_.end() : numbers_.find(extent.get());
    return found == numbers_.end() ? 0 : found->second;
  }

 private:
  const Extent* last_ = nullptr;
  std::vector<const ExtentName*> names_;
  std::unordered_map<const Extent*, uint64_t> numbers_;
};

// Those of changes that are read: all are named once, in the order in which they are met.
struct MetExtents {
  std::vector<ExtentPtr> all;
  uint64_t met = 0;
};

bool ReadExtents(PackedReader& in, std::vector<ExtentName>& names) {
  const size_t count = in.Count(3);
  if (count > kMostExtents) return false;
  names.resize(count);
  for (ExtentName& name : names) {
    name.name = in.String();
    name.size = in.Number();
    name.checksum = static_cast<uint32_t>(in.Number(kMax32));
  }
  return in.ok() && !names.empty();
}

void WriteNode(PackedWriter& out, const TreeChanges::Node& node, const ExtentTable& extents) {
  uint64_t parts = 0;
  const auto note = [&parts](bool is_there, Part part) { parts |= is_there ? part : uint64_t{0}; };
  note(node.created.has_value(), kCreated);
  note(node.mode.has_value(), kMode);
  note(node.owner.has_value(), kOwner);
  note(node.special.has_value(), kSpecial);
  note(node.times.has_value(), kTimes);
  note(node.size.has_value(), kSize);
  note(!node.chunks.empty(), kChunks);
  note(!node.entries.empty(), kEntries);
  out.Number(parts);
  if (node.created) {
    out.Number(static_cast<uint64_t>(*node.created));
    if (*node.created == FileType::kSymlink) out.Bytes(node.target);
  }
  if (node.mode) out.Number(*node.mode);
  if (node.owner) {
    out.Number(node.owner->uid);
    out.Number(node.owner->gid);
  }
  if (node.special) out.Number(*node.special);
  if (node.times) {
    out.Signed(node.times->modify.count());
    out.Signed(Away(node.times->change, node.times->modify));
    out.Signed(Away(node.times->access, node.times->modify));
  }
  if (node.size) out.Number(*node.size);
  if (!node.chunks.empty()) {
    out.Number(node.chunks.size());
    uint64_t next = 0;
    for (const FileContent::ChunkChange& chunk : node.chunks) {
      out.Number(chunk.index - next);
      next = chunk.index + 1;
      out.Number(chunk.size);
      if (chunk.size == 0) continue;
      out.Number(chunk.pages);
      if (!extents.empty()) {
        const uint64_t number = extents.NumberOf(chunk.extent);
        out.Number(number);
        if (number != 0) {
          out.Number(chunk.extent_offset);
          continue;
        }
      }
      out.Number(chunk.pieces.size());
      uint32_t end = 0;
      for (const FileContent::Piece& piece : chunk.pieces) {
        out.Number(piece.offset - end);
        out.Bytes(piece.bytes);
        end = piece.offset + static_cast<uint32_t>(piece.bytes.size());
      }
    }
  }
  if (!node.entries.empty()) {
    out.Number(node.entries.size());
    for (const TreeChanges::Entry& entry : node.entries) {
      out.Bytes(entry.name);
      out.Number(entry.node);
    }
  }
}

void ReadChunks(PackedReader& in, std::vector<FileContent::ChunkChange>& chunks, MetExtents& extents) {
  chunks.resize(in.Count(2));
  if (chunks.empty()) in.Fail();
  constexpr uint64_t kMaxIndex = ~uint64_t{0} / FileContent::kChunkBytes - 1;
  uint64_t next = 0;
  for (FileContent::ChunkChange& chunk : chunks) {
    chunk.index = in.Number(kMaxIndex - std::min(next, kMaxIndex)) + next;
    next = chunk.index + 1;
    chunk.size = static_cast<uint32_t>(in.Number(FileContent::kChunkBytes));
    if (chunk.size == 0) continue;
    chunk.pages = static_cast<uint32_t>(in.Number(kMax32));
    const uint64_t most = std::min<uint64_t>(extents.met + 1, extents.all.size());
    if (const uint64_t number = extents.all.empty() ? 0 : in.Number(most); number != 0) {
      extents.met = std::max(extents.met, number);
      chunk.extent = extents.all[static_cast<size_t>(number - 1)];
      chunk.extent_offset = in.Number(chunk.extent->bytes.size());
      if (chunk.size > chunk.extent->bytes.size() - chunk.extent_offset) return in.Fail();
      continue;
    }
    chunk.pieces.resize(in.Count(3));
    uint32_t end = 0;
    for (FileContent::Piece& piece : chunk.pieces) {
      piece.offset = static_cast<uint32_t>(in.Number(chunk.size - end)) + end;
      piece.bytes = in.Bytes();
      if (piece.bytes.empty() || piece.bytes.size() > chunk.size - piece.offset) return in.Fail();
      end = piece.offset + static_cast<uint32_t>(piece.bytes.size());
    }
  }
}

void ReadNode(PackedReader& in, TreeChanges::Node& node, MetExtents& extents) {
  const uint64_t parts = in.Number(kAllParts);
  if (parts == 0) return in.Fail();
  if ((parts & kCreated) != 0) {
    node.created = static_cast<FileType>(in.Number(kMaxType));
    if (*node.created == FileType::kSymlink) node.target = in.Bytes();
  }
  if ((parts & kMode) != 0) node.mode = static_cast<uint32_t>(in.Number(kMax32));
  if ((parts & kOwner) != 0) {
    const auto uid = static_cast<uint32_t>(in.Number(kMax32));
    node.owner = TreeChanges::Owner{uid, static_cast<uint32_t>(in.Number(kMax32))};
  }
  if ((parts & kSpecial) != 0) node.special = in.Number();
  if ((parts & kTimes) != 0) {
    const Nanoseconds modify(in.Signed());
    const Nanoseconds change = Back(in.Signed(), modify);
    node.times = TreeChanges::Times{.access = Back(in.Signed(), modify), .modify = modify, .change = change};
  }
  if ((parts & kSize) != 0) node.size = in.Number();
  if ((parts & kChunks) != 0) ReadChunks(in, node.chunks, extents);
  if ((parts & kEntries) != 0) {
    node.entries.resize(in.Count(2));
    if (node.entries.empty()) in.Fail();
    for (TreeChanges::Entry& entry : node.entries) {
      entry.name = in.Bytes();
      entry.node = in.Number();
    }
  }
}

}  // namespace

std::string EncodeChanges(const TreeChanges& changes, const ExtentSource* source) {
  std::string bytes;
  if (changes.empty()) return bytes;
  PackedWriter out(bytes);
  const ExtentTable extents(changes, source);
  out.Number(extents.empty() ? kVersion : kVersionWithExtents);
  if (!extents.empty()) extents.Write(out);
  out.Number(changes.start.next);
  out.Number(changes.start.nodes);
  out.Number(changes.start.bytes);
  out.Number(changes.next);
  out.Number(changes.removed.size());
  NodeId last = 0;
  for (const NodeId node : changes.removed) {
    out.Number(node - last);
    last = node;
  }
  out.Number(changes.nodes.size());
  last = 0;
  for (const TreeChanges::Node& node : changes.nodes) {
    out.Number(node.node - last);
    last = node.node;
    WriteNode(out, node, extents);
  }
  return bytes;
}

Result<TreeChanges> DecodeChanges(std::string_view bytes, ExtentSource* source) {
  TreeChanges changes;
  if (bytes.empty()) return changes;
  PackedReader in(bytes);
  const uint64_t version = in.Number();
  if (in.ok() && version != kVersion && version != kVersionWithExtents) {
    return Error(Code::kInvalid, "tree changes have version " + std::to_string(version) + "; this program reads versions 1 and 2");
  }
  MetExtents extents;
  if (version == kVersionWithExtents) {
    std::vector<ExtentName> names;
    if (!ReadExtents(in, names)) return Error(Code::kInvalid, "tree changes are damaged");
    if (source == nullptr) return Error(Code::kInvalid, "tree changes name extents where none are kept");
    for (const ExtentName& name : names) {
      PADDOCK_ASSIGN(ExtentPtr extent, source->Find(name));
      if (std::find(extents.all.begin(), extents.all.end(), extent) != extents.all.end()) return Error(Code::kInvalid, "tree changes are damaged");
      extents.all.push_back(std::move(extent));
    }
  }
  changes.start.next = in.Number();
  changes.start.nodes = in.Number();
  changes.start.bytes = in.Number();
  changes.next = in.Number();
  changes.removed.resize(in.Count());
  NodeId last = 0;
  for (NodeId& node : changes.removed) node = last += in.Number(~NodeId{0} - last);
  last = 0;
  const size_t count = in.Count(2);
  for (size_t i = 0; i < count && in.ok(); ++i) {
    TreeChanges::Node& node = changes.nodes.emplace_back();
    node.node = last += in.Number(~NodeId{0} - last);
    ReadNode(in, node, extents);
  }
  if (!in.IsDone() || changes.empty() || extents.met != extents.all.size()) return Error(Code::kInvalid, "tree changes are damaged");
  return changes;
}

Result<std::vector<ExtentName>> ExtentsOf(std::string_view bytes) {
  std::vector<ExtentName> names;
  PackedReader in(bytes);
  if (bytes.empty() || in.Number() != kVersionWithExtents) return names;
  if (!ReadExtents(in, names)) return Error(Code::kInvalid, "tree changes are damaged");
  return names;
}

uint64_t ContentBytes(const TreeChanges& changes) {
  uint64_t bytes = 0;
  for (const TreeChanges::Node& node : changes.nodes) {
    for (const FileContent::ChunkChange& chunk : node.chunks) {
      for (const FileContent::Piece& piece : chunk.pieces) bytes += piece.bytes.size();
    }
  }
  return bytes;
}

}  // namespace paddock::vfs
