// FileContent: the bytes of one file in pieces that are shared, copied on write, or absent (holes).
//
// A piece may lie in an extent: then it is copied when something writes there.
//
// Readers get views into the pieces and keep them alive; a writer copies a piece that somebody else
// (a reader, a forked tree) still holds. Copies of a FileContent cost O(1).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "vfs/extent.h"
#include "vfs/radix_map.h"

namespace paddock::vfs {

class FileContent {
 public:
  static constexpr size_t kChunkBytes = 64 << 10;
  static constexpr size_t kPageBytes = 4 << 10;

  uint64_t size() const { return size_; }
  // Bytes of memory that the contents take (what quotas count); holes take none.
  uint64_t held_bytes() const { return held_bytes_; }
  // 512-byte units as stat shows them: the 4 KiB pages that were ever written.
  uint64_t blocks() const { return pages_ * (kPageBytes / 512); }

  // A content of `size` bytes of the extent from `offset` on, which it has. No byte of them is looked at.
  static FileContent Of(const ExtentPtr& extent, uint64_t offset, uint64_t size);

  // Up to `max` bytes from `offset`, at least one unless `offset` is at or past the end.
  Block Read(uint64_t offset, size_t max) const;
  // The memory that writing `count` bytes at `offset` would add to held_bytes().
  uint64_t CostOf(uint64_t offset, uint64_t count) const;
  // Overwrites and extends; what lies between the old end and `offset` becomes a hole.
  void Write(uint64_t offset, std::string_view bytes);
  // Cuts off, or extends by a hole.
  void Resize(uint64_t size);

  // Calls visit(index, bytes, pages) for every chunk that is held, ascending; what follows `bytes` in it is zero,
  // and bit k of `pages` says that page k was written. For what stores them elsewhere.
  template <class Visit>
  void ForEachChunk(Visit visit) const {
    PersistentMap<Chunk>::ForEachDifference({}, chunks_, [&visit](uint64_t index, const Chunk*, const Chunk* chunk) {
      visit(index, chunk->view(), chunk->pages);
    });
  }
  // The pages of one chunk that were written; 0 where nothing is held.
  uint32_t PagesAt(uint64_t index) const {
    const Chunk* chunk = chunks_.Find(index);
    return chunk == nullptr ? 0 : chunk->pages;
  }

  // What one chunk of a changed file became.
  struct Piece {
    uint32_t offset = 0;      // in the chunk
    std::string_view bytes;   // not empty
  };
  struct ChunkChange {
    uint64_t index = 0;
    uint32_t size = 0;    // of what it holds from now on; 0: it is gone (a hole)
    uint32_t pages = 0;   // which of its pages were written
    std::vector<Piece> pieces;   // ascending, apart; what lies between them stays, or is zero where there was nothing
    // Where all of it lies, if it does; the pieces are then one of all of it, or none.
    ExtentPtr extent = nullptr;
    uint64_t extent_offset = 0;
  };
  // The chunks that differ from those of `before`, ascending, but not those behind the end. Views into this content.
  std::vector<ChunkChange> ChangesSince(const FileContent& before) const;
  // Does that to a content like `before` that has this one's size() already. False, with the content in pieces, if
  // the change cannot be one of it.
  bool Apply(const ChunkChange& change);

 private:
  struct Chunk {
    std::string bytes;   // what is behind it, up to the chunk's size, is zero
    uint32_t pages = 0;  // bit k: page k was written
    uint32_t length = 0;        // in the extent; then `bytes` is empty
    ExtentPtr extent;           // or null
    uint64_t extent_offset = 0;

    std::string_view view() const {
      return extent != nullptr ? extent->bytes.substr(static_cast<size_t>(extent_offset), length) : std::string_view(bytes);
    }
    // From now on it holds the bytes itself.
    void Own() {
      if (extent == nullptr) return;
      bytes = view();
      extent.reset();
    }
  };
  static_assert(kChunkBytes / kPageBytes <= 32);

  Chunk& ChunkForWriting(uint64_t index);
  void WriteInChunk(Chunk& chunk, size_t start, std::string_view bytes);

  uint64_t size_ = 0;
  uint64_t held_bytes_ = 0;
  uint64_t pages_ = 0;
  PersistentMap<Chunk> chunks_;
};

}  // namespace paddock::vfs
