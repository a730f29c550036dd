#include "vfs/file_content.h"

#include <algorithm>
#include <bit>

namespace paddock::vfs {
namespace {

// What holes read as.
constexpr char kZeros[FileContent::kChunkBytes] = {};

// Bits of the pages that [start, end) touches.
uint32_t PageMask(size_t start, size_t end) {
  if (start >= end) return 0;
  const size_t first = start / FileContent::kPageBytes;
  const size_t last = (end - 1) / FileContent::kPageBytes;
  const uint64_t up_to_last = (uint64_t{2} << last) - 1;
  return static_cast<uint32_t>(up_to_last & ~((uint64_t{1} << first) - 1));
}

}  // namespace

FileContent FileContent::Of(const ExtentPtr& extent, uint64_t offset, uint64_t size) {
  FileContent content;
  for (uint64_t at = 0; at < size; at += kChunkBytes) {
    auto chunk = std::make_shared<Chunk>();
    chunk->length = static_cast<uint32_t>(std::min<uint64_t>(size - at, kChunkBytes));
    chunk->pages = PageMask(0, chunk->length);
    chunk->extent = extent;
    chunk->extent_offset = offset + at;
    content.pages_ += static_cast<uint64_t>(std::popcount(chunk->pages));
    content.chunks_.Set(at / kChunkBytes, std::move(chunk));
  }
  content.size_ = content.held_bytes_ = size;
  return content;
}

Block FileContent::Read(uint64_t offset, size_t max) const {
  if (offset >= size_) return {};
  const uint64_t index = offset / kChunkBytes;
  const size_t start = static_cast<size_t>(offset % kChunkBytes);
  const uint64_t until_end = size_ - offset;
  const size_t wanted =
      static_cast<size_t>(std::min<uint64_t>({max, kChunkBytes - start, until_end}));
  const Chunk* chunk = chunks_.Find(index);
  const size_t held = chunk == nullptr ? 0 : chunk->view().size();
  if (start >= held) return {nullptr, std::string_view(kZeros, wanted)};
  return {chunks_.Share(index), chunk->view().substr(start, wanted)};
}

uint64_t FileContent::CostOf(uint64_t offset, uint64_t count) const {
  if (count == 0) return 0;
  uint64_t cost = 0;
  const uint64_t end = offset + count;
  for (uint64_t index = offset / kChunkBytes; index * kChunkBytes < end; ++index) {
    const Chunk* chunk = chunks_.Find(index);
    const uint64_t held = chunk == nullptr ? 0 : chunk->view().size();
    const uint64_t wanted = std::min<uint64_t>(end - index * kChunkBytes, kChunkBytes);
    if (wanted > held) cost += wanted - held;
  }
  return cost;
}

FileContent::Chunk& FileContent::ChunkForWriting(uint64_t index) {
  if (Chunk* chunk = chunks_.Change(index)) return *chunk;
  auto fresh = std::make_shared<Chunk>();
  Chunk& chunk = *fresh;
  chunks_.Set(index, std::move(fresh));
  return chunk;
}

void FileContent::WriteInChunk(Chunk& chunk, size_t start, std::string_view bytes) {
  chunk.Own();
  const size_t before = chunk.bytes.size();
  const size_t end = start + bytes.size();
  if (start >= before) {
    if (end > chunk.bytes.capacity())
      chunk.bytes.reserve(std::min(std::max(end, before * 2), kChunkBytes));
    chunk.bytes.append(start - before, '\0');
    chunk.bytes.append(bytes);
  } else {
    chunk.bytes.replace(start, bytes.size(), bytes);
  }
  held_bytes_ += chunk.bytes.size() - before;
  const uint32_t pages = chunk.pages | PageMask(start, end);
  pages_ += static_cast<uint64_t>(std::popcount(pages) - std::popcount(chunk.pages));
  chunk.pages = pages;
}

void FileContent::Write(uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t start = static_cast<size_t>(offset % kChunkBytes);
    const std::string_view piece = bytes.substr(0, kChunkBytes - start);
    WriteInChunk(ChunkForWriting(offset / kChunkBytes), start, piece);
    offset += piece.size();
    bytes.remove_prefix(piece.size());
    size_ = std::max(size_, offset);
  }
}

void FileContent::Resize(uint64_t size) {
  if (size < size_) {
    const uint64_t first_gone = (size + kChunkBytes - 1) / kChunkBytes;
    chunks_.EraseFrom(first_gone, [this](const Chunk& chunk) {
      held_bytes_ -= chunk.view().size();
      pages_ -= static_cast<uint64_t>(std::popcount(chunk.pages));
    });
    const uint64_t last = size / kChunkBytes;
    const size_t rest = static_cast<size_t>(size % kChunkBytes);
    const Chunk* cut = rest == 0 ? nullptr : chunks_.Find(last);
    if (cut != nullptr && (cut->view().size() > rest || (cut->pages & ~PageMask(0, rest)) != 0)) {
      Chunk& chunk = *chunks_.Change(last);
      const uint32_t pages = chunk.pages & PageMask(0, rest);
      pages_ -= static_cast<uint64_t>(std::popcount(chunk.pages) - std::popcount(pages));
      chunk.pages = pages;
      chunk.Own();
      if (chunk.bytes.size() > rest) {
        held_bytes_ -= chunk.bytes.size() - rest;
        chunk.bytes.resize(rest);
        if (chunk.bytes.capacity() > 2 * rest) chunk.bytes.shrink_to_fit();
      }
    }
  }
  size_ = size;
}

