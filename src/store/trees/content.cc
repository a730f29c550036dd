#include "store/trees/content.h"

#include <algorithm>
#include <cstring>

namespace paddock::trees {
namespace {

constexpr char kZeros[kChunkBytes] = {};

uint64_t ChunkCount(uint64_t size) { return (size + kChunkBytes - 1) / kChunkBytes; }

bool IsZero(std::string_view bytes) { return std::memcmp(bytes.data(), kZeros, bytes.size()) == 0; }

Error Malformed(const ObjectId& id, std::string_view why) {
  return {Code::kSyntax, "object " + id.ToString() + ": " + std::string(why)};
}

// The place of a chunk, if one of this file can be so.
Result<ChunkPlace> PlaceOf(const Content& content, uint64_t index, uint32_t pages, const ObjectId& id) {
  if (index >= ChunkCount(content.size)) return Malformed(content.id, "a chunk lies behind the end of its file");
  const uint64_t room = std::min<uint64_t>(kChunkBytes, content.size - index * kChunkBytes);
  if ((pages & ~PagesOf(room)) != 0) return Malformed(content.id, "a page lies behind the end of its file");
  return ChunkPlace{index, pages, ChunkLength(content.size, index, pages), id};
}

Result<MapNode> ReadMapNode(Store& store, const ObjectId& id) {
  PADDOCK_ASSIGN(const Block block, store.Get(ObjectKind::kMap, id));
  auto node = DecodeMap(block.bytes);
  if (!node) return Malformed(id, node.error().message);
  return node;
}

}  // namespace

Status MapWriter::Close(size_t level) {
  MapNode node;
  node.level = static_cast<unsigned>(level);
  node.children = std::move(levels_[level].children);
  levels_[level].children.clear();
  PADDOCK_ASSIGN(const ObjectId id, session_.Put(ObjectKind::kMap, Encode(node)));
  return AddTo(level + 1, levels_[level].base, 0, id);
}

Status MapWriter::AddTo(size_t level, uint64_t index, uint32_t pages, const ObjectId& id) {
  if (level > kMaxMapLevel) return Error(Code::kFileTooBig);
  if (levels_.size() <= level) levels_.emplace_back();
  const uint64_t base = index / kMapFanOut;
  if (!levels_[level].children.empty() && levels_[level].base != base) PADDOCK_TRY(Close(level));
  levels_[level].base = base;
  levels_[level].children.push_back({static_cast<uint32_t>(index % kMapFanOut), pages, id});
  return {};
}

Status MapWriter::Add(uint64_t index, uint32_t pages, const ObjectId& id) {
  if (chunks_++ == 0) {
    first_index_ = index;
    first_pages_ = pages;
    first_ = id;
  }
  last_index_ = index;
  return AddTo(0, index, pages, id);
}

Result<Content> MapWriter::Finish(uint64_t size) {
  if (size > kMaxFileBytes) return Error(Code::kFileTooBig);
  Content content;
  content.size = size;
  if (chunks_ == 0) return content;
  if (chunks_ == 1 && size <= kChunkBytes && first_pages_ == PagesOf(size)) {
    content.form = Content::Form::kChunk;
    content.id = first_;
    return content;
  }
  // The root is the lowest node that covers every chunk.
  size_t level = 0;
  for (uint64_t covered = last_index_ / kMapFanOut; covered > 0; covered /= kMapFanOut) {
    PADDOCK_TRY(Close(level));
    ++level;
  }
  MapNode root;
  root.level = static_cast<unsigned>(level);
  root.children = std::move(levels_[level].children);
  content.form = Content::Form::kMap;
  PADDOCK_ASSIGN(content.id, session_.Put(ObjectKind::kMap, Encode(root)));
  return content;
}

Status ContentWriter::CloseChunk(std::string_view bytes) {
  if (finds_holes_) {
    for (size_t page = 0; page * kPageBytes < bytes.size(); ++page) {
      if (!IsZero(bytes.substr(page * kPageBytes, kPageBytes))) pages_ |= uint32_t{1} << page;
    }
  }
  if (pages_ == 0) return {};
  const uint64_t index = (size_ - 1) / kChunkBytes;
  // Up to the end of the last page that is no hole.
  const size_t end = static_cast<size_t>(32 - __builtin_clz(pages_)) * kPageBytes;
  PADDOCK_ASSIGN(const ObjectId id, session_.Put(ObjectKind::kChunk, bytes.substr(0, end)));
  PADDOCK_TRY(map_.Add(index, pages_, id));
  pages_ = 0;
  return {};
}

Status ContentWriter::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t start = static_cast<size_t>(size_ % kChunkBytes);
    const std::string_view piece = bytes.substr(0, kChunkBytes - start);
    if (size_ + piece.size() > kMaxFileBytes) return Error(Code::kFileTooBig);
    if (!finds_holes_) pages_ |= PagesOf(start + piece.size()) & ~PagesOf(start / kPageBytes * kPageBytes);
    size_ += piece.size();
    bytes.remove_prefix(piece.size());
    const bool is_full = start + piece.size() == kChunkBytes;
    if (is_full && start == 0) {
      PADDOCK_TRY(CloseChunk(piece));
      continue;
    }
    chunk_.resize(start, '\0');
    chunk_ += piece;
    if (!is_full) continue;
    PADDOCK_TRY(CloseChunk(chunk_));
    chunk_.clear();
  }
  return {};
}

