// Tree changes as bytes. The layout is told in docs/persistence.md.

#include "base/packed.h"
#include "vfs/tree_changes.h"

namespace paddock::vfs {
namespace {

constexpr uint64_t kVersion = 1;

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

void WriteNode(PackedWriter& out, const TreeChanges::Node& node) {
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

void ReadChunks(PackedReader& in, std::vector<FileContent::ChunkChange>& chunks) {
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

void ReadNode(PackedReader& in, TreeChanges::Node& node) {
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
  if ((parts & kChunks) != 0) ReadChunks(in, node.chunks);
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

std::string EncodeChanges(const TreeChanges& changes) {
  std::string bytes;
  if (changes.empty()) return bytes;
  PackedWriter out(bytes);
  out.Number(kVersion);
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
    WriteNode(out, node);
  }
  return bytes;
}

Result<TreeChanges> DecodeChanges(std::string_view bytes) {
  TreeChanges changes;
  if (bytes.empty()) return changes;
  PackedReader in(bytes);
  const uint64_t version = in.Number();
  if (in.ok() && version != kVersion) {
    return Error(Code::kInvalid, "tree changes have version " + std::to_string(version) + "; this program reads version 1");
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
    ReadNode(in, node);
  }
  if (!in.IsDone() || changes.empty()) return Error(Code::kInvalid, "tree changes are damaged");
  return changes;
}

}  // namespace paddock::vfs