namespace {

// Two differences with fewer equal bytes than this between them are one piece.
constexpr size_t kPieceGap = 16;

// Where `after` differs from `before`, which is taken to go on with zeros.
std::vector<FileContent::Piece> PiecesBetween(std::string_view before, std::string_view after) {
  std::vector<FileContent::Piece> pieces;
  const auto old = [before](size_t at) { return at < before.size() ? before[at] : '\0'; };
  const auto same_run = [&](size_t at) {
    // Whole stretches at once: most of a chunk is as it was.
    constexpr size_t kStretch = 256;
    const size_t start = at;
    const std::string_view zeros(kZeros, kStretch);
    while (at + kStretch <= after.size()) {
      const std::string_view there = at + kStretch <= before.size() ? before.substr(at, kStretch)
                                     : at >= before.size()          ? zeros
                                                                    : std::string_view();
      if (after.substr(at, kStretch) != there) break;
      at += kStretch;
    }
    while (at < after.size() && after[at] == old(at)) ++at;
    return at - start;
  };
  for (size_t at = same_run(0); at < after.size();) {
    const size_t start = at;
    size_t end = at;
    while (at < after.size()) {
      while (at < after.size() && after[at] != old(at)) ++at;
      end = at;
      const size_t same = same_run(at);
      at += same;
      if (same >= kPieceGap) break;
    }
    pieces.push_back({static_cast<uint32_t>(start), after.substr(start, end - start)});
  }
  return pieces;
}

}  // namespace

std::vector<FileContent::ChunkChange> FileContent::ChangesSince(const FileContent& before) const {
  std::vector<ChunkChange> changes;
  PersistentMap<Chunk>::ForEachDifference(
      before.chunks_, chunks_, [&](uint64_t index, const Chunk* old, const Chunk* now) {
        if (now == nullptr) {
          if (index * kChunkBytes < size_) changes.push_back({.index = index});
          return;
        }
        if (now->extent != nullptr) {
          if (old != nullptr && old->extent == now->extent && old->extent_offset == now->extent_offset && old->length == now->length) return;
          changes.push_back({index, now->length, now->pages, {{0, now->view()}}, now->extent, now->extent_offset});
          return;
        }
        const std::string_view old_bytes = old == nullptr ? std::string_view() : old->view();
        std::vector<Piece> pieces = PiecesBetween(old_bytes, now->bytes);
        const bool is_same = old != nullptr && pieces.empty() && old_bytes.size() == now->bytes.size() && old->pages == now->pages;
        if (is_same) return;
        changes.push_back({index, static_cast<uint32_t>(now->bytes.size()), now->pages, std::move(pieces)});
      });
  return changes;
}

bool FileContent::Apply(const ChunkChange& change) {
  constexpr uint32_t kAllPages = (1u << (kChunkBytes / kPageBytes)) - 1;
  if (change.index >= (size_ + kChunkBytes - 1) / kChunkBytes) return false;
  const uint64_t room = std::min<uint64_t>(size_ - change.index * kChunkBytes, kChunkBytes);
  if (change.size > room || (change.pages & ~kAllPages) != 0) return false;
  if (change.size == 0) {
    const Chunk* gone = chunks_.Find(change.index);
    if (gone == nullptr || change.pages != 0 || !change.pieces.empty()) return false;
    held_bytes_ -= gone->view().size();
    pages_ -= static_cast<uint64_t>(std::popcount(gone->pages));
    chunks_.Erase(change.index);
    return true;
  }
  Chunk& chunk = ChunkForWriting(change.index);
  held_bytes_ = held_bytes_ - chunk.view().size() + change.size;
  pages_ = pages_ - static_cast<uint64_t>(std::popcount(chunk.pages)) + static_cast<uint64_t>(std::popcount(change.pages));
  chunk.pages = change.pages;
  if (change.extent != nullptr) {
    const uint64_t there = change.extent->bytes.size();
    if (change.extent_offset > there || change.size > there - change.extent_offset) {
      chunk.Own();
      chunk.bytes.resize(change.size);
      return false;
    }
    chunk.bytes = std::string();
    chunk.extent = change.extent;
    chunk.extent_offset = change.extent_offset;
    chunk.length = change.size;
    return true;
  }
  chunk.Own();
  chunk.bytes.resize(change.size);
  for (const Piece& piece : change.pieces) {
    if (piece.offset > change.size || piece.bytes.size() > change.size - piece.offset) return false;
    chunk.bytes.replace(piece.offset, piece.bytes.size(), piece.bytes);
  }
  return true;
}

}  // namespace paddock::vfs