Status ContentWriter::Hole(uint64_t count) {
  // To the end of the chunk, then whole chunks at once.
  const uint64_t start = size_ % kChunkBytes;
  if (count > kMaxFileBytes - size_) return Error(Code::kFileTooBig);
  if (start > 0) {
    const uint64_t rest = std::min(count, kChunkBytes - start);
    chunk_.resize(static_cast<size_t>(start), '\0');
    chunk_.resize(static_cast<size_t>(start + rest), '\0');
    size_ += rest;
    count -= rest;
    if (size_ % kChunkBytes != 0) return {};
    PADDOCK_TRY(CloseChunk(chunk_));
    chunk_.clear();
  }
  size_ += count;
  return {};
}

Result<Content> ContentWriter::Finish() {
  const size_t rest = static_cast<size_t>(size_ % kChunkBytes);
  if (rest > 0) {
    chunk_.resize(rest, '\0');
    PADDOCK_TRY(CloseChunk(chunk_));
  }
  return map_.Finish(size_);
}

Status ForEachChunk(Store& store, const Content& content, const std::function<Status(const ChunkPlace&)>& visit) {
  if (content.form == Content::Form::kHole) return {};
  if (content.form == Content::Form::kChunk) {
    PADDOCK_ASSIGN(const ChunkPlace place, PlaceOf(content, 0, PagesOf(content.size), content.id));
    return visit(place);
  }
  struct Step {
    MapNode node;
    uint64_t base = 0;
    size_t next = 0;
  };
  std::vector<Step> path;
  PADDOCK_ASSIGN(MapNode root, ReadMapNode(store, content.id));
  path.push_back({std::move(root), 0, 0});
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next == step.node.children.size()) {
      path.pop_back();
      continue;
    }
    const MapNode::Child child = step.node.children[step.next++];
    const uint64_t index = step.base * kMapFanOut + child.digit;
    if (step.node.level == 0) {
      PADDOCK_ASSIGN(const ChunkPlace place, PlaceOf(content, index, child.pages, child.id));
      PADDOCK_TRY(visit(place));
      continue;
    }
    PADDOCK_ASSIGN(MapNode below, ReadMapNode(store, child.id));
    if (below.level + 1 != step.node.level) return Malformed(child.id, "a part of a file map is at the wrong level");
    path.push_back({std::move(below), index, 0});
  }
  return {};
}

Result<Block> ReadChunk(Store& store, const ChunkPlace& place) {
  PADDOCK_ASSIGN(Block block, store.Get(ObjectKind::kChunk, place.id));
  if (block.bytes.size() != place.length) return Malformed(place.id, "a chunk has not the length that its file says");
  return block;
}

Result<Block> ReadContent(Store& store, const Content& content, uint64_t offset, size_t max) {
  if (offset >= content.size) return Block{};
  const uint64_t index = offset / kChunkBytes;
  const size_t start = static_cast<size_t>(offset % kChunkBytes);
  const size_t wanted = static_cast<size_t>(std::min<uint64_t>({max, kChunkBytes - start, content.size - offset}));
  const Block hole{nullptr, std::string_view(kZeros, wanted)};
  if (content.form == Content::Form::kHole) return hole;
  ChunkPlace place;
  if (content.form == Content::Form::kChunk) {
    PADDOCK_ASSIGN(place, PlaceOf(content, 0, PagesOf(content.size), content.id));
  } else {
    ObjectId id = content.id;
    PADDOCK_ASSIGN(MapNode node, ReadMapNode(store, id));
    uint64_t reach = 1;  // chunks below one child
    for (unsigned level = 0; level < node.level; ++level) reach *= kMapFanOut;
    if (index / reach >= kMapFanOut) return hole;
    for (uint64_t rest = index;; rest %= reach, reach /= kMapFanOut) {
      const uint64_t digit = rest / reach;
      const auto it = std::lower_bound(node.children.begin(), node.children.end(), digit,
                                       [](const MapNode::Child& child, uint64_t d) { return child.digit < d; });
      if (it == node.children.end() || it->digit != digit) return hole;
      if (node.level == 0) {
        PADDOCK_ASSIGN(place, PlaceOf(content, index, it->pages, it->id));
        break;
      }
      const unsigned level = node.level;
      PADDOCK_ASSIGN(MapNode below, ReadMapNode(store, it->id));
      if (below.level + 1 != level) return Malformed(id, "a part of a file map is at the wrong level");
      node = std::move(below);
    }
  }
  PADDOCK_ASSIGN(Block block, ReadChunk(store, place));
  if (start >= block.bytes.size()) return hole;
  block.bytes = block.bytes.substr(start, wanted);
  return block;
}

Result<std::string> ReadWhole(Store& store, const Content& content, uint64_t max_bytes) {
  if (content.size > max_bytes) return Error(Code::kFileTooBig);
  std::string text;
  while (text.size() < content.size) {
    PADDOCK_ASSIGN(const Block block, ReadContent(store, content, text.size(), kChunkBytes));
    text += block.bytes;
  }
  return text;
}

}  // namespace paddock::trees
