// Contents of files over kChunk and kMap objects, with their holes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/trees/nodes.h"
#include "store/trees/store.h"

namespace paddock::trees {

// Makes a content out of chunks that are stored already.
class MapWriter {
 public:
  explicit MapWriter(Session& session) : session_(session) {}

  // The chunk of 64 KiB number `index`; `pages` says which of its 4 KiB pages are no holes, and so how
  // long it is (ChunkLength()). Ascending.
  Status Add(uint64_t index, uint32_t pages, const ObjectId& id);
  Result<Content> Finish(uint64_t size);

 private:
  Status Close(size_t level);
  Status AddTo(size_t level, uint64_t index, uint32_t pages, const ObjectId& id);

  struct Level {
    uint64_t base = 0;  // number of the node being filled
    std::vector<MapNode::Child> children;
  };
  Session& session_;
  std::vector<Level> levels_;
  uint64_t chunks_ = 0;
  uint64_t first_index_ = 0;
  uint32_t first_pages_ = 0;
  ObjectId first_;
  uint64_t last_index_ = 0;
};

// Makes a content out of bytes that come in order.
class ContentWriter {
 public:
  // `finds_holes`: pages of zeros become holes.
  ContentWriter(Session& session, bool finds_holes) : session_(session), map_(session), finds_holes_(finds_holes) {}

  Status Write(std::string_view bytes);
  Status Hole(uint64_t count);
  uint64_t size() const { return size_; }
  Result<Content> Finish();

 private:
  Status CloseChunk(std::string_view bytes);

  Session& session_;
  MapWriter map_;
  bool finds_holes_;
  uint64_t size_ = 0;
  std::string chunk_;     // what came of the chunk that size_ is in
  uint32_t pages_ = 0;    // of it
};

// One chunk of a content.
struct ChunkPlace {
  uint64_t index = 0;
  uint32_t pages = 0;
  size_t length = 0;
  ObjectId id;
};
// Visits the chunks of a content in order; stops at the first error. Errors: those of Store::Get(), kSyntax.
Status ForEachChunk(Store& store, const Content& content, const std::function<Status(const ChunkPlace&)>& visit);
// The bytes of a chunk, of the length that its place says.
Result<Block> ReadChunk(Store& store, const ChunkPlace& place);
// Up to `max` bytes from `offset`, at least one unless it is at or past the end; holes read as zeros.
Result<Block> ReadContent(Store& store, const Content& content, uint64_t offset, size_t max);
// All of it. Errors: also kFileTooBig past `max_bytes`.
Result<std::string> ReadWhole(Store& store, const Content& content, uint64_t max_bytes);

}  // namespace paddock::trees
